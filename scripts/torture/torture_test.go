//go:build linux

package main

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// R64, R68, R112, R118: the program is killed anywhere, raced by many, and put on a full or closed
// disk. Nothing is lost, counted twice or stuck. A bounded form of what the command does.
func TestNothingIsLostOrStuck(t *testing.T) {
	torture := torture{kills: 40, rounds: 1, sessions: 16, parallel: 3, workers: 2, seed: 1}
	clean, err := torture.prepare()
	if err != nil {
		t.Fatal(err)
	}
	defer clean()
	for _, p := range torture.parts() {
		if p.name == "faults" || p.name == "mistakes" { // minutes each
			continue
		}
		t.Run(p.name, func(t *testing.T) {
			f := &findings{quiet: true}
			t.Log(p.play(f))
			if len(f.bad) > 0 {
				t.Error(strings.Join(f.bad, "\n"))
			}
		})
	}
}

// Each planted mistake and each variant has the text that it replaces once in the sources.
func TestMistakesFitTheSources(t *testing.T) {
	files, err := fs.Glob(variantFiles, "*/*.txt")
	if err != nil || len(files) == 0 {
		t.Fatal(files, err)
	}
	for _, file := range files {
		for _, p := range readVariant(file).patches {
			source, err := os.ReadFile(filepath.Join("..", "..", filepath.FromSlash(p.File)))
			if n := strings.Count(string(source), p.Old); p.Old != "" && (err != nil || n != 1) {
				t.Errorf("%s: %s has the text %d times: %v\n%s", file, p.File, n, err, p.Old)
			}
		}
	}
}
