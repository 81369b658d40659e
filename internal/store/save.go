package store

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"reflect"
	"slices"
	"strings"

	"github.com/tidwall/gjson"

	"hooks/internal/loop"
	"hooks/internal/seal"
)

// SaveBudget writes the budget to path, relative to the project or absolute; empty means the default. It refuses to
// replace another run's budget (errOtherRun), a damaged file and a newer one.
func (s *Store) SaveBudget(path string, b *loop.Budget) error {
	at, text, err := s.budgetText(path, b)
	if err == nil {
		err = s.changeBudget(path, b, text, func() error {
			err := s.inPlace(at, path, b.Skill, func() error {
				return at.disk.replace(at.name, text)
			})
			return errors.Join(err, s.settle())
		})
	}
	if err != nil {
		return fmt.Errorf("save budget: %w", err)
	}
	return nil
}

// budgetText is what SaveBudget writes and where, or why it does not.
func (s *Store) budgetText(path string, b *loop.Budget) (at place, text []byte, err error) {
	if at, err = s.place(b.Skill, path); errors.Is(err, os.ErrNotExist) && s.makeFolder(path) {
		at, err = s.place(b.Skill, path)
	}
	if err != nil {
		return at, nil, err
	}
	old, err := s.oldBudget(at, b)
	if err != nil {
		return at, nil, err
	}
	text, err = written(at.disk, at.name, &budgetFormat, wholeBudget(*b), old)
	return at, text, err
}

// inPlace puts a budget in its place and keeps the pointer to it right. The pointer comes first: pointing at nothing is a
// run that has not begun, the other way it could not be found.
func (s *Store) inPlace(at place, path string, skill loop.Skill, put func() error) error {
	if !at.own {
		if err := s.point(skill, path, at); err != nil {
			return err
		}
	}
	if err := put(); err != nil || !at.own {
		return err
	}
	return s.point(skill, path, at)
}

// oldBudget is the text that is about to be replaced, nil if there is none.
func (s *Store) oldBudget(at place, b *loop.Budget) ([]byte, error) {
	body, err := at.disk.read(at.name)
	if err != nil || body == nil {
		return nil, err
	}
	old, err := s.decodeBudget(at.disk.path(at.name), b.Skill, body)
	if err != nil {
		return nil, err
	}
	if old.RunID != "" && old.RunID != b.RunID {
		return nil, fmt.Errorf("%w: %s in %s", errOtherRun, old.RunID, at.disk.path(at.name))
	}
	return body, nil
}

// SaveTick writes the open iteration.
func (s *Store) SaveTick(t *loop.Tick) error {
	name := tickName(t.Skill)
	var text []byte
	old, err := s.old(name, &tickFormat, "run_id", t.RunID)
	if err == nil {
		text, err = written(&s.disk, name, &tickFormat, wholeTick(*t), old)
	}
	if err == nil {
		after := func(f *seal.Files) { f.Tick = seal.Trim(text) }
		err = s.change(t.Skill, t.SessionID, after, func() error {
			return errors.Join(s.disk.replace(name, text), s.settle())
		})
	}
	if err != nil {
		return fmt.Errorf("save tick: %w", err)
	}
	return nil
}

// SaveClaim writes what a session that met a held lock waits for.
func (s *Store) SaveClaim(c *loop.Claim) error {
	name := claimName(c.Skill)
	old, err := s.old(name, &claimFormat, "session_id", c.SessionID)
	if err == nil {
		err = save(&s.disk, name, &claimFormat, wholeClaim(*c), old)
	}
	if err != nil {
		return fmt.Errorf("save claim: %w", err)
	}
	return s.settle()
}

// RemoveTick says that no iteration is open any more.
func (s *Store) RemoveTick(skill loop.Skill) error {
	session := ""
	if s.seals.Path() != "" && !s.changing {
		if body, err := s.disk.read(tickName(skill)); err == nil {
			session = gjson.GetBytes(body, "session_id").String()
		}
	}
	return s.change(skill, session, func(f *seal.Files) { f.Tick = "" }, func() error {
		_ = s.disk.root.Remove(usedName(skill)) // nothing of it counts in another iteration
		return s.drop("remove tick", tickName(skill))
	})
}

// RemoveClaim says that nobody waits any more.
func (s *Store) RemoveClaim(skill loop.Skill) error { return s.drop("remove claim", claimName(skill)) }

func (s *Store) drop(what, name string) error {
	if err := s.disk.remove(name); err != nil {
		return fmt.Errorf("%s: %w", what, err)
	}
	return s.settle()
}

// old is the text that is about to be replaced. One whose identity differs is of no use: its unknown fields are about
// something else.
func (s *Store) old(name string, f *format, key, id string) ([]byte, error) {
	body, err := s.disk.read(name)
	if err != nil || body == nil {
		return nil, err
	}
	if err := f.check(s.disk.path(name), body); err != nil {
		return nil, err
	}
	if gjson.GetBytes(body, key).String() != id {
		return nil, nil
	}
	return body, nil
}

// save writes a value.
func save(d *disk, name string, f *format, v any, old []byte) error {
	text, err := written(d, name, f, v, old)
	if err != nil {
		return err
	}
	return d.replace(name, text)
}

// written is a value's text, with the fields of the old text that this program does not know. What could not be read
// again is not written.
func written(d *disk, name string, f *format, v any, old []byte) ([]byte, error) {
	if strings.HasPrefix(name, ".") {
		return nil, errors.New("the state names no skill")
	}
	body, err := compact(v)
	if err != nil {
		return nil, err
	}
	body = keep(body, old, f.known)
	if err := f.check(d.path(name), body); err != nil {
		return nil, fmt.Errorf("refusing to write it: %w", err)
	}
	var out bytes.Buffer
	if err := json.Indent(&out, body, "", "  "); err != nil {
		return nil, err
	}
	out.WriteByte('\n')
	if out.Len() > maxState {
		return nil, fmt.Errorf("%s would be %d bytes, over 1 MiB", d.path(name), out.Len())
	}
	return out.Bytes(), nil
}

// compact is JSON on one line, with <, > and & as they are.
func compact(v any) ([]byte, error) {
	var out bytes.Buffer
	if err := spell(&out, reflect.ValueOf(v)); err != nil {
		return nil, err
	}
	return out.Bytes(), nil
}

// keep adds the unknown top-level fields of an old, checked text at the end of the object. Keys and values are copied
// as they are spelled: a path expression made of a foreign key could mean something else.
func keep(body, old []byte, known []string) []byte {
	if old == nil {
		return body
	}
	body = bytes.TrimSuffix(body, []byte("}"))
	gjson.ParseBytes(old).ForEach(func(key, value gjson.Result) bool {
		if !slices.Contains(known, key.String()) {
			body = append(body, ',')
			body = append(body, key.Raw...)
			body = append(body, ':')
			body = append(body, value.Raw...)
		}
		return true
	})
	return append(body, '}')
}
