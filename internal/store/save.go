package store

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/tidwall/gjson"

	"hooks/internal/codec"
	"hooks/internal/hint"
	"hooks/internal/loop"
	"hooks/internal/seal"
)

// saveBudget writes the budget to path, which is relative to the project or absolute; an empty path
// means the default. It refuses to replace another run's budget (errOtherRun), a damaged file or a
// newer one. If the run has no record in its session, saveBudget creates one and removes the run
// from any other session's record.
func (s *Store) saveBudget(path string, b *loop.Budget) (err error) {
	defer func() { err = wrap("save budget", err) }()
	if err := s.keepFindings(b); err != nil {
		return err
	}
	at, _, text, err := s.budgetText(path, b)
	if err != nil {
		return err
	}
	draft, err := at.disk.begin(at.name, text)
	if err != nil {
		return err
	}
	defer draft.drop()
	put := func() error { return s.inPlace(at, draft.place) }
	if !s.records(b) {
		return errors.Join(put(), s.settle())
	}
	r, err := s.recordFor(b.SessionID)
	if err != nil {
		return err
	}
	l := r.Loop(string(b.Skill))
	isNew := l == nil || l.RunID != b.RunID
	if isNew {
		l = s.seal(r, b, path).Loop
	}
	if b.Status == loop.Active {
		l.On, l.Quiet = true, ""
	}
	after := func(f *seal.Files) {
		f.Budget, f.Marker = seal.Trim(text), ""
		if !at.own {
			f.Marker = path
		}
	}
	err = s.changeRun(sealed{l, r}, after, put)
	if err == nil && isNew {
		err = s.giveUp(b, path)
	}
	return err
}

// records reports whether the changes of a run are recorded in this state directory.
func (s *Store) records(b *loop.Budget) bool {
	return b.SealedIn != "" && b.SealedIn == s.seals.Path()
}

// budgetText returns the place of the budget, the budget that is there, if any, and the new text.
func (s *Store) budgetText(
	path string, b *loop.Budget,
) (at place, old *loop.Budget, text []byte, err error) {
	at, err = s.place(b.Skill, path)
	var body []byte
	if err == nil {
		body, err = at.disk.read(at.name)
	}
	if err == nil && body != nil {
		old, err = decodeBudget(at.shown(), b.Skill, body)
	}
	if old != nil && old.RunID != "" && old.RunID != b.RunID {
		err = fmt.Errorf("%w: %s in %s", errOtherRun, old.RunID, at.shown())
	}
	if err == nil {
		text, err = budgetFile(at, b, body)
	}
	return at, old, text, err
}

// budgetFile returns the text of a budget with the unknown fields of the old text.
func budgetFile(at place, b *loop.Budget, old []byte) ([]byte, error) {
	own := *b
	if own.Version = loop.Version; own.Own != nil {
		own.Own = own.Own.Stored()
	}
	return fileText(at.disk, at.name, &budgetFormat, own, old)
}

// putBudget writes a budget's text to its place.
func (s *Store) putBudget(at place, text []byte) error {
	return s.inPlace(at, func() error { return at.disk.replace(at.name, text) })
}

// inPlace writes a budget with put and updates the pointer to it. The pointer to a file outside of
// the state is written first: a pointer without a budget means no run, but a budget without a
// pointer would be lost.
func (s *Store) inPlace(at place, put func() error) error {
	if !at.own {
		if err := s.point(at); err != nil {
			return err
		}
	}
	if err := put(); err != nil || !at.own {
		return err
	}
	return s.point(at)
}

// saveTick writes the open iteration.
func (s *Store) saveTick(t *loop.Tick) error {
	name, own := tickName.of(t.Skill), *t
	own.Version = loop.Version
	text, err := s.textOver(name, &tickFormat, own)
	if err == nil {
		after := func(f *seal.Files) { f.Tick = seal.Trim(text) }
		err = s.change(t.Skill, t.SessionID, after, func() error {
			return s.disk.replace(name, text)
		})
	}
	return wrap("save tick", err)
}

