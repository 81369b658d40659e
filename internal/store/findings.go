package store

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"

	"github.com/tidwall/gjson"

	"hooks/internal/codec"
	"hooks/internal/kind/audit"
	"hooks/internal/loop"
	"hooks/internal/seal"
)

// maxFindings bounds the findings of a run, in bytes.
const maxFindings = 16 << 20

// findingsName returns the name of the file with the findings of an audit loop's run. A line is
// added for each finding and each change of one; the last line of an id counts. The budget and
// every history line name the length of the run's part, and so one state of the findings. Lines
// beyond it, left by a crash, are ignored and cut off by the next change.
func findingsName(run string) string {
	return string(audit.Name) + "." + seal.FileName(run) + findingsEnd
}

const findingsEnd = ".findings.jsonl"

// Findings reads the findings of an audit loop's run into its budget, unless the budget has them.
func (s *Store) Findings(b *loop.Budget) error {
	if b == nil {
		return nil
	}
	r, is := b.Own.(*audit.Run)
	if !is || r.Findings != nil {
		return nil
	}
	_, list, err := s.logged(b)
	if err != nil || list == nil {
		return err
	}
	own := *r
	own.Findings, b.Own = list, &own
	return nil
}

// logged returns the run's part of the findings file and the findings in it. If somebody changed
// the file, it returns the copy in the state directory; the file itself is rewritten only under
// the guard. It returns ChangedError if there is no usable copy.
func (s *Store) logged(b *loop.Budget) (text []byte, list []audit.Finding, err error) {
	t := audit.Of(b).Found
	if t.Bytes == 0 {
		return nil, nil, nil
	}
	name := findingsName(b.RunID)
	f, _, err := s.disk.reader(name)
	if f != nil {
		text, err = io.ReadAll(io.LimitReader(f, min(t.Bytes, maxFindings)))
		_ = f.Close()
	}
	switch {
	case err != nil && !isDamaged(err):
		return nil, nil, err
	case err != nil, sumOf(text) != t.Sum:
		text, err = s.restoreFindings(b, name)
	}
	return text, parseFindings(text), err
}

// restoreFindings returns the run's findings from the copy and, if the guard is held, restores the
// file.
func (s *Store) restoreFindings(b *loop.Budget, name string) ([]byte, error) {
	text, err := s.seals.Lines(findingsCopy(b.RunID))
	changed := &ChangedError{b.Skill, b.SessionID, b.RunID,
		[]string{s.disk.path(name) + " was changed"}, ""}
	found := audit.Of(b).Found
	if text = text[:min(int64(len(text)), found.Bytes)]; err != nil || sumOf(text) != found.Sum {
		return nil, changed
	}
	if s.guards == 0 {
		return text, nil
	}
	if err = s.keepReplaced(name); err == nil {
		err = errors.Join(s.disk.replace(name, text), s.settle())
	}
	if err == nil {
		r, _ := s.own(s.seals.Find(b.SessionID))
		if l := r.Loop(string(b.Skill)); l != nil {
			s.undone(sealed{l, r}, []difference{{s.disk.path(name), " was changed"}}, true, "")
		}
	}
	return text, err
}

// findingsCopy returns the name of a run's findings in the state directory.
func findingsCopy(run string) string { return run + "-findings" }

func sumOf(text []byte) string {
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:])
}

// parseFindings returns the findings in a file's lines, in the order of their first lines. It skips
// lines that cannot be read.
func parseFindings(text []byte) (list []audit.Finding) {
	at := map[string]int{}
	for line := range bytes.Lines(text) {
		var f audit.Finding
		if !whole(line) || codec.Decode(gjson.ParseBytes(line), &f) != nil || f.ID == "" {
			continue
		}
		if i, known := at[f.ID]; known {
			list[i] = f
			continue
		}
		at[f.ID] = len(list)
		list = append(list, f)
	}
	return list
}

// keepFindings appends new and changed findings to the file, durably, and records its new length
// and checksum in the budget, which the caller saves afterwards.
func (s *Store) keepFindings(b *loop.Budget) error {
	r, is := b.Own.(*audit.Run)
	if !is || len(r.Findings) == 0 {
		return nil
	}
	text, logged, err := s.logged(b)
	if err != nil {
		return err
	}
	size := len(text)
	for i, f := range r.Findings { // both lists are in report order
		if i < len(logged) && logged[i] == f {
			continue
		}
		line, err := codec.Encode(f)
		if err != nil {
			return err
		}
		text = append(append(text, line...), '\n')
	}
	name := findingsName(b.RunID)
	switch {
	case len(text) == size:
		return nil
	case len(text) > maxFindings:
		return fmt.Errorf("%s would be over %d MiB", s.disk.path(name), maxFindings>>20)
	}
	if err := errors.Join(s.disk.replace(name, text), s.disk.syncDir()); err != nil {
		return fmt.Errorf("keep findings: %w", err)
	}
	if b.SealedIn != "" && b.SealedIn == s.seals.Path() {
		// Without the copy, a later change of the file would block the run.
		_ = s.seals.KeepLines(findingsCopy(b.RunID), text)
	}
	own := *r
	own.Found.Bytes, own.Found.Sum, b.Own = int64(len(text)), sumOf(text), &own
	return nil
}
