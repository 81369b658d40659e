//go:build linux

package torture

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/tidwall/gjson"

	"hooks/internal/codec"
	"hooks/internal/kind/audit"
	"hooks/internal/loop"
	"hooks/internal/store"
	"hooks/schemas"
)

// disk is a loop's state, read without the program under test.
type disk struct {
	budget  *loop.Budget
	tick    *loop.Tick
	lock    *loop.Lock
	claim   *loop.Claim
	lines   []line        // including archived ones; ordered within a run
	budgets []loop.Budget // including archived ones
	copy    string        // of a task loop's progress file
	queue   []store.Queued
	found   map[string]string // the texts of the files with findings, by run
	faults  []string          // truncated, invalid or unknown files
	decoded map[string]any
}

type line struct {
	iteration
	text string // without pids, which Bury changes
}

type iteration = loop.Iteration

// schemaSet maps names to schemas. It is safe for concurrent use.
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

// read reads the state folder and its archive. It does not decode texts again that are unchanged
// since the last disk.
func (s schemaSet) read(state string, last *disk) *disk {
	d := s.folder(state, last)
	archived, _ := filepath.Glob(filepath.Join(state, "archive", "*"))
	for _, dir := range archived {
		if filepath.Base(dir) == "replaced" { // files that someone else changed
			continue
		}
		old := s.folder(dir, last)
		maps.Copy(d.decoded, old.decoded)
		if strings.HasPrefix(filepath.Base(dir), "damaged-") { // may have copies of known lines
			old.lines = without(old.lines, d.lines)
		}
		d.lines, d.faults = append(d.lines, old.lines...), append(d.faults, old.faults...)
		for _, b := range old.budgets {
			// A run has an older copy here if it was resumed after an interrupted archiving.
			if !slices.ContainsFunc(d.budgets, func(newer loop.Budget) bool {
				return newer.RunID == b.RunID && newer.Seq >= b.Seq
			}) {
				d.budgets = append(d.budgets, b)
			}
		}
		if old.lock != nil {
			d.fault("a lock in the archive: %+v", *old.lock)
		}
	}
	return d
}

func (s schemaSet) folder(dir string, last *disk) *disk {
	d := &disk{decoded: map[string]any{}, found: map[string]string{}}
	entries, err := os.ReadDir(dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		d.fault("%v", err)
	}
	slices.SortStableFunc(entries, func(a, b os.DirEntry) int { // work-2.tick.json comes last
		return len(number(a.Name())) - len(number(b.Name()))
	})
	for _, e := range entries {
		text, err := os.ReadFile(filepath.Join(dir, e.Name()))
		if !e.IsDir() && err != nil {
			d.fault("%v", err)
		} else {
			d.file(s, last, e.Name(), text)
		}
	}
	d.findings()
	return d
}

var (
	promisesNothing = regexp.MustCompile(`^(archive|\.gitignore|\.guard|\.turn|notes\.jsonl|` +
		`used\.jsonl|view\.json|plan\.md|sync\.lock|\..*\.tmp)$`)
	loopName = regexp.MustCompile(`^(work|task|audit)(-[^.]*)?\.`) // work-2.tick.json: was taken
)

// findings puts the findings of an audit loop into its budget, up to the length that the budget
// records.
func (d *disk) findings() {
	if audit.Of(d.budget) == nil || audit.Of(d.budget).Found.Bytes == 0 {
		return
	}
	b, run := *d.budget, *audit.Of(d.budget)
	text := d.found[b.RunID]
	if int64(len(text)) < run.Found.Bytes {
		d.fault("%d bytes of findings are left of %d", len(text), run.Found.Bytes)
		return
	}
	run.Findings = nil
	for one := range strings.Lines(text[:run.Found.Bytes]) {
		var f audit.Finding
		if err := json.Unmarshal([]byte(one), &f); err != nil {
			d.fault("a finding is %q", one)
		}
		i := slices.IndexFunc(run.Findings, func(o audit.Finding) bool { return o.ID == f.ID })
		if i < 0 {
			i, run.Findings = len(run.Findings), append(run.Findings, f)
		}
		run.Findings[i] = f
	}
	b.Own = &run
	d.budget, d.budgets = &b, []loop.Budget{b}
}

