//go:build linux

package torture

import (
	"embed"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"

	"hooks/scripts/driver"
)

// variantFiles holds known mistakes, and variants that make the program behave as on other
// machines. A file begins with lines of "key: value". Each change is a section with the source's
// name, the old lines, a row of equals signs and the new lines. A comment at the end of the last
// old line may be omitted. A section without the row is a new file.
//
//go:embed mistakes variants
var variantFiles embed.FS

// variant is the program with some lines replaced.
type variant struct {
	name     string
	scenario string // where the mistake must show; "" for the race for the lock
	calls    []string
	reads    bool // also inject faults into calls that only read
	patches  []driver.Patch
}

// readVariant reads an embedded variant. It panics if there is no such file.
func readVariant(name string) variant {
	text, err := variantFiles.ReadFile(name)
	if err != nil {
		panic(err)
	}
	v := variant{name: strings.TrimSuffix(path.Base(name), ".txt")}
	archive := txtar.Parse(text)
	for line := range strings.Lines(string(archive.Comment)) {
		key, value, _ := strings.Cut(strings.TrimSpace(line), ": ")
		switch key {
		case "scenario":
			v.scenario = value
		case "calls":
			v.calls = strings.Fields(value)
		case "reads":
			v.reads = value == "true"
		case "with":
			v.patches = readVariant("variants/" + value + ".txt").patches
		}
	}
	for _, f := range archive.Files {
		p := driver.Patch{File: f.Name, New: string(f.Data)}
		if before, after, found := strings.Cut(p.New, "=======\n"); found {
			p.Old, p.New = strings.TrimSuffix(before, "\n"), strings.TrimSuffix(after, "\n")
		}
		v.patches = append(v.patches, p)
	}
	return v
}

// mistakes builds each known mistake into the program and looks for it. A mistake that is not
// found, or whose old text is no longer in the sources, is an error, because it shows that the
// tests cannot fail.
func (t *torture) mistakes(f *findings) string {
	if !canTrace() {
		return noStrace
	}
	files, _ := fs.Glob(variantFiles, "mistakes/*"+t.name+"*.txt")
	if t.planted > 0 {
		dice := rand.New(rand.NewPCG(uint64(t.seed), 0))
		dice.Shuffle(len(files), func(i, j int) { files[i], files[j] = files[j], files[i] })
		files = files[:min(t.planted, len(files))]
	}
	queue := make(chan string)
	var workers sync.WaitGroup
	for range t.workers {
		workers.Go(func() {
			for file := range queue {
				v := readVariant(file)
				found := t.find(v, t.build(f, v, true))
				first, _, _ := strings.Cut(found, "\n")
				f.Lock()
				f.log(fmt.Sprintf("%s\n    %.200s", v.name, first))
				if found == "" {
					f.add("no one found the mistake: " + v.name)
				}
				f.Unlock()
			}
		})
	}
	for _, file := range files {
		queue <- file
	}
	close(queue)
	workers.Wait()
	return fmt.Sprintf("%d planted, %d not found", len(files), len(f.bad))
}

// find returns the first violation, or "" if it finds none.
func (t *torture) find(v variant, program string) string {
	f := &findings{}
	if v.scenario == "" {
		for round := 0; round < 300 && len(f.bad) == 0; round++ {
			p := t.player(fmt.Sprintf("%s-%d", v.name, round), program)
			p.iterate(flags, 1)
			p.Bury(t.clients.Gone)
			p.raceForLock(24, flags+" --resume", true)
			f.end(p, fmt.Sprintf("round %d", round+1))
		}
	} else {
		alone := *t
		alone.workers = 1 // several mistakes are searched concurrently
		s := &sweep{torture: &alone, findings: f, program: program, calls: v.calls, few: !v.reads,
			dir: filepath.Join("found", v.name), faults: allFaults[:2], most: 1}
		s.scenarios = slices.DeleteFunc(slices.Clone(scenarios), func(sc scenario) bool {
			return sc.name != v.scenario
		})
		if s.calls == nil {
			s.calls = []string{"fsync"}
		}
		s.run()
	}
	if len(f.bad) == 0 {
		return ""
	}
	return f.bad[0]
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
