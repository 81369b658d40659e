package main

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
)

// running measures a tool call in an open iteration whose run has a dollar ceiling: the spend is
// counted while it runs.
func (b *bench) running(n int) error {
	single, err := written(filepath.Join(b.dir, "one"), kindTranscript, 4<<20)
	if err != nil {
		return err
	}
	eight, err := written(filepath.Join(b.dir, "eight"), kindSession, 4<<20)
	if err != nil {
		return err
	}
	rows := []*row{{
		name:  "empty Go program",
		args:  []string{b.empty},
		stdin: event(b.dir, "PreToolUse", payloads[0].more),
	}}
	for i, c := range []struct {
		name, dollars string
		tree          *tree
		more          int
	}{
		{"no ceiling, 1 MB new", "0", single, 1 << 20},
		{"ceiling, nothing new", "900000", single, 0},
		{"ceiling, 16 KB new", "900000", single, 16 << 10},
		{"ceiling, 400 KB new", "900000", single, 400 << 10},
		{"ceiling, 1 MB new", "900000", single, 1 << 20},
		{"ceiling, eight workers, nothing new", "900000", eight, 0},
		{"ceiling, eight workers, 16 KB new", "900000", eight, 16 << 10},
	} {
		project := filepath.Join(b.dir, fmt.Sprintf("run-%d", i))
		run := &counting{
			bench:   b,
			name:    "pre-tool-use, " + c.name,
			tree:    c.tree,
			project: project,
			dollars: c.dollars,
		}
		if err := run.open(c.more); err != nil {
			return fmt.Errorf("%s: %w", c.name, err)
		}
		rows = append(rows, &row{
			name:    run.name,
			args:    []string{b.hooks, "pre-tool-use"},
			stdin:   run.payload("PreToolUse", "p", payloads[0].more),
			env:     b.env(project),
			prepare: run.restore,
		})
	}
	if err := interleave(rows, n); err != nil {
		return err
	}
	print(rows, "the empty program")
	return nil
}

// open brings the run into its second iteration, to which that many bytes of transcript will be
// added.
func (c *counting) open(more int) error {
	err := errors.Join(
		os.MkdirAll(c.project, 0o755),
		c.enter("p1"),
		c.send("pre-tool-use", c.payload("PreToolUse", "p1", payloads[0].more)),
	)
	if err != nil {
		return err
	}
	if err := c.begin(); err != nil {
		return err
	}
	c.added = c.added[:min(len(c.added), more)]
	c.added = c.added[:bytes.LastIndexByte(c.added, '\n')+1]
	return nil
}
