package store

import (
	"errors"
	"fmt"

	"hooks/internal/loop"
)

// Commit ends an iteration in the one safe order: history line, budget, tick gone, one sync of the folder. After it
// the reply may be printed and the lock released. created is that of AppendHistory. What fails behind the line is
// ErrClosed.
func (s *Store) Commit(it *loop.Iteration, budgetPath string, b *loop.Budget) (created bool, err error) {
	closed := false
	err = s.batch(func() (err error) {
		next := s.draft(budgetPath, b)
		if created, err = s.AppendHistory(it); err != nil {
			next.drop()
			return err
		}
		closed = true
		if err = next.save(); err != nil {
			return err
		}
		return s.RemoveTick(it.Skill)
	})
	if err != nil && closed {
		err = fmt.Errorf("%w, not in the budget: %w", ErrClosed, err)
	}
	return created, err
}

// draft is a budget whose text is made durable under an unfinished name while its history line is, which takes a disk
// hardly more time than one of them. It gets its place by save, once the line is there.
type draft struct {
	store *Store
	path  string
	b     *loop.Budget
	at    place
	file  *unfinished // nil: it could not be begun, so all is left to save
}

func (s *Store) draft(path string, b *loop.Budget) *draft {
	d := &draft{store: s, path: path, b: b}
	at, text, err := s.budgetText(path, b)
	if err == nil {
		d.at = at
		d.file, _ = at.disk.begin(at.name, text)
	}
	return d
}

func (d *draft) save() error {
	if d.file == nil {
		return d.store.SaveBudget(d.path, d.b)
	}
	err := d.store.inPlace(d.at, d.path, d.b.Skill, d.file.end)
	if err != nil {
		return fmt.Errorf("save budget: %w", err)
	}
	return d.store.settle()
}

// drop gives the draft up: its line could not be written.
func (d *draft) drop() {
	if d.file != nil {
		_ = errors.Join(<-d.file.synced, d.file.disk.remove(d.file.tmp)) // the sweep takes it if this fails
	}
}
