// Package usage counts tokens and dollars from a session's transcripts. It also finds events in
// them that no hook reports, such as interruptions, answers and the starts of prompts.
//
// A transcript only grows, so a count begins where the last one ended. Its cost depends on the new
// bytes, not on the file size. Most lines are only searched. A line that may matter is parsed and
// judged by its top-level type, because `api-request` lines contain copies of other lines.
//
// A request may span several lines. It is counted once, by message id and request id, with the
// largest number of each kind (CONTRACT). Its advisors count as separate requests; lines copied by
// a session fork do not count. Money is in whole pico-dollars, so sums are exact (R58, R59).
// Requests that the client makes outside the conversation, for example to compact it, have no lines
// and are not counted.
package usage

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"os"
	"slices"
	"strings"

	"hooks/internal/english"
	"hooks/internal/loop"
	"hooks/internal/safefile"
)

// Result holds the usage and the events in the transcripts beyond the cursors.
type Result struct {
	// Spent is the usage. The next Count begins at its cursors; merge them into those passed in.
	loop.Spent
	Notes []string // one line for each part of the usage that is uncertain or not counted
	marks []Moment // interruptions by a person; the prompt is "" if the client's mark has none
	// sources lists the counted transcripts, for Spenders.
	sources []*source
	// Answers lists the results of dialogs in the main transcript. The caller decides which are a
	// person's decisions.
	Answers []Moment
	// Calls lists the finished calls whose results contain the URL of a pull or merge request or a
	// sign that qmd was unreachable, in the order of their results, file by file. It omits calls
	// that a hook or a person refused.
	Calls []Moment
}

// Marked reports whether a person interrupted the turn of one of these prompts. A mark without a
// prompt id counts for every prompt. If forked is true, a mark in a subagent's transcript counts
// too, because the client writes the mark of a forked tick only there.
func (r *Result) Marked(prompts []string, forked bool) bool {
	return slices.ContainsFunc(r.marks, func(m Moment) bool {
		return (m.Agent == "" || forked) &&
			(m.Prompt == "" || slices.Contains(prompts, m.Prompt))
	})
}

// Count reads a session's main transcript and its subagents' transcripts beyond the cursors. It
// reads a file without a cursor from the beginning; a missing file is not an error. If files cannot
// be read, the error names them, and the result holds a note but no usage.
//
// A request counts once even if its lines are spread over several calls, as long as at most six
// other requests in the main transcript, or one in a subagent's, come between two of its lines in
// different calls. Count rereads a file that shrank or was replaced from the beginning. Then a line
// counts only if it is newer than all lines seen before or, if it has no time, if it is beyond the
// old offset. So a replaced file is never counted twice, but lines written after the clock was set
// back are lost.
func Count(transcript string, cursors []loop.Cursor, t Table) (Result, error) {
	c, err := count(transcript, cursors, agents(transcript), t, nil)
	if err != nil {
		c.res.Spent = loop.Spent{Source: t.Source}
		c.res.Notes = []string{fmt.Sprintf("Usage could not be counted: %v", err)}
		return c.res, err
	}
	c.res.sources = c.list
	return c.res, nil
}

// Main counts only the main transcript, to find a person's actions in it.
func Main(transcript string, cursors []loop.Cursor) (Result, error) {
	c, err := count(transcript, cursors, nil, NewTable(nil), nil)
	return c.res, err
}

// counter is the state of one Count.
type counter struct {
	table    Table
	list     []*source
	res      Result
	requests map[string]*tally // requests by id
	rates    map[string]Row
	called   map[string]Moment // unfinished calls of the current file by id
	record   record            // current line
	// added, if not nil, is called with the usage that each line adds and the line's timestamp.
	added func(at, model string, more loop.Tokens)
}

// count counts the main transcript and the named subagents' transcripts. An error names the files
// that could not be read to the end; the other files are counted in full.
func count(
	transcript string, cursors []loop.Cursor, names []string, t Table,
	added func(at, model string, more loop.Tokens),
) (*counter, error) {
	c := &counter{
		table: t, requests: map[string]*tally{}, rates: map[string]Row{},
		called: map[string]Moment{}, record: record{}, added: added,
		res: Result{Spent: loop.Spent{ByModel: map[string]loop.Tokens{}, Source: t.Source}},
	}
	if transcript == "" {
		return c, nil
	}
	c.open(transcript, cursors, names)
	var errs []error
	for _, s := range c.list {
		if err := c.file(s); err != nil {
			errs = append(errs, fmt.Errorf("read transcript: %w", err))
		}
	}
	main := len(c.list) - 1
	c.res.Cursors = []loop.Cursor{c.list[main].cursor}
	for _, s := range c.list[:main] {
		if s.moved() {
			c.res.Cursors = append(c.res.Cursors, s.cursor)
		}
	}
	if c.res.Skipped > 0 {
		c.res.Notes = append(c.res.Notes, english.Plural(c.res.Skipped, "line")+" of the "+
			"transcripts could not be read; the true usage may be higher")
	}
	return c, errors.Join(errs...)
}

