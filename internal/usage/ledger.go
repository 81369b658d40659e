package usage

import (
	"cmp"
	"slices"
	"strings"

	"hooks/internal/loop"
)

// Limits on the requests remembered for one file. Lines of one request are close together; a line
// of a forgotten request would count again.
const (
	remembered = 8192 // within one Count
	openMain   = 7    // from one Count to the next, of the main transcript
	openAgent  = 2    // of a subagent's, whose requests never overlap
)

// ledger holds the counts for the last requests of one file.
type ledger struct {
	slots []slot // a ring once it is full
	next  int    // the slot to reuse
	index map[string]int
	clock int64
}

type slot struct {
	loop.Counted
	seen int64
}

// known returns what was counted for a request so far.
func (l *ledger) known(id string) (loop.Counted, bool) {
	if i, ok := l.index[id]; ok {
		return l.slots[i].Counted, true
	}
	return loop.Counted{}, false
}

// put remembers a request as the one seen last.
func (l *ledger) put(c loop.Counted) {
	l.clock++
	i, known := l.index[c.ID]
	switch {
	case known:
	case len(l.slots) < remembered:
		i = len(l.slots)
		l.slots = append(l.slots, slot{})
	default:
		i = l.next
		l.next = (i + 1) % remembered
		delete(l.index, l.slots[i].ID)
	}
	if l.index == nil {
		l.index = make(map[string]int)
	}
	l.slots[i], l.index[c.ID] = slot{c, l.clock}, i
}

// end returns the n requests seen last, oldest first, and resets the ledger. It keeps the memory
// for the next file.
func (l *ledger) end(n int) (out []loop.Counted) {
	slices.SortFunc(l.slots, func(a, b slot) int { return cmp.Compare(a.seen, b.seen) })
	for _, s := range l.slots[max(0, len(l.slots)-n):] {
		out = append(out, s.Counted)
	}
	clear(l.slots)
	clear(l.index)
	*l = ledger{slots: l.slots[:0], index: l.index}
	return out
}

// untilMark begins the id of the one entry of Cursor.Open that is not a request. It holds the
// newest timestamp seen, which separates old lines from new ones in a replaced file.
const untilMark = "until "

// unpack splits a cursor's entries into requests and the newest timestamp.
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
