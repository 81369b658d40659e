// Package usage turns a session's transcripts into tokens and dollars. It also finds facts in them
// that no hook event reports: interruptions, answers, the beginnings of prompts.
//
// A transcript only grows, so a count begins at the end of the last one: its cost depends on the
// new bytes, not on the file size. Memory is constant. Most lines are only searched; a line that
// may matter is parsed, and its top-level type decides, because `api-request` lines contain copies
// of everything.
//
// One request has several lines and is counted once, by message id and request id, with the
// greatest number of each kind (CONTRACT). Its advisors count as requests of their own; lines
// copied by a fork of a session do not count. Money is in whole pico-dollars, so sums are exact
// (R58, R59). Requests that the client makes outside of the conversation, for example to compact
// it, have no lines and are not counted.
package usage

import (
	"bytes"
	"errors"
	"fmt"
	"hash/maphash"
	"io"
	"os"
	"slices"
	"strings"
	"time"

	"hooks/internal/loop"
	"hooks/internal/safefile"
)

// Result holds the contents of the transcripts beyond the cursors.
type Result struct {
	// Cursors holds the positions at which the next Count begins; merge them into the cursors
	// passed in. The main transcript's comes first, followed by those of subagents that moved or
	// have requests open.
	Cursors []loop.Cursor
	// ByModel holds the usage since the cursors, by the model that answered.
	ByModel map[string]loop.Tokens
	// Unknown lists the models without a price of their own (Table.Find), each once, in the order
	// seen.
	Unknown []string
	// Skipped counts unreadable lines: over 8 MiB, invalid JSON or UTF-8, impossible numbers.
	Skipped int
	// Interrupted lists the prompt ids of turns in the main transcript that a person interrupted.
	// An id is "" if the client's mark has none.
	Interrupted []string
	// InterruptedAgents lists the same for subagents' turns, the only trace of Esc in a forked
	// tick.
	InterruptedAgents []string
	Answers           []Answer
}

// Marked reports whether a person interrupted a turn of one of these prompts. A mark without a
// prompt id counts for every prompt. forked also accepts a mark in a subagent's transcript, the
// only place where a forked tick's mark is written.
func (r *Result) Marked(prompts []string, forked bool) bool {
	marks := r.Interrupted
	if forked {
		marks = slices.Concat(marks, r.InterruptedAgents)
	}
	return slices.ContainsFunc(marks, func(prompt string) bool {
		return prompt == "" || slices.Contains(prompts, prompt)
	})
}

// Count reads a session's main transcript and its subagents' transcripts beyond the cursors. It
// reads a file without a cursor from the beginning; a missing file is not an error. An error names
// the files that could not be read. The result then counts the others, and the cursors of those
// files do not move.
//
// One request counts once even if its lines are spread over several calls, as long as at most seven
// other requests of the main transcript, or two of a subagent's, come between two of its lines in
// different calls (8,192 in one call). A file that shrank or was replaced is read again from the
// beginning. Its lines count only if they are newer than the newest one seen before or, without a
// time, if they are beyond the old offset. So a replaced file is never counted twice, but lines
// with a clock that was set back are lost.
func Count(transcript string, cursors []loop.Cursor, t Table) (Result, error) {
	return newCounter(t).count(transcript, cursors, agents(transcript))
}

// Main counts the main transcript alone, for the actions of a person in it.
func Main(transcript string, cursors []loop.Cursor) (Result, error) {
	c := newCounter(NewTable(nil))
	_, err := c.all(sources(transcript, cursors, nil))
	return c.res, err
}

// counter is the state of one Count.
type counter struct {
	table  func() Table
	tools  bool  // record tool calls
	money  bool  // count money only; room and full apply
	room   int64 // bytes that may still be read
	full   bool  // more could have been read
	list   []source
	res    Result
	apart  []map[string]loop.Tokens // spending of each source, by model
	lines  lines
	ledger ledger // of the current file
	rates  map[string]rated
	owners map[uint64]int
	seed   maphash.Seed
	called map[string]Call // of the current file, without a result yet
	done   []Call
	// added, if not nil, is called with the usage that each line adds and the time written in it.
	added func(at, model string, more loop.Tokens)
}

type rated struct {
	row  Row
	name string
}

func newCounter(t Table) *counter {
	return &counter{
		table: func() Table { return t }, rates: map[string]rated{}, called: map[string]Call{},
		owners: map[uint64]int{}, seed: maphash.MakeSeed(),
	}
}

// count counts the main transcript and the named subagents' transcripts.
func (c *counter) count(
	transcript string, cursors []loop.Cursor, names []string,
) (Result, error) {
	if transcript == "" {
		return Result{ByModel: map[string]loop.Tokens{}}, nil
	}
	done, err := c.all(sources(transcript, cursors, names))
	c.res.Cursors = c.moved(done)
	return c.res, err
}

// all counts every source and returns their new cursors, in the same order.
func (c *counter) all(list []source) (done []loop.Cursor, err error) {
	c.list, c.apart = list, make([]map[string]loop.Tokens, len(list))
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
	c.res.ByModel = map[string]loop.Tokens{}
	for _, spent := range c.apart {
		for model, n := range spent {
			c.res.ByModel[model] = c.res.ByModel[model].Add(n)
		}
	}
	return done, errors.Join(errs...)
}

