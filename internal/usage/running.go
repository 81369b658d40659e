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

// maxRunning bounds how much one look at a running iteration reads, in bytes. It is more than the
// longest line.
const maxRunning = 2 * maxLine

// Look is the usage in the transcripts beyond the cursors of a running iteration.
type Look struct {
	Dollars loop.USD
	Cursors []loop.Cursor // of the transcripts that have grown
	Read    int64         // bytes
}

// Running counts new usage while an iteration runs, at most 16 MiB of transcripts; the next call
// continues from there. Of the subagents, it counts those with a cursor and fresh ones. If no file
// has grown, it reads nothing and does not call rates. It skips files that cannot be read; the
// error names them.
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
		if l.Read += now.Offset; now.Offset >= before.Offset { // else the file was replaced
			l.Read -= before.Offset
		}
	}
	return l
}

// bound limits how much of a source is read to the bytes left, and reports whether the file
// changed.
func (c *counter) bound(t *transcript, fi os.FileInfo) (changed bool) {
	more, same := fi.Size()-t.cursor.Offset, sameFile(t.cursor, fi)
	changed = more != 0 || !same
	if more < 0 || !same {
		more = fi.Size()
	}
	c.full = c.full || more > c.room
	t.end = max(1, fi.Size()-more+min(more, c.room)) // 0 would mean no limit
	c.room -= min(more, c.room)
	return changed
}

// Grown returns the number of bytes beyond the cursors in the transcripts that Running counts. It
// does not read the files.
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
// or "" if there is none. It ignores requests of advisors.
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

// maxSpenders bounds the list of the largest spenders.
const maxSpenders = 5

// spenders returns the largest spenders by thread and model. A thread is named by its transcript.
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

// Named returns a copy of by with readable names for workers, from the client's notes beside their
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

// callTime bounds the wait for the line of a call. The client writes the message that makes a call
// up to 60 ms after the call's event (measured on 2.1.330).
const callTime = 500 * time.Millisecond

// AwaitCall waits until the message that makes a call is in the thread's transcript, so that its
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