// file counts one source and moves its cursor. If reading fails in the middle of the file, the
// cursor is after the last counted line.
func (c *counter) file(s *source) error {
	clear(c.called)
	fi, err := os.Stat(s.path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil:
		return err
	case s.known && fi.Size() == s.cursor.Offset:
		return nil
	}
	f, fi, err := safefile.Open(s.path)
	if err != nil {
		return err
	}
	defer f.Close()
	start, err := s.begin(f, fi)
	if err != nil {
		return err
	}
	src := io.NewSectionReader(f, start, math.MaxInt64-start)
	end, err := eachLine(src, start, func(line []byte, at int64) bool {
		c.line(s, line, at)
		return true
	})
	s.cursor = loop.Cursor{Path: s.name, Offset: end, Open: s.opened()}
	return err
}

// begin returns the offset to read from. It also records in s which lines after that offset were
// counted before. It recognizes a replaced file by its size and by the byte before the cursor.
func (s *source) begin(f *os.File, fi os.FileInfo) (int64, error) {
	offset := s.cursor.Offset
	if !s.known || offset <= 0 {
		return 0, nil
	}
	if fi.Size() >= offset {
		var b [1]byte
		_, err := f.ReadAt(b[:], offset-1)
		if b[0] == '\n' || err != nil && err != io.EOF {
			return offset, err
		}
	}
	s.before, s.floor = offset, s.until
	return 0, nil
}

// line counts the line at an offset. line is nil if it was too long to read.
func (c *counter) line(s *source, line []byte, at int64) {
	line = bytes.TrimSuffix(line, []byte("\r"))
	if line != nil && len(line) == 0 {
		return
	}
	if len(line) < 2 || line[0] != '{' || line[len(line)-1] != '}' {
		c.res.Skipped++
		return
	}
	if !c.matters(s, line) {
		return
	}
	r := c.record
	if !r.read(line) {
		c.res.Skipped++
		return
	}
	copied := r.text("requestSessionId") != "" // another session made the request
	if s.counted(r.at(), at) || copied {
		return
	}
	if r.text("type") == "assistant" {
		c.assistant(s, r)
	}
	if !s.main || !r.is("isSidechain") {
		for m := range r.moments {
			c.take(s, m)
		}
	}
}

// signs are strings found in the results of relevant calls: parts of pull or merge request URLs,
// and messages of commands that could not reach qmd (R53).
var signs = [...]string{"/pull", "/merge_requests/", "qmd-unreachable", "Exit code 78"}

// matters reports whether a line may hold usage, a person's action or the result of a call. It does
// not parse the line. A damaged line may have no type.
func (c *counter) matters(s *source, line []byte) bool {
	kind, text := kindOf(line), view(line)
	switch {
	case kind != "user" && strings.Contains(text, usageMark):
		return kind == "assistant" || kind == ""
	case kind == "user":
		has := func(mark string) bool { return strings.Contains(text, mark) }
		return has(interruptMark) || s.main && has(answersMark) ||
			len(c.called) > 0 && slices.ContainsFunc(signs[:], has)
	}
	return false
}

// counted reports whether a previous Count covered the line with this time and offset, and updates
// the newest time.
func (s *source) counted(time string, at int64) bool {
	if time > s.until {
		s.until = strings.Clone(time)
	}
	if time == "" || s.floor == "" {
		return at < s.before
	}
	return time <= s.floor
}

// take records facts from a moment in case no hook event reported them.
func (c *counter) take(s *source, m Moment) {
	switch m.Kind {
	case Called:
		shells := m.Tool == "Bash" || m.Tool == "PowerShell" || m.Tool == "Monitor"
		if !shells && !strings.HasPrefix(m.Tool, "mcp__") { // the tool cannot reach a forge
			return
		}
		call := m.Clone()
		c.called[call.ID] = call
	case Returned:
		call, known := c.called[m.ID]
		if known && (m.Response.Exists() || strings.HasPrefix(m.Error, "Exit code ")) {
			m = m.Clone()
			call.Response, call.Error = m.Response, m.Error
			c.res.Calls = append(c.res.Calls, call)
		}
		if s.main && m.Response.Get("answers").IsObject() {
			c.res.Answers = append(c.res.Answers, m.Clone())
		}
	case Interrupted:
		m.Agent = loop.AgentOf(s.name)
		c.res.marks = append(c.res.marks, m.Clone())
	}
}
