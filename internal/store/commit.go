package store

import (
	"errors"
	"fmt"

	"hooks/internal/loop"
	"hooks/internal/seal"
)

// Commit ends an iteration in the one safe order: history line, budget, tick gone, one sync of the
// folder. After it the reply may be printed and the lock released. created is that of
// AppendHistory. What fails behind the line is ErrClosed.
func (s *Store) Commit(it *loop.Iteration, budgetPath string, b *loop.Budget) (created bool, err error) {
	line, err := s.lineOf(it)
	if err != nil {
		return false, fmt.Errorf("append history: %w", err)
	}
	next := &draft{store: s, path: budgetPath, b: b}
	var text []byte
	if next.at, text, err = s.budgetText(budgetPath, b); err != nil {
		text = nil // what is wrong with it is said once the line is there
	}
	size := s.mended(it.Skill)
	var sealed *seal.Files
	after := func(f *seal.Files) {
		sealed = f
		f.Tick, f.Line, f.History = "", seal.Trim(line), size+int64(len(line))
		if text != nil {
			f.Budget = seal.Trim(text)
		}
	}
	err = s.change(it.Skill, b.SessionID, after, func() error {
		created, err = s.commit(it, line, next, text)
		if end, serr := s.disk.regular(historyName(it.Skill)); sealed != nil && serr == nil {
			sealed.History = end // a torn line may have been cut off only now
		}
		if err == nil && b.SealedIn != "" && b.SealedIn == s.seals.Path() {
			_ = s.seals.AppendLine(b.RunID, seal.Trim(line)) // the record has the last line as well
		}
		return err
	})
	return created, err
}

func (s *Store) commit(
	it *loop.Iteration, line []byte, next *draft, text []byte,
) (created bool, err error) {
	closed := false
	err = s.batch(func() (err error) {
		next.begin(text)
		if created, err = s.append(it, line); err != nil {
			next.drop()
			return fmt.Errorf("append history: %w", err)
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

// draft is a budget whose text is made durable under an unfinished name while its history line is,
// which takes a disk hardly more time than one of them. It gets its place by save, once the line is
// there.
type draft struct {
	store *Store
	path  string
	b     *loop.Budget
	at    place
	file  *unfinished // nil: it could not be begun, so all is left to save
}

// begin writes the text under its unfinished name, where there is one.
func (d *draft) begin(text []byte) {
	if text != nil {
		d.file, _ = d.at.disk.begin(d.at.name, text)
	}
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
