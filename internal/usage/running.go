package usage

import (
	"bytes"
	"cmp"
	"math"
	"os"
	"slices"
	"strings"
	"sync"
	"time"

	"hooks/internal/loop"
)

// maxRunning bounds what one look at a running iteration reads, in bytes. It is more than a line
// may have.
const maxRunning = 2 * maxLine

// Look holds the usage that the transcripts show beyond the cursors of a running iteration.
type Look struct {
	Dollars loop.USD
	Cursors []loop.Cursor // of the transcripts that have grown
	Read    int64         // bytes
}

// Running counts, as Count does, what is new while an iteration runs, at most 16 MiB of it; the
// next look continues from there. Of the subagents it counts those with a cursor and fresh ones. If
// no file has grown it reads no file and does not call rates. It leaves out what cannot be read;
// the error names it.
func Running(
	transcript string, cursors []loop.Cursor, fresh []string, rates func() Table,
) (l Look, err error) {
	if transcript == "" {
		return l, nil
	}
	names := growing(cursors, fresh)
	for _, room := range []int64{maxRunning, math.MaxInt64} { // a line may be longer than the bound
		c := newCounter(Table{})
		c.table, c.money, c.room = sync.OnceValue(rates), true, room
		done, err := c.all(sources(transcript, cursors, names))
		if l = c.look(done); err != nil || l.Read > 0 || !c.full {
			return l, err
		}
	}
	return l, nil
}

// look returns what was counted and the cursors that it moved.
func (c *counter) look(done []loop.Cursor) (l Look) {
	for _, u := range c.res.ByModel {
		l.Dollars = l.Dollars.Plus(u.Dollars)
	}
	for i, now := range done {
		before := c.list[i].cursor
		if now.Offset == before.Offset && now.Inode == before.Inode {
			continue
		}
		l.Cursors = append(l.Cursors, now)
		if l.Read += now.Offset; now.Offset >= before.Offset { // else another file has its name now
			l.Read -= before.Offset
		}
	}
	return l
}

// bound sets the end of a source by the bytes that may still be read, and reports whether there is
// anything to read or to forget.
func (c *counter) bound(t *transcript, fi os.FileInfo) (changed bool) {
	more, same := fi.Size()-t.cursor.Offset, sameFile(t.cursor, fi)
	changed = more != 0 || !same
	if more < 0 || !same {
		more = fi.Size()
	}
	c.full = c.full || more > c.room
	t.end = max(1, fi.Size()-more+min(more, c.room)) // 0 is no bound
	c.room -= min(more, c.room)
	return changed
}

// Grown returns how many bytes the transcripts that Running counts hold beyond the cursors. It
// reads no contents.
func Grown(transcript string, cursors []loop.Cursor, fresh []string) (n int64) {
	if transcript == "" {
		return 0
	}
	for _, s := range sources(transcript, cursors, growing(cursors, fresh)) {
		if fi, err := os.Stat(s.path); err == nil {
			n += max(0, fi.Size()-s.cursor.Offset)
		}
	}
	return n
}

// MainModel returns the model of the last request in the main transcript that the cursors remember,
// or "" if they remember no request. It ignores an advisor's requests.
func MainModel(cursors []loop.Cursor) string {
	for _, c := range cursors {
		if loop.AgentOf(c.Path) != "" {
			continue
		}
		requests, _ := unpack(c.Open)
		for _, r := range slices.Backward(requests) {
			if !strings.Contains(r.ID, " advisor-") {
				return r.Model
			}
		}
	}
	return ""
}

// maxSpenders bounds how many are named as having spent most.
const maxSpenders = 5

// spenders are the threads that spent most, by model, each under the name of its transcript.
func (c *counter) spenders() (all []loop.Spender) {
	for i, s := range c.list {
		name := s.name
		if s.main {
			name = mainThread
		}
		for model, u := range c.apart[i] {
			if u.Dollars > 0 {
				all = append(all, loop.Spender{Who: name, Model: model, Dollars: u.Dollars})
			}
		}
	}
	slices.SortFunc(all, func(a, b loop.Spender) int {
		return cmp.Or(cmp.Compare(b.Dollars, a.Dollars),
			cmp.Compare(a.Who, b.Who), cmp.Compare(a.Model, b.Model))
	})
	return all[:min(len(all), maxSpenders)]
}

const mainThread = "main thread"

// Named is spenders with workers named as people know them: by the client's own notes beside their
// transcripts.
func Named(transcript string, by []loop.Spender) []loop.Spender {
	by = slices.Clone(by)
	for i := range by {
		if by[i].Who == mainThread {
			continue
		}
		note, _ := readNote(agentPath(transcript, by[i].Who))
		about := strings.Trim(note.Get("agentType").String()+": "+
			note.Get("description").String(), ": ")
		by[i].Who = "worker " + loop.AgentOf(by[i].Who)
		if about != "" {
			by[i].Who += " (" + about + ")"
		}
	}
	return by
}

// callTime bounds the wait for the line of a call. The client writes the answer that makes a call
// up to 60 ms after the call's event (measured on 2.1.330).
const callTime = 500 * time.Millisecond

// AwaitCall waits until the answer that makes a call is in the transcript of a thread, so that its
// cost is counted at that call. An empty agent means the main thread.
func AwaitCall(transcript, agent, call string) {
	path := transcript
	if agent != "" {
		path = agentPath(transcript, agentName(agent))
	}
	for end := time.Now().Add(callTime); call != "" && time.Now().Before(end); {
		if bytes.Contains(readTail(path, escTail).data, []byte(call)) {
			return
		}
		time.Sleep(2 * time.Millisecond)
	}
}
