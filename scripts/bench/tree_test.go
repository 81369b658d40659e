//go:build linux || darwin

package main

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"hooks/internal/loop"
	"hooks/internal/usage"
)

// The generated transcripts are like real ones: every line is JSON, the size is right, and the
// program counts every request once.
func TestTree(t *testing.T) {
	tr := tree{main: filepath.Join(t.TempDir(), "s.jsonl"), workers: 8}
	if err := tr.write(4 << 20); err != nil {
		t.Fatal(err)
	}
	files, err := filepath.Glob(filepath.Join(filepath.Dir(tr.main), "s", "subagents", "*.jsonl"))
	if err != nil || len(files) != 8 {
		t.Fatalf("%d workers: %v", len(files), err)
	}
	size := 0
	for _, name := range append(files, tr.main) {
		data, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		size += len(data)
		for i, row := range bytes.Split(bytes.TrimSuffix(data, []byte("\n")), []byte("\n")) {
			if !json.Valid(row) {
				t.Fatalf("%s:%d is not JSON: %.200s", name, i+1, row)
			}
		}
	}
	if size < 4<<20 || size > 5<<20 || int64(size) != tr.bytes {
		t.Errorf("%d bytes, %d were written", size, tr.bytes)
	}
	r, err := usage.Count(tr.main, nil, usage.NewTable(nil))
	if err != nil {
		t.Fatal(err)
	}
	var sum loop.Tokens
	for _, m := range r.ByModel {
		sum = sum.Add(m)
	}
	if sum.Output != tr.out || len(r.ByModel) != len(models) || len(r.Notes) > 0 ||
		r.Skipped > 0 {
		t.Errorf("%d output tokens counted, %d written; %d skipped, notes %v",
			sum.Output, tr.out, r.Skipped, r.Notes)
	}
}