// saveClaim records that a session is waiting for a held lock.
func (s *Store) saveClaim(c *loop.Claim) error {
	name, own := claimName.of(c.Skill), *c
	own.Version = loop.Version
	text, err := s.textOver(name, &claimFormat, own)
	if err == nil {
		err = errors.Join(s.disk.replace(name, text), s.settle())
	}
	return wrap("save claim", err)
}

// dropTick ends the open iteration without a history line.
func (s *Store) dropTick(skill loop.Skill) error {
	body, _ := s.disk.read(tickName.of(skill))
	session := gjson.GetBytes(body, "session_id").String()
	after := func(f *seal.Files) { f.Tick = "" }
	return s.change(skill, session, after, func() error { return s.removeTick(skill) })
}

func (s *Store) removeTick(skill loop.Skill) error {
	// passes used in this iteration do not count in the next one
	_ = s.disk.root.Remove(usedName.of(skill))
	return wrap("remove tick", s.disk.remove(tickName.of(skill)))
}

// commit ends an iteration in the one safe order: history line, budget, removal of the tick, one
// sync of the folder. After it the reply may be printed and the lock released. created reports that
// the history is new. An error after the line was written is ErrClosed.
//
// The new budget is written and synced under a temporary name at the same time as the line, because
// a disk syncs two files in hardly more time than one.
func (s *Store) commit(
	it *loop.Iteration, budgetPath string, b *loop.Budget,
) (created bool, err error) {
	if err := s.keepFindings(b); err != nil {
		return false, fmt.Errorf("append history: %w", err)
	}
	it.Budget.KindRun = b.KindRun
	at, old, text, err := s.budgetText(budgetPath, b)
	if err != nil {
		return false, wrap("save budget", err)
	}
	draft, err := at.disk.begin(at.name, text)
	if err != nil {
		return false, wrap("save budget", err)
	}
	defer draft.drop()
	if at.disk.fail == nil { // a test makes operations fail in their order
		go draft.wait()
	}
	line, err := s.lineOf(it, old)
	var h *historyFile
	if err == nil {
		h, err = s.openForLine(it)
	}
	if err != nil {
		return false, fmt.Errorf("append history: %w", err)
	}
	defer h.f.Close()
	after := func(f *seal.Files) {
		f.Budget, f.Tick = seal.Trim(text), ""
		f.Line, f.History = seal.Trim(line), h.end+int64(len(line))
	}
	closed := false
	err = s.change(it.Skill, b.SessionID, after, func() error {
		if err := h.add(line); err != nil {
			return fmt.Errorf("append history: %w", err)
		}
		closed = true
		err := wrap("save budget", s.inPlace(at, draft.place))
		if err == nil {
			err = s.removeTick(it.Skill)
		}
		if err == nil && s.records(b) {
			_ = s.seals.AppendLine(b.RunID, seal.Trim(line)) // the record also holds the last line
		}
		return err
	})
	if err != nil && closed {
		err = fmt.Errorf("%w, not in the budget: %w", ErrClosed, err)
	}
	return closed && h.isNew, err
}

// textOver returns the encoded v that will replace a file. It returns an error if that file is
// damaged or newer.
func (s *Store) textOver(name string, f *format, v any) ([]byte, error) {
	old, err := s.disk.read(name)
	if err == nil && old != nil {
		err = f.check(s.disk.path(name), old)
	}
	if err != nil {
		return nil, err
	}
	return fileText(&s.disk, name, f, v, nil)
}

// fileText returns the text of v with the unknown fields of the old text. It returns an error if
// the result could not be read again.
func fileText(d *disk, name string, f *format, v any, old []byte) ([]byte, error) {
	if strings.HasPrefix(name, ".") {
		return nil, errors.New("the state names no skill")
	}
	body, err := codec.Encode(v)
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

// keep appends the unknown top-level fields of an old, checked text to the object in body. It
// copies keys and values as raw text, because an unknown key may have a special meaning in a path
// expression.
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
