package usage

import (
	"errors"
	"fmt"
	"hash/maphash"
	"io"
	"os"
	"strings"
	"time"

	"hooks/internal/loop"
	"hooks/internal/regular"
)

// Result is what the transcripts say beyond the cursors.
type Result struct {
	// Cursors are where the next Count begins. They replace the ones passed in.
	Cursors []loop.Cursor
	// ByModel is what was spent since, by the model that answered.
	ByModel map[string]loop.Tokens
	// Unknown are the models that have no price of their own (Table.Find), each once, in the order seen.
	Unknown []string
	// Skipped counts lines that could not be read: longer than 8 MiB, no JSON, bad UTF-8, impossible numbers.
	Skipped int
	// Interrupted are the prompt ids of the turns of the main transcript that a person ended; "" where the client's
	// mark names none.
	Interrupted []string
	Answers     []Answer
}

// Count reads what a session's main transcript and its subagents' transcripts hold beyond the cursors. A file without
// a cursor is read from its beginning, a missing file is none. An error names the first file that could not be read;
// the result counts all the others, and the cursor of that file has not moved.
//
// One request counts once, however its lines are spread over calls, as long as no more than seven other requests of
// the main transcript, two of a subagent's, come between two lines of it in different calls (8,192 in one call). A file
// that shrank or was replaced is read anew: of its lines, those not newer than the newest one seen before are taken as
// counted, and lines without a time if they stand before the old offset. So a replaced file is never counted twice,
// and what a backward clock hides in it is lost.
func Count(transcript string, cursors []loop.Cursor, t Table) (Result, error) {
	return newCounter(t).count(transcript, cursors)
}

func (c *counter) count(transcript string, cursors []loop.Cursor) (Result, error) {
	if transcript == "" {
		c.res.Cursors = cursors
		return c.res, nil
	}
	list := sources(transcript, cursors)
	if c.tools {
		c.apart = make([]map[string]loop.Tokens, len(list))
	}
	done, err := c.all(list)
	if c.tools {
		c.by = c.spenders(list)
	}
	c.res.Cursors = merge(done, list, cursors)
	return c.res, err
}

func newCounter(t Table) *counter {
	c := &counter{table: t, rates: map[string]rated{}, owners: map[uint64]int{}, seed: maphash.MakeSeed()}
	c.res.ByModel = map[string]loop.Tokens{}
	return c
}

// all counts every source and returns their new cursors, in the same order.
func (c *counter) all(list []source) (done []loop.Cursor, err error) {
	c.single = len(list) == 1
	for i, s := range list {
		requests, _ := unpack(s.cursor.Open)
		for _, r := range requests {
			c.own(i, r.ID)
		}
	}
	var errs []error
	for i, s := range list {
		cursor, err := c.file(i, s)
		if err != nil {
			errs = append(errs, fmt.Errorf("read transcript: %w", err))
		}
		done = append(done, cursor)
	}
	return done, errors.Join(errs...)
}

// merge puts the main cursor first and keeps the cursors of subagents whose file is gone for the moment.
func merge(done []loop.Cursor, list []source, old []loop.Cursor) []loop.Cursor {
	last := len(done) - 1
	out := append([]loop.Cursor{done[last]}, done[:last]...)
	if !list[last].known {
		return out
	}
	have := map[string]bool{list[last].cursor.Path: true}
	for _, c := range done {
		have[c.Path] = true
	}
	for _, c := range old {
		if !have[c.Path] && strings.HasPrefix(c.Path, "subagents/") {
			out = append(out, c)
		}
	}
	return out
}

// counter is one Count under way.
type counter struct {
	table  Table
	since  time.Time // older lines of transcripts without a cursor do not count; zero is no bound
	res    Result
	lines  lines
	ledger ledger // of the file under count
	rates  map[string]rated
	single bool // there are no subagents, so nothing can stand in two files
	owners map[uint64]int
	called map[string]Call // of the file under count, whose results are to come
	done   []Call          // what Done tells
	tools  bool            // Done asks
	money  bool            // what people and tools did is of no interest
	by     []loop.Spender  // that spent most; nil without tools
	seed   maphash.Seed
	apart  []map[string]loop.Tokens                 // what each source spent, by model; nil where nobody asks
	told   func(at, model string, more loop.Tokens) // what each line adds, at its time as written; nil where nobody asks
}

