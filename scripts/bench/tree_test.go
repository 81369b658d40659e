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

// What is measured is what transcripts are: every line is JSON, the size is the one asked for, and the program counts
// every request of the tree once.
func TestTree(t *testing.T) {
	tr := newTree(t.TempDir())
	if err := tr.session(4 << 20); err != nil {
		t.Fatal(err)
	}
	files, err := filepath.Glob(filepath.Join(tr.config, "projects", "*", "*", "subagents", "*.jsonl"))
	if err != nil || len(files) != 8 {
		t.Fatalf("%d subagents: %v", len(files), err)
	}
	size := 0
	for _, name := range append(files, tr.main) {
		data, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		size += len(data)
		for i, line := range bytes.Split(bytes.TrimSuffix(data, []byte("\n")), []byte("\n")) {
			if !json.Valid(line) {
				t.Fatalf("%s:%d is no JSON: %.200s", name, i+1, line)
			}
		}
	}
	if size < 4<<20 || size > 5<<20 {
		t.Errorf("%d bytes", size)
	}
	r, err := usage.Count(tr.main, nil, usage.NewTable(nil))
	if err != nil {
		t.Fatal(err)
	}
	var sum loop.Tokens
	for _, m := range r.ByModel {
		sum = sum.Add(m)
	}
	if sum.Output != tr.out || len(r.ByModel) != len(models) || len(r.Unknown) > 0 || r.Skipped > 0 {
		t.Errorf("%d output tokens counted, %d written; %d skipped, unknown %v", sum.Output, tr.out, r.Skipped, r.Unknown)
	}
}