// moved returns the main cursor followed by the others that changed or may still change.
func (c *counter) moved(done []loop.Cursor) []loop.Cursor {
	last := len(done) - 1
	out := done[last:]
	for i, now := range done[:last] {
		before := c.list[i].cursor
		if now.Offset != before.Offset || now.Inode != before.Inode || before.Open != nil {
			out = append(out, now)
		}
	}
	return out
}

// transcript is one file being counted.
type transcript struct {
	source
	index  int
	until  string // newest timestamp seen
	floor  string // older lines are not counted
	before int64  // lines before this offset that have no time are not counted
}

// file counts one source and returns its new cursor. After an error in the middle of the file, the
// cursor may be behind what was counted.
func (c *counter) file(index int, s source) (loop.Cursor, error) {
	defer c.ledger.end(0)
	clear(c.called)
	t := &transcript{source: s, index: index}
	t.cursor.Path = s.name
	requests, until := unpack(s.cursor.Open)
	t.until = until
	for _, r := range requests {
		c.ledger.put(r)
	}
	fi, err := os.Stat(s.path)
	switch {
	case os.IsNotExist(err):
		return t.cursor, nil
	case err != nil:
		return t.cursor, err
	case s.known && fi.Size() == s.cursor.Offset && sameFile(s.cursor, fi):
		if !t.main && time.Since(fi.ModTime()) > settled {
			t.cursor.Open = nil
		}
		return t.cursor, nil
	case c.money && !c.bound(t, fi):
		return t.cursor, nil
	}
	f, fi, err := safefile.Open(t.path)
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
	var src io.Reader = f
	if t.end > 0 {
		src = io.LimitReader(f, t.end-start)
	}
	c.lines.reset(src, start)
	for line, ok := c.lines.next(); ok; line, ok = c.lines.next() {
		c.line(t, line)
	}
	n := openAgent
	if t.main {
		n = openMain
	}
	cursor := loop.Cursor{Path: t.name, Offset: c.lines.offset,
		Open: pack(c.ledger.end(n), t.until)}
	_, cursor.Inode = safefile.ID(fi)
	return cursor, c.lines.err
}

// sameFile reports whether a cursor belongs to this very file. It returns true on a system without
// inode numbers, where begin recognizes a replaced file by its size and by the byte before the
// cursor.
func sameFile(c loop.Cursor, fi os.FileInfo) bool {
	_, id := safefile.ID(fi)
	return c.Inode == 0 || id == 0 || c.Inode == id
}

// begin returns the offset to read from, and notes in t how much after it was counted before.
func (c *counter) begin(t *transcript, f *os.File, fi os.FileInfo) (int64, error) {
	offset := t.cursor.Offset
	switch {
	case !t.known || offset <= 0:
		return 0, nil
	case fi.Size() >= offset && sameFile(t.cursor, fi):
		var b [1]byte
		_, err := f.ReadAt(b[:], offset-1)
		if b[0] == '\n' || err != nil && err != io.EOF {
			return offset, err
		}
	}
	t.before = offset
	if t.until != "" {
		t.floor = t.until + "+" // lines up to until are below it
	}
	return 0, nil
}

// line counts one line. A nil line was too long to read.
func (c *counter) line(t *transcript, line []byte) {
	line = bytes.TrimSuffix(line, []byte("\r"))
	if line != nil && len(line) == 0 {
		return
	}
	if len(line) < 2 || line[0] != '{' || line[len(line)-1] != '}' {
		c.res.Skipped++
		return
	}
	if c.money && headType(line) == "user" || !t.matters(line) && !c.awaited(line) {
		return
	}
	parse := read
	if c.money { // an estimate, replaced by the count at the end
		parse = fields
	}
	r, ok := parse(line)
	if !ok {
		c.res.Skipped++
		return
	}
	if t.counted(r, c.lines.offset) || r.copied {
		return
	}
	switch r.kind {
	case "assistant":
		c.calls(r)
		c.assistant(t, r)
	case "user":
		c.returned(r)
		c.user(t, r)
	}
}

// matters reports whether a line may hold usage or an action of a person, without parsing it.
func (t *transcript) matters(line []byte) bool {
	kind, text := headType(line), view(line)
	if (kind == "assistant" || kind == "") && strings.Contains(text, usageMark) {
		return true
	}
	return (kind == "user" || kind == "") &&
		(strings.Contains(text, interruptMark) || t.main && strings.Contains(text, answersMark))
}

// counted reports whether a line was counted before the cursor, and updates the newest time.
func (t *transcript) counted(r record, end int64) bool {
	old := t.floor != "" && r.at != "" && r.at < t.floor
	blind := t.before > 0 && (r.at == "" || t.floor == "") && end <= t.before
	if r.at > t.until {
		t.until = strings.Clone(r.at)
	}
	return old || blind
}

// user records the actions of a person. Answers count in the main transcript only.
func (c *counter) user(t *transcript, r record) {
	switch {
	case !t.main && r.interrupted():
		c.res.InterruptedAgents = append(c.res.InterruptedAgents, strings.Clone(r.prompt))
		return
	case !t.main || r.sidechain:
		return
	}
	if r.interrupted() {
		c.res.Interrupted = append(c.res.Interrupted, strings.Clone(r.prompt))
	}
	if r.result.Get("answers").IsObject() {
		c.res.Answers = append(c.res.Answers, Answer{r.toolUse(), kept(r.result)})
		c.res.Answers = c.res.Answers[max(0, len(c.res.Answers)-maxAnswers):]
	}
}