type rated struct {
	row  Row
	name string
}

// transcript is one file under count.
type transcript struct {
	source
	index  int
	ledger *ledger
	until  string // newest timestamp seen
	floor  string // lines older than this are not counted
	before int64  // lines before this offset that have no time are not counted
}

// file counts one source and returns its new cursor.
func (c *counter) file(index int, s source) (loop.Cursor, error) {
	c.ledger.reset()
	c.called = map[string]Call{}
	t := &transcript{source: s, index: index, ledger: &c.ledger}
	t.cursor.Path = s.name
	requests, until := unpack(s.cursor.Open)
	t.until = until
	for _, r := range requests {
		t.ledger.put(r)
	}
	fi, err := os.Stat(s.path)
	switch {
	case os.IsNotExist(err):
		return t.cursor, nil
	case err != nil:
		return t.cursor, err
	case s.known && fi.Size() == s.cursor.Offset && sameFile(s.cursor, fi):
		return t.rest(fi), nil
	}
	return c.read(t)
}

// sameFile says whether a cursor was made for this very file.
func sameFile(c loop.Cursor, fi os.FileInfo) bool {
	id := inode(fi)
	return c.Inode == 0 || id == 0 || c.Inode == id
}

// rest is the cursor of a file that has not grown.
func (t *transcript) rest(fi os.FileInfo) loop.Cursor {
	cur := t.cursor
	if !t.main && time.Since(fi.ModTime()) > settled {
		cur.Open = nil
	}
	return cur
}

// moved is the cursor behind the last line counted.
func (t *transcript) moved(offset int64, fi os.FileInfo) loop.Cursor {
	n := openAgent
	if t.main {
		n = openMain
	}
	return loop.Cursor{Path: t.name, Offset: offset, Inode: inode(fi), Open: pack(t.ledger.last(n), t.until)}
}

// read goes through the lines beyond the cursor. After an error in the middle the cursor stands behind what was counted.
func (c *counter) read(t *transcript) (loop.Cursor, error) {
	f, fi, err := regular.Open(t.path)
	if err != nil {
		return t.cursor, err
	}
	defer f.Close()
	start, err := c.begin(t, f, fi)
	if err != nil {
		return t.cursor, err
	}
	if _, err := f.Seek(start, io.SeekStart); err != nil {
		return t.cursor, err
	}
	c.lines.reset(t.bounded(f, start), start)
	for {
		line, ok := c.lines.next()
		if !ok {
			break
		}
		c.line(t, line)
	}
	return t.moved(c.lines.offset, fi), c.lines.err
}

// begin decides where to begin, and what of it has been counted before.
func (c *counter) begin(t *transcript, f *os.File, fi os.FileInfo) (int64, error) {
	if !t.known {
		if !c.since.IsZero() {
			t.floor = c.since.UTC().Format("2006-01-02T15:04:05.000Z")
		}
		return 0, nil
	}
	offset := t.cursor.Offset
	if offset <= 0 {
		return 0, nil
	}
	if fi.Size() >= offset && sameFile(t.cursor, fi) {
		if same, err := endsLine(f, offset); same || err != nil {
			return offset, err
		}
	}
	t.before = offset
	if t.until != "" {
		t.floor = t.until + "+" // older than this is what is not newer than until
	}
	return 0, nil
}

// endsLine says whether a line ends right before an offset. Where that cannot be read, the file may still be the same.
func endsLine(f *os.File, offset int64) (bool, error) {
	var b [1]byte
	n, err := f.ReadAt(b[:], offset-1)
	if err == io.EOF {
		err = nil
	}
	return n == 1 && b[0] == '\n', err
}
