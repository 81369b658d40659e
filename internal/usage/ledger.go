package usage

import (
	"cmp"
	"slices"
	"strings"

	"hooks/internal/loop"
)

// Bounds of what is remembered of one file, in requests. Lines of one request stand close together; a line of a
// request that is forgotten would count again.
const (
	remembered = 8192 // within one Count
	openMain   = 7    // from one Count to the next, of the main transcript
	openAgent  = 2    // of a subagent's, whose requests never overlap
)

// ledger is what was counted for the last requests of one file.
type ledger struct {
	slots []slot // a ring once it is full
	next  int    // the slot to give up
	index map[string]int
	clock int64
}

type slot struct {
	loop.Counted
	seen int64
}

// known returns what was counted for a request so far.
func (l *ledger) known(id string) (loop.Counted, bool) {
	i, ok := l.index[id]
	if !ok {
		return loop.Counted{}, false
	}
	return l.slots[i].Counted, true
}

// put remembers a request as the one seen last.
func (l *ledger) put(c loop.Counted) {
	l.clock++
	s := slot{c, l.clock}
	if i, ok := l.index[c.ID]; ok {
		l.slots[i] = s
		return
	}
	if l.index == nil {
		l.index = make(map[string]int)
	}
	i := len(l.slots)
	if i < remembered {
		l.slots = append(l.slots, s)
	} else {
		i = l.next
		l.next = (i + 1) % remembered
		delete(l.index, l.slots[i].ID)
		l.slots[i] = s
	}
	l.index[c.ID] = i
}

// last returns the n requests seen last, oldest first.
func (l *ledger) last(n int) (out []loop.Counted) {
	top := make([]slot, 0, n)
	for _, s := range l.slots {
		if len(top) == n {
			if s.seen < top[0].seen {
				continue
			}
			top = slices.Delete(top, 0, 1)
		}
		i, _ := slices.BinarySearchFunc(top, s.seen, func(t slot, seen int64) int { return cmp.Compare(t.seen, seen) })
		top = slices.Insert(top, i, s)
	}
	for _, s := range top {
		out = append(out, s.Counted)
	}
	return out
}

// reset forgets everything and keeps the memory for the next file.
func (l *ledger) reset() {
	clear(l.slots)
	clear(l.index)
	*l = ledger{slots: l.slots[:0], index: l.index}
}

// untilMark begins the id of the one entry of Cursor.Open that is no request: it holds the newest timestamp seen, by
// which a file that was replaced tells what was counted before.
const untilMark = "until "

// unpack takes a cursor's entries apart.
func unpack(open []loop.Counted) (requests []loop.Counted, until string) {
	for _, c := range open {
		if at, ok := strings.CutPrefix(c.ID, untilMark); ok && c.Model == "" {
			until = instant(at)
			continue
		}
		requests = append(requests, c)
	}
	return requests, until
}

// pack is the reverse of unpack.
func pack(requests []loop.Counted, until string) []loop.Counted {
	if until == "" {
		return requests
	}
	return append(requests, loop.Counted{ID: untilMark + until})
}