// number returns the part "-2" of work-2.tick.json.
func number(name string) string {
	if m := loopName.FindStringSubmatch(name); m != nil {
		return m[2]
	}
	return ""
}

func (d *disk) file(s schemaSet, last *disk, name string, text []byte) {
	again := number(name) != ""
	switch name = loopName.ReplaceAllString(name, ""); {
	case promisesNothing.MatchString(name):
	case strings.HasPrefix(name, "history.jsonl"):
		known := d.lines
		d.lines = nil
		d.history(s, last, name, text)
		if again { // a damaged history is beside its copy
			d.lines = without(d.lines, known)
		}
		d.lines = append(known, d.lines...)
	case name == "progress.md":
		d.copy = string(text)
	case strings.HasSuffix(name, ".findings.jsonl"):
		d.found[strings.TrimSuffix(name, ".findings.jsonl")] = string(text)
	case name == "sync.jsonl":
		d.events(text)
	case name == "budget.json":
		if d.budget = decode[loop.Budget](d, last, s["budget"], name, text); d.budget != nil {
			d.budgets = append(d.budgets, *d.budget)
		}
	case name == "tick.json":
		d.tick = decode[loop.Tick](d, last, s["tick"], name, text)
	case name == "claim.json":
		d.claim = decode[loop.Claim](d, last, s["claim"], name, text)
	case name == "lock":
		d.lock = decode[loop.Lock](d, last, s["lock"], name, text)
	case strings.HasSuffix(name, ".stop") && len(text) == 0:
		// a person stopped the run while nothing could be written
	default:
		d.fault("an unknown file: %s", name)
	}
}

var pids = regexp.MustCompile(`"pid":\d+`)

func (d *disk) history(s schemaSet, last *disk, name string, text []byte) {
	lines := strings.SplitAfter(string(text), "\n")
	for i, one := range lines {
		if i == len(lines)-1 && (one == "" || !json.Valid([]byte(one))) {
			continue // torn: the program repairs it before the next line
		}
		where := fmt.Sprintf("%s line %d", name, i+1)
		if it := decode[loop.Iteration](d, last, s["history"], where, []byte(one)); it != nil {
			d.lines = append(d.lines, line{*it, pids.ReplaceAllString(one, "")})
		}
	}
}

// without returns the lines that are not copies of known ones.
func without(lines, known []line) []line {
	return slices.DeleteFunc(lines, func(l line) bool {
		return slices.ContainsFunc(known, func(k line) bool { return k.text == l.text })
	})
}

// events reads the queue of a Sync command.
func (d *disk) events(text []byte) {
	for one := range strings.Lines(string(text)) {
		var e store.Queued
		if err := json.Unmarshal([]byte(one), &e); err != nil || e.Key == "" {
			d.fault("the sync queue has the line %q", one)
		}
		d.queue = append(d.queue, e)
	}
}

func decode[T any](d, last *disk, schema *jsonschema.Schema, name string, text []byte) *T {
	key := name + string(text)
	v, known := (*T)(nil), false
	if last != nil {
		v, known = last.decoded[key].(*T)
	}
	if !known {
		doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
		if err == nil {
			err = schema.Validate(doc)
		}
		if err == nil {
			v = new(T)
			err = codec.Decode(gjson.ParseBytes(text), v)
		}
		if err != nil {
			d.fault("%s (%d bytes): %v", name, len(text), err)
			return nil
		}
	}
	d.decoded[key] = v
	return v
}

func (d *disk) fault(format string, args ...any) {
	d.faults = append(d.faults, fmt.Sprintf(format, args...))
}

// has reports whether any line satisfies a condition.
func (d *disk) has(condition func(line) bool) bool {
	return slices.ContainsFunc(d.lines,
		condition)
}

// closed returns the lines that closed an iteration of a run, or of all runs if run is empty.
func (d *disk) closed(run string) []line {
	return slices.DeleteFunc(slices.Clone(d.lines), func(l line) bool {
		return run != "" && l.RunID != run || !l.Ran()
	})
}
