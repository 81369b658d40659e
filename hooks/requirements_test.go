package main

import (
	"fmt"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// lastRequirement is the highest number of the checklist that the specification was cut into.
const lastRequirement = 153

// withoutStory are the requirements that no run of the program can show, each with the reason.
var withoutStory = map[int]string{
	71: "Windows only; the tests of internal/proc ask about real processes, dead and alive, on " +
		"every system they run on",
	124: "the program links no network code (TestNothingHeavyIsLinked in internal/house), so " +
		"there is nothing that could upload",
	153: "it names what is out of scope: there is no such code to run",
}

// Every requirement is named by the first comment lines of a story, or by a comment of a Go test.
func TestEveryRequirementHasAStory(t *testing.T) {
	named := map[int][]string{}
	add := func(where, text string) {
		for n, err := range requirements(text) {
			if err != nil {
				t.Errorf("%s: %v", where, err)
				continue
			}
			named[n] = append(named[n], where)
		}
	}
	for name, head := range storyHeads(t) {
		add(name, head)
	}
	for name, comments := range testComments(t) {
		add(name, comments)
	}
	var missing []string
	for n := 1; n <= lastRequirement; n++ {
		why, exempt := withoutStory[n]
		switch {
		case exempt && len(named[n]) > 0:
			t.Errorf("R%d is named by %s, yet said to have no story: %s", n, named[n][0], why)
		case !exempt && len(named[n]) == 0:
			missing = append(missing, fmt.Sprintf("R%d", n))
		}
	}
	if len(missing) > 0 {
		t.Errorf("%d requirements have no story: %s", len(missing), strings.Join(missing, ", "))
	}
}

var numbered = regexp.MustCompile(`\bR(\d{1,3})(?:\s?[–-]\s?R?(\d{1,3}))?\b`)

// maxRange is how many requirements one range may name: a wider one says nothing about any of
// them.
const maxRange = 16

// requirements are the numbers in a text, those of a range like R23–R26 each.
func requirements(text string) func(func(int, error) bool) {
	return func(yield func(int, error) bool) {
		for _, m := range numbered.FindAllStringSubmatch(text, -1) {
			from, _ := strconv.Atoi(m[1])
			to := from
			if m[2] != "" {
				to, _ = strconv.Atoi(m[2])
			}
			if from < 1 || to > lastRequirement || to < from || to-from >= maxRange {
				if !yield(0,
					fmt.Errorf("%q is no requirement, and no range of at most %d", m[0],
						maxRange)) {
					return
				}
				continue
			}
			for n := from; n <= to; n++ {
				if !yield(n, nil) {
					return
				}
			}
		}
	}
}

// storyHeads are the comment lines that each story begins with.
func storyHeads(t *testing.T) map[string]string {
	t.Helper()
	files, err := filepath.Glob("testdata/script/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatalf("%d stories: %v", len(files), err)
	}
	heads := map[string]string{}
	for _, f := range files {
		text, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		var head strings.Builder
		for l := range strings.Lines(string(text)) {
			if !strings.HasPrefix(l, "#") {
				break
			}
			head.WriteString(l)
		}
		heads[filepath.Base(f)] = head.String()
	}
	return heads
}

// testComments are the comments of every Go test but this one, whatever system or tag it is for.
func testComments(t *testing.T) map[string]string {
	t.Helper()
	all := map[string]string{}
	err := filepath.WalkDir("..", func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && (d.Name() == "testdata" || len(d.Name()) > 2 && d.Name()[0] == '.') {
			return filepath.SkipDir
		}
		if !strings.HasSuffix(path, "_test.go") || d.Name() == "requirements_test.go" {
			return nil
		}
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.ParseComments)
		if err != nil {
			return err
		}
		for _, c := range file.Comments {
			all[path] += c.Text()
		}
		return nil
	})
	if err != nil || len(all) == 0 {
		t.Fatalf("comments of %d Go tests: %v", len(all), err)
	}
	return all
}
