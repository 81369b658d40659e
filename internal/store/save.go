package store

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/tidwall/gjson"

	"hooks/internal/codec"
	"hooks/internal/hint"
	"hooks/internal/loop"
	"hooks/internal/seal"
)

// change describes a change to a run's files. Files whose fields are nil stay unchanged.
type change struct {
	line   *loop.Iteration // the history line that closes the iteration
	budget *loop.Budget
	tick   *loop.Tick
	noTick bool // removes the tick

	// set by prepare
	at         place
	draft      *draft // the new budget file
	budgetText []byte
	tickText   []byte
	opens      bool // whether no tick existed before
	history    *historyFile
	lineText   []byte
}

// write makes a change durable in the only safe order: history line, budget, tick, then one sync of
// the folder. After that, the caller may print the reply and release the lock. created is true if
// the history is new. If an error occurs after the line was written, write returns ErrClosed.
//
// The budget is written before the tick, because applying an answer to the budget twice is
// harmless, but an answer that the tick already has is not applied again. A tick that opens an
// iteration is written before the budget that counts it.
//
// The budget path is relative to the project or absolute; an empty path means the default. write
// refuses to replace another run's budget (errOtherRun), a damaged file or a newer one. If a run in
// this state directory is missing from its session's record, write adds it and removes the skill's
// runs from other sessions' records.
func (s *Store) write(skill loop.Skill, path string, c change) (created bool, err error) {
	defer func() {
		if c.draft != nil {
			c.draft.drop() // does nothing once the draft was placed
		}
		if c.history != nil {
			_ = c.history.f.Close()
		}
	}()
	run, isNew, err := s.prepare(skill, path, &c)
	if err != nil {
		return false, err
	}
	tick, closed := seal.Trim(c.tickText), false
	err = s.changeRun(run, func(f *seal.Files) {
		if c.budget != nil {
			if f.Budget, f.Marker = seal.Trim(c.budgetText), ""; !c.at.own {
				f.Marker = c.at.path
			}
		}
		if c.tick != nil || c.noTick {
			f.Tick = tick
		}
		if c.history != nil {
			f.Line, f.History = seal.Trim(c.lineText), c.history.end+int64(len(c.lineText))
		}
	}, func() (err error) {
		if c.history != nil {
			if err := c.history.add(c.lineText); err != nil {
				return fmt.Errorf("append history: %w", err)
			}
			closed = true
		}
		if c.opens {
			err = s.putTick(skill, tick)
		}
		if err == nil && c.budget != nil {
			if err = s.point(c.at); err == nil {
				err = c.draft.place()
			}
			err = wrap("save budget", err)
		}
		if err == nil && !c.opens && (c.tick != nil || c.noTick) {
			err = s.putTick(skill, tick)
		}
		if err == nil && closed && run.Loop != nil {
			_ = s.seals.AppendLine(run.RunID, seal.Trim(c.lineText)) // the record has it too
		}
		return err
	})
	switch {
	case err != nil && closed:
		err = fmt.Errorf("%w but not in the budget: %w", ErrClosed, err)
	case err == nil && isNew:
		err = s.giveUp(c.budget)
	}
	return closed && c.history.isNew, err
}

// prepare encodes the files of a change. It returns the run's entry in the record; its Loop is nil
// if the run has no record. isNew is true if prepare added the entry.
//
// The new budget is written and synced under a temporary name at the same time as the history line,
// because syncing two files at once takes hardly longer than syncing one.
func (s *Store) prepare(
	skill loop.Skill, path string, c *change,
) (run sealed, isNew bool, err error) {
	var before *loop.Budget
	if b := c.budget; b != nil {
		if err = s.keepFindings(b); err == nil {
			c.at, before, c.budgetText, err = s.budgetText(path, b)
		}
		if err == nil {
			c.draft, err = c.at.disk.begin(c.at.name, c.budgetText)
		}
		if err != nil {
			return run, false, wrap("save budget", err)
		}
	}
	if c.line != nil {
		if c.at.disk.fail == nil { // tests need a fixed order of operations
			go c.draft.wait()
		}
		if c.lineText, err = s.lineOf(c.line, before); err == nil {
			c.history, err = s.openForLine(c.line)
		}
		if err != nil {
			return run, false, fmt.Errorf("append history: %w", err)
		}
	}
	session, name := "", tickName.of(skill)
	old, err := s.disk.read(name)
	if c.opens = old == nil && c.tick != nil; c.tick != nil {
		own := *c.tick
		own.Version, session = loop.Version, own.SessionID
		if err == nil {
			c.tickText, err = fileText(&s.disk, name, &tickFormat, own, old)
		}
		if err != nil {
			return run, false, wrap("save tick", err)
		}
	} else {
		session = gjson.GetBytes(old, "session_id").String()
	}
	if c.budget != nil {
		return s.recordOf(c.budget, path, c.line != nil)
	}
	r, err := s.own(s.seals.Find(session))
	return sealed{r.Loop(string(skill)), r}, false, err
}

