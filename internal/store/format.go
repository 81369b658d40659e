package store

import (
	"reflect"
	"slices"

	"github.com/tidwall/gjson"

	"hooks/internal/codec"
	"hooks/internal/loop"
)

// format describes the required structure of a file, which is checked before any field is used.
// Fields unknown to the struct are preserved.
type format struct {
	of    reflect.Type
	needs []string // required fields
}

var (
	budgetFormat = format{of: reflect.TypeFor[loop.Budget](), needs: []string{
		"started_at", "max_iterations", "max_prs", "max_minutes", "max_dollars",
		"iterations_used", "prs_touched", "comments_pushed", "merges_attempted",
		"minutes_elapsed", "tokens_in", "tokens_out", "agents_dispatched", "dollars_estimate",
		"rate_table_source", "qmd_failures_consecutive",
	}}
	tickFormat = format{of: reflect.TypeFor[loop.Tick](), needs: []string{
		"run_id", "session_id", "skill", "iteration", "started_at",
	}}
	lockFormat = format{of: reflect.TypeFor[loop.Lock](), needs: []string{
		"pid", "iteration", "started_at", "skill",
	}}
	claimFormat = format{of: reflect.TypeFor[loop.Claim](), needs: []string{
		"session_id", "skill", "prompt_id", "since",
	}}
	lineFormat = format{of: reflect.TypeFor[loop.Iteration](), needs: []string{
		"iteration", "skill", "started_at", "ended_at", "outcome", snapshotField,
	}}
)

// snapshotField is the budget field in a history line. Its value is checked like a budget file.
const snapshotField = "budget_snapshot"

// check returns an error if a file's contents must not be used. It validates the whole file first,
// because a lookup of single fields would succeed even in a torn file.
func (f *format) check(path string, body []byte) error {
	if len(body) == 0 {
		return damage(path, "it is empty")
	}
	root, err := codec.Parse(string(body), maxNesting)
	if err != nil {
		return damage(path, "%v", err)
	}
	return f.checkObject(path, root)
}

// maxNesting is the maximum nesting depth of a state file. This program's files reach depth 8.
const maxNesting = 64

// checkObject checks the required fields and the version of an object; parse checks the types.
func (f *format) checkObject(path string, root gjson.Result) (err error) {
	known, next := codec.Fields(f.of), 0
	has := make([]bool, len(known))
	root.ForEach(func(key, value gjson.Result) bool {
		name := key.String()
		at := codec.Position(known, name, next)
		if at >= 0 {
			has[at], next = true, at+1
		}
		switch n := value.Num; {
		case name == "version" && // may be absent, for example in a lock
			(value.Type != gjson.Number || n < 1 || n != float64(int64(n))):
			err = damage(path, "version %s is not a positive whole number", codec.Clip(value.Raw))
		case name == "version" && n > loop.Version:
			err = &NewerError{Path: path, Version: int64(n)}
		case value.Type == gjson.Null && slices.Contains(f.needs, name) &&
			known[at].Type.Kind() != reflect.Slice: // an empty list may be encoded as null
			err = damage(path, "field %s is null", name)
		}
		return err == nil
	})
	if err != nil {
		return err
	}
	next = 0
	for _, name := range f.needs {
		at := codec.Position(known, name, next)
		if next = at + 1; !has[at] {
			missing := &DamagedError{Path: path, Why: "field " + name + " is missing"}
			if f == &budgetFormat { // R109 prescribes the error message
				missing.Missing = name
			}
			return missing
		}
	}
	return nil
}
