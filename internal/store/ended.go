package store

import (
	"bytes"
	"path/filepath"
	"slices"

	"github.com/tidwall/gjson"

	"hooks/internal/codec"
	"hooks/internal/loop"
)

// Counted returns the cursors where counting resumes in a session's transcripts. It takes them from
// the run's budget and, for worker transcripts at paths that have no cursor there, from the
// history.
func (s *Store) Counted(
	run *loop.Budget, transcript string, paths []string,
) ([]loop.Cursor, error) {
	if len(paths) == 0 {
		return slices.Clone(run.Cursors), nil
	}
	ended, err := s.Ended(run, transcript, paths)
	return loop.Overlay(ended, run.Cursors), err
}

// beforeEnded is the start of the list of worker cursors in a history line. It occurs nowhere else,
// because the first cursor in a snapshot belongs to the main thread.
const beforeEnded = `"cursors":[{"path":"subagents/`

// Ended returns the cursors in the run's history for the worker transcripts at paths, if the
// workers ended in transcript's session. If a worker was resumed, its newest cursor is used. Ended
// skips damaged lines, so usage counted there is counted again. It reads the history backwards
// until it has found all cursors.
func (s *Store) Ended(
	run *loop.Budget, transcript string, paths []string,
) (list []loop.Cursor, err error) {
	if len(paths) == 0 {
		return nil, nil
	}
	missing := make(map[string]bool, len(paths))
	for _, path := range paths {
		missing[path] = true
	}
	for line, err := range s.linesBackwards(run.Skill) {
		if err != nil {
			return list, err
		}
		at := bytes.Index(line, []byte(beforeEnded))
		if at < 0 {
			continue
		}
		of := gjson.GetManyBytes(line, "run_id", snapshotField+".cursors.0.path")
		if of[0].Str != run.RunID || filepath.Base(of[1].Str) != filepath.Base(transcript) {
			continue
		}
		gjson.ParseBytes(line[at+len(`"cursors":`):]).ForEach(func(_, v gjson.Result) bool {
			var c loop.Cursor
			if missing[v.Get("path").Str] && codec.Decode(v, &c) == nil {
				delete(missing, c.Path)
				list = append(list, c)
			}
			return true
		})
		if len(missing) == 0 {
			break
		}
	}
	return list, nil
}
