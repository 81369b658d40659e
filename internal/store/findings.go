package store

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/tidwall/gjson"

	"hooks/internal/codec"
	"hooks/internal/loop"
	"hooks/internal/seal"
)

// maxFindings is the maximum size of a findings file in bytes.
const maxFindings = 16 << 20

// findingsName returns the name of a run's findings file. The file has a line for each new or
// changed finding; for each id, the last line counts. The budget and every history line record the
// file's length when they were written, which identifies one state of the findings. Readers ignore
// lines that a crash left beyond that length, and the next change removes them.
func findingsName(skill loop.Skill, run string) string {
	return string(skill) + "." + seal.FileName(run) + ".findings.jsonl"
}

// Findings reads a run's findings into its budget.
func (s *Store) Findings(b *loop.Budget) error {
	if !b.Attempts().Filed {
		return nil
	}
	r := b.Own.Clone().(loop.Finder)
	list, part := r.Filed()
	text, err := s.logged(b, *part)
	if err == nil {
		lines := strings.Join(newestLines(text), ",")
		err = codec.Decode(gjson.Parse("["+lines+"]"), list)
	}
	if err == nil {
		b.Own = r
	}
	return err
}

// logged returns the recorded part of the findings file. If the file was changed, logged returns
// the copy in the state directory and, if the guard is held, also restores the file. It returns a
// ChangedError if there is no usable copy.
func (s *Store) logged(b *loop.Budget, part loop.FilePart) (text []byte, err error) {
	if part.Bytes == 0 {
		return nil, nil
	}
	f, _, err := s.disk.reader(findingsName(b.Skill, b.RunID))
	if f != nil {
		text, err = io.ReadAll(io.LimitReader(f, min(part.Bytes, maxFindings)))
		_ = f.Close()
	}
	if err == nil && sumOf(text) != part.Sum || isDamaged(err) {
		return s.restoreFindings(b, part)
	}
	return text, err
}

// restoreFindings returns the run's findings from their copy. If the guard is held, it restores the
// file.
func (s *Store) restoreFindings(b *loop.Budget, part loop.FilePart) ([]byte, error) {
	name := findingsName(b.Skill, b.RunID)
	text, err := s.seals.Lines(findingsCopy(b.RunID))
	if text = text[:min(int64(len(text)), part.Bytes)]; err != nil || sumOf(text) != part.Sum {
		return nil, &ChangedError{b.Skill, b.SessionID, b.RunID,
			[]string{s.disk.path(name) + " was changed"}, ""}
	}
	if s.guards == 0 {
		return text, nil
	}
	if err = s.keepReplaced(name); err == nil {
		err = errors.Join(s.disk.replace(name, text), s.settle())
	}
	if err == nil {
		s.undone([]difference{{s.disk.path(name), " was changed"}}, true, "")
	}
	return text, err
}

// findingsCopy returns the name that a run's findings have in the state directory.
func findingsCopy(run string) string { return run + "-findings" }

func sumOf(text []byte) string {
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:])
}

func encodeEach(list any) (lines []string, err error) {
	text, err := codec.Encode(list)
	for _, one := range gjson.ParseBytes(text).Array() {
		lines = append(lines, one.Raw)
	}
	return lines, err
}

// newestLines returns the last line for each id, in order of each id's first appearance. It skips
// lines that cannot be read.
func newestLines(text []byte) (list []string) {
	at := map[string]int{}
	for line := range bytes.Lines(text) {
		id := gjson.GetBytes(line, "id").Str
		if !whole(line) || id == "" {
			continue
		}
		i, known := at[id]
		if !known {
			i, list = len(list), append(list, "")
			at[id] = i
		}
		list[i] = seal.Trim(line)
	}
	return list
}

// keepFindings durably adds new and changed findings to the file, and records the file's new length
// and checksum in the budget, which the caller must save.
func (s *Store) keepFindings(b *loop.Budget) error {
	r, is := b.Own.(loop.Finder)
	if !is {
		return nil
	}
	r = r.Clone().(loop.Finder)
	list, part := r.Filed()
	lines, err := encodeEach(list)
	if err != nil || len(lines) == 0 {
		return err
	}
	text, err := s.logged(b, *part)
	if err != nil {
		return err
	}
	size, before := len(text), newestLines(text)
	for i, line := range lines { // both lists are in report order
		if i >= len(before) || before[i] != line {
			text = append(append(text, line...), '\n')
		}
	}
	name := findingsName(b.Skill, b.RunID)
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
		// Without a copy, a change to the file by another program would block the run.
		_ = s.seals.KeepLines(findingsCopy(b.RunID), text)
	}
	part.Bytes, part.Sum, b.Own = int64(len(text)), sumOf(text), r
	return nil
}