// recordOf returns a run's entry in its session's record. If there is none, it adds one, in a new
// record if necessary, and isNew is true. A run not recorded in this state directory has no entry.
func (s *Store) recordOf(
	b *loop.Budget, path string, closes bool,
) (run sealed, isNew bool, err error) {
	if b.SealedIn == "" || b.SealedIn != s.seals.Path() {
		return run, false, nil
	}
	r, err := s.seals.Find(b.SessionID)
	if err != nil {
		return run, false, wrap("save budget", err)
	}
	if r == nil || !r.Adopt(s.project) {
		if r.Runs() {
			if _, err := os.Stat(r.Project); !errors.Is(err, os.ErrNotExist) {
				return run, false, hint.New("end that loop first, with `hooks loop stop` there",
					"save budget: session %s already has a loop in %s", b.SessionID, r.Project)
			}
		}
		r = &seal.Record{Session: b.SessionID, Project: s.project}
	}
	run = sealed{r.Loop(string(b.Skill)), r}
	if isNew = run.Loop == nil || run.RunID != b.RunID; isNew {
		run = s.seal(r, b, path)
	}
	if b.Status == loop.Active || isNew && closes { // a run may end in its first iteration
		run.On, run.Quiet = true, ""
	}
	return run, isNew, nil
}

// putTick writes text to the tick file, or removes the file if text is empty.
func (s *Store) putTick(skill loop.Skill, text string) error {
	name := tickName.of(skill)
	if text != "" {
		return wrap("save tick", s.disk.replace(name, []byte(text+"\n")))
	}
	// passes used in this iteration do not count as used in the next one
	_ = s.disk.root.Remove(usedName.of(skill))
	return wrap("remove tick", s.disk.remove(name))
}

// budgetText returns the budget file's place, its old budget (nil if missing) and its new contents.
func (s *Store) budgetText(
	path string, b *loop.Budget,
) (at place, old *loop.Budget, text []byte, err error) {
	at, err = s.place(b.Skill, path)
	var body []byte
	if err == nil {
		body, err = at.disk.read(at.name)
	}
	if err == nil && body != nil {
		old, err = decodeBudget(at.disk.path(at.name), b.Skill, body)
	}
	if old != nil && old.RunID != "" && old.RunID != b.RunID {
		err = fmt.Errorf("%w: %s in %s", errOtherRun, old.RunID, at.disk.path(at.name))
	}
	if err == nil {
		text, err = budgetFile(at, b, body)
	}
	return at, old, text, err
}

// budgetFile encodes a budget and adds the unknown fields from the old file contents.
func budgetFile(at place, b *loop.Budget, old []byte) ([]byte, error) {
	own := *b
	if own.Version = loop.Version; own.Own != nil {
		own.Own = own.Own.Stored()
	}
	return fileText(at.disk, at.name, &budgetFormat, own, old)
}

func (s *Store) putBudget(at place, text []byte) error {
	if err := s.point(at); err != nil {
		return err
	}
	return at.disk.replace(at.name, text)
}

// fileText encodes v and adds the unknown fields from old, the old contents of the file (nil if
// missing). It returns an error if old is damaged or newer, or if the result could not be read
// back.
func fileText(d *disk, name string, f *format, v any, old []byte) ([]byte, error) {
	if strings.HasPrefix(name, ".") {
		return nil, errors.New("the state names no skill")
	}
	body, err := codec.Encode(v)
	if err == nil && old != nil {
		err = f.check(d.path(name), old)
	}
	if err != nil {
		return nil, err
	}
	body = keep(body, old, f)
	if err := f.check(d.path(name), body); err != nil {
		return nil, fmt.Errorf("refusing to write it: %w", err)
	}
	var out bytes.Buffer
	if err := json.Indent(&out, body, "", "  "); err != nil {
		return nil, err
	}
	out.WriteByte('\n')
	if out.Len() > maxState {
		return nil, hint.New("split the list of tasks, or the plan, into smaller files",
			"%s would be %d bytes, over 1 MiB", d.path(name), out.Len())
	}
	return out.Bytes(), nil
}

// keep appends the unknown top-level fields of old to the object in body. The caller must have
// checked old. keep copies keys and values verbatim, because an unknown key could contain
// characters with a special meaning in a gjson path.
func keep(body, old []byte, f *format) []byte {
	if old == nil {
		return body
	}
	known, next := codec.Fields(f.of), 0
	body = bytes.TrimSuffix(body, []byte("}"))
	gjson.ParseBytes(old).ForEach(func(key, value gjson.Result) bool {
		if at := codec.Position(known, key.String(), next); at >= 0 {
			next = at + 1
			return true
		}
		body = append(append(append(body, ','), key.Raw...), ':')
		body = append(body, value.Raw...)
		return true
	})
	return append(body, '}')
}
