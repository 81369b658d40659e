//go:build linux

package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"hooks/internal/loop"
	"hooks/schemas"
)

// disk is the work loop's state, read without the program under test.
type disk struct {
	budget  *loop.Budget
	tick    *loop.Tick
	lock    *loop.Lock
	claim   *loop.Claim
	lines   []line        // the archived ones, too; in order within a run
	budgets []loop.Budget // the archived ones, too
	faults  []string      // files that are cut off, not valid, or unknown
}

type line struct {
	iteration
	text string // without pids: Bury changes those
}

type iteration = loop.Iteration

// schemaSet has every schema by its name. It is safe for use by several goroutines.
type schemaSet map[string]*jsonschema.Schema

func compileSchemas() (schemaSet, error) {
	all := schemaSet{}
	c := jsonschema.NewCompiler()
	c.AssertFormat()
	for _, name := range schemas.Names() {
		text, _ := schemas.Get(name)
		doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
		if err == nil {
			err = c.AddResource("file:///"+name+".schema.json", doc)
		}
		if err != nil {
			return nil, fmt.Errorf("read schema %s: %w", name, err)
		}
	}
	for _, name := range schemas.Names() {
		var err error
		if all[name], err = c.Compile("file:///" + name + ".schema.json"); err != nil {
			return nil, fmt.Errorf("compile schema: %w", err)
		}
	}
	return all, nil
}

// read reads every file of the state folder and its archive.
func (s schemaSet) read(state string) *disk {
	d := &disk{}
	archived, _ := filepath.Glob(filepath.Join(state, "archive", "*"))
	slices.Sort(archived)
	for _, dir := range append([]string{state}, archived...) {
		entries, err := os.ReadDir(dir)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			d.fault("%v", err)
		}
		for _, e := range entries {
			d.file(s, filepath.Join(dir, e.Name()), dir == state)
		}
	}
	return d
}

// presentOnly are names in the state folder that promise nothing.
var presentOnly = []string{"archive", ".gitignore", ".guard", ".turn"}

func (d *disk) file(s schemaSet, path string, present bool) {
	name := filepath.Base(path)
	if present && slices.Contains(presentOnly, name) || strings.Contains(name, ".torn-") ||
		strings.HasPrefix(name, ".") && strings.HasSuffix(name, ".tmp") {
		return
	}
	text, err := os.ReadFile(path)
	if err != nil {
		d.fault("%v", err)
		return
	}
	if !present { // work-2.tick.json, if its name was taken
		name = regexp.MustCompile(`^(\w+)-[^.]*`).ReplaceAllString(name, "$1")
	}
	switch {
	case strings.HasPrefix(name, "work.history.jsonl"):
		d.history(s, name, text)
	case name == "work.budget.json":
		b := decode[loop.Budget](d, s["budget"], name, text)
		if b != nil {
			d.addBudget(*b)
		}
		if present {
			d.budget = b
		}
	case name == "work.tick.json":
		if t := decode[loop.Tick](d, s["tick"], name, text); present {
			d.tick = t
		}
	case name == "work.claim.json":
		if c := decode[loop.Claim](d, s["claim"], name, text); present {
			d.claim = c
		}
	case name == "work.lock" && present:
		d.lock = decode[loop.Lock](d, s["lock"], name, text)
	case (name == "notes.jsonl" || name == "work.used.jsonl") && present: // for the next event
	default:
		d.fault("an unknown file: %s", name)
	}
}

// addBudget adds a run. If the run was resumed after its archiving was cut off, the archive has an
// older copy.
func (d *disk) addBudget(b loop.Budget) {
	if !slices.ContainsFunc(d.budgets, func(o loop.Budget) bool {
		return o.RunID == b.RunID && o.Seq >= b.Seq
	}) {
		d.budgets = append(d.budgets, b)
	}
}

var pids = regexp.MustCompile(`"pid":\d+`)

func (d *disk) history(s schemaSet, name string, text []byte) {
	lines := strings.SplitAfter(string(text), "\n")
	for i, one := range lines {
		if i == len(lines)-1 && (one == "" || !json.Valid([]byte(one))) {
			continue // torn: the program repairs it before the next line
		}
		where := fmt.Sprintf("%s line %d", name, i+1)
		if it := decode[loop.Iteration](d, s["history"], where, []byte(one)); it != nil {
			d.lines = append(d.lines, line{*it, pids.ReplaceAllString(one, "")})
		}
	}
}

func decode[T any](d *disk, schema *jsonschema.Schema, name string, text []byte) *T {
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
	if err == nil {
		err = schema.Validate(doc)
	}
	v := new(T)
	if err == nil {
		err = json.Unmarshal(text, v)
	}
	if err != nil {
		d.fault("%s (%d bytes): %v", name, len(text), err)
		return nil
	}
	return v
}

func (d *disk) fault(format string, args ...any) {
	d.faults = append(d.faults, fmt.Sprintf(format, args...))
}

// has reports whether any line fulfils a condition.
func (d *disk) has(condition func(line) bool) bool { return slices.ContainsFunc(d.lines, condition) }

// closed are the lines that closed an iteration, of one run or, with "", of all.
func (d *disk) closed(run string) []line {
	return slices.DeleteFunc(slices.Clone(d.lines), func(l line) bool {
		return run != "" && l.RunID != run || !l.Ran()
	})
}
