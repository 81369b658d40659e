package drive

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

	"hooks/internal/loop"
	"hooks/schemas"
)

// Disk is what lies in the state folder, read without the program.
type Disk struct {
	Budget  *loop.Budget
	Tick    *loop.Tick
	Lock    *loop.Lock
	Claim   *loop.Claim
	Lines   []loop.Iteration // of the present history and of the archived ones, in order within each run
	Budgets []loop.Budget    // the present one and the archived ones
	raw     []string         // the lines' texts
	// Faults are files that are not whole, not valid, or that nobody knows.
	Faults []string
}

// Schemas are the compiled schemas by name. A schema is safe for use by several goroutines.
type Schemas map[string]*jsonschema.Schema

// Compile compiles every schema that the program knows.
func Compile() (Schemas, error) {
	all := Schemas{}
	for _, name := range schemas.Names() {
		text, _ := schemas.Get(name)
		doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
		if err != nil {
			return nil, fmt.Errorf("read schema: %w", err)
		}
		c := jsonschema.NewCompiler()
		c.AssertFormat()
		if err := c.AddResource("file:///"+name, doc); err != nil {
			return nil, fmt.Errorf("add schema: %w", err)
		}
		if all[name], err = c.Compile("file:///" + name); err != nil {
			return nil, fmt.Errorf("compile schema: %w", err)
		}
	}
	return all, nil
}

// Read looks at every file of the work loop.
func (s Schemas) Read(state string) Disk {
	var d Disk
	d.folder(s, state, true)
	runs, _ := filepath.Glob(filepath.Join(state, "archive", "*"))
	slices.Sort(runs)
	for _, run := range runs {
		d.folder(s, run, false)
	}
	return d
}

func (d *Disk) folder(s Schemas, dir string, present bool) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		if !errors.Is(err, fs.ErrNotExist) {
			d.fault("%v", err)
		}
		return
	}
	for _, e := range entries {
		name := e.Name()
		body, err := os.ReadFile(filepath.Join(dir, name))
		if !present {
			name = unnumbered(name)
		}
		switch {
		case present && (name == "archive" || name == ".gitignore" || name == ".guard" || name == ".turn"), strings.HasPrefix(name, ".") && strings.HasSuffix(name, ".tmp"):
		case strings.Contains(name, ".torn-"):
		case err != nil:
			d.fault("%v", err)
		case strings.HasPrefix(name, "work.history.jsonl"):
			d.history(s, name, body)
		default:
			d.file(s, name, body, present)
		}
	}
}

// unnumbered is work.tick.json for work-2.tick.json, as a file is called in the archive whose name was taken.
func unnumbered(name string) string {
	skill, rest, _ := strings.Cut(name, ".")
	skill, _, _ = strings.Cut(skill, "-")
	return skill + "." + rest
}

func (d *Disk) file(s Schemas, name string, body []byte, present bool) {
	switch {
	case name == "work.budget.json":
		b := take[loop.Budget](d, s["budget"], name, body)
		if b != nil {
			d.budget(*b)
		}
		if present {
			d.Budget = b
		}
	case name == "work.tick.json":
		t := take[loop.Tick](d, s["tick"], name, body)
		if present {
			d.Tick = t
		}
	case name == "work.lock" && present:
		d.Lock = take[loop.Lock](d, s["lock"], name, body)
	case name == "work.claim.json":
		c := take[loop.Claim](d, s["claim"], name, body)
		if present {
			d.Claim = c
		}
	case (name == "notes.jsonl" || name == "work.used.jsonl") && present: // for the next event
	default:
		d.fault("a file that nobody knows: %s", name)
	}
}

// budget adds a run. One that was taken up again after its archiving was cut off lies in the archive too, as it was then.
func (d *Disk) budget(b loop.Budget) {
	if !slices.ContainsFunc(d.Budgets, func(o loop.Budget) bool { return o.RunID == b.RunID && o.Seq >= b.Seq }) {
		d.Budgets = append(d.Budgets, b)
	}
}

func (d *Disk) history(s Schemas, name string, body []byte) {
	lines := strings.SplitAfter(string(body), "\n")
	for i, line := range lines {
		last := i == len(lines)-1
		if last && (line == "" || !json.Valid([]byte(line))) {
			continue // torn: repaired before the next line
		}
		if it := take[loop.Iteration](d, s["history"], fmt.Sprintf("%s line %d", name, i+1), []byte(line)); it != nil {
			d.Lines = append(d.Lines, *it)
			d.raw = append(d.raw, pids.ReplaceAllString(line, "")) // Bury changes those
		}
	}
}

var pids = regexp.MustCompile(`"pid":\d+`)

func take[T any](d *Disk, schema *jsonschema.Schema, name string, body []byte) *T {
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(body))
	if err == nil {
		err = schema.Validate(doc)
	}
	v := new(T)
	if err == nil {
		err = json.Unmarshal(body, v)
	}
	if err != nil {
		d.fault("%s (%d bytes): %v", name, len(body), err)
		return nil
	}
	return v
}

func (d *Disk) fault(format string, args ...any) {
	d.Faults = append(d.Faults, fmt.Sprintf(format, args...))
}

// run are the lines of one run that closed an iteration.
func (d *Disk) run(id string) []loop.Iteration {
	return slices.DeleteFunc(slices.Clone(d.Lines), func(l loop.Iteration) bool {
		return l.RunID != id || !l.Ran()
	})
}

func sortedByLength(files map[string][]byte) []string {
	return slices.SortedFunc(maps.Keys(files), func(a, b string) int { return len(a) - len(b) })
}
