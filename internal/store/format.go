package store

import (
	"reflect"
	"slices"
	"strings"
	"time"

	"github.com/tidwall/gjson"

	"hooks/internal/codec"
	"hooks/internal/loop"
)

// format is what a file must look like before any field of it is used. Fields that its struct does
// not have are kept as they are.
type format struct {
	of    reflect.Type
	needs []string // required fields
	// budget marks the format in which a missing field is reported in the words of R109.
	budget bool
}

var (
	budgetFormat = format{of: reflect.TypeFor[loop.Budget](), budget: true, needs: []string{
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

// snapshotField is the budget in a history line. It is checked as a budget.
const snapshotField = "budget_snapshot"

// check reports why a text must not be used. It looks at the whole text first: a parser of single
// fields would find them in a torn file too.
func (f *format) check(path string, body []byte) error {
	deep, minus := scan(body)
	if deep {
		return damage(path, "it is nested over %d levels", maxNesting)
	}
	if len(body) == 0 {
		return damage(path, "it is empty")
	}
	if !gjson.ValidBytes(body) {
		return damage(path, "it is not valid JSON")
	}
	root := gjson.ParseBytes(body)
	if !root.IsObject() {
		return damage(path, "it is not a JSON object")
	}
	return f.checkObject(path, root, minus)
}

// maxNesting is the deepest value that a state file may hold. Our own reach eight levels. The
// readers look at each byte once per level, so a file of brackets alone would hold a hook past its
// timeout.
const maxNesting = 64

// scan reports, for valid JSON and any other text, whether its brackets are nested too deeply and
// whether there is a minus outside of strings.
func scan(body []byte) (deep, minus bool) {
	depth := 0
	for i := 0; i < len(body); i++ {
		switch body[i] {
		case '"':
			i = closingQuote(body, i+1)
		case '{', '[':
			if depth++; depth > maxNesting {
				return true, minus
			}
		case '}', ']':
			depth--
		case '-':
			minus = true
		}
	}
	return false, minus
}

// closingQuote is the index of the quote that ends the string whose text begins at i.
func closingQuote(body []byte, i int) int {
	for ; i < len(body) && body[i] != '"'; i++ {
		if body[i] == '\\' {
			i++
		}
	}
	return i
}

// checkObject checks the top-level fields of an object. A field given twice, or one that differs
// from a known field only in case, would be read differently by different programs, so it is
// damage. minus reports that the text may hold a negative number.
func (f *format) checkObject(path string, root gjson.Result, minus bool) (err error) {
	known := codec.Fields(f.of)
	raw := make([]string, len(known)) // "" where the field is missing
	foreign := map[string]bool{}
	var version gjson.Result // of a lock too, which has none when this program writes it
	next := 0
	root.ForEach(func(key, value gjson.Result) bool {
		name := key.String()
		if name == "version" {
			version = value
		}
		at := codec.Position(known, name, next)
		switch {
		case at >= 0 && raw[at] != "", foreign[name]:
			err = damage(path, "field %s is in it twice", name)
		case at < 0 && slices.ContainsFunc(known, func(k codec.Field) bool {
			return strings.EqualFold(k.Name, name)
		}):
			err = damage(path, "field %s is spelled in another case", name)
		case at < 0:
			foreign[name] = true
		case minus && name != snapshotField && negative(value):
			err = damage(path, "field %s holds a negative number", name)
		default:
			raw[at], next = value.Raw, at+1
		}
		return err == nil
	})
	if err != nil {
		return err
	}
	if err := checkVersion(path, version); err != nil {
		return err
	}
	return f.checkNeeds(path, known, raw)
}

// negative finds a number below zero at any depth, because nothing that the files count can be one.
// The sign of a number is its first byte, and nothing else outside of a string begins with one.
func negative(v gjson.Result) (found bool) {
	switch {
	case v.Type == gjson.Number:
		return v.Num < 0
	case !v.IsObject() && !v.IsArray():
		return false
	}
	v.ForEach(func(_, inner gjson.Result) bool {
		found = negative(inner)
		return !found
	})
	return found
}

// checkVersion takes a missing version for the first one, as the SPEC's own files have none.
func checkVersion(path string, v gjson.Result) error {
	switch {
	case !v.Exists():
		return nil
	case v.Type != gjson.Number || v.Num < 1 || v.Num != float64(int64(v.Num)):
		return damage(path, "version %s is not a whole number from 1", short(v.Raw))
	case v.Num > loop.Version:
		return &NewerError{Path: path, Version: int64(v.Num)}
	}
	return nil
}

func (f *format) checkNeeds(path string, known []codec.Field, raw []string) error {
	next := 0
	for _, name := range f.needs {
		at := codec.Position(known, name, next)
		next = at + 1
		if raw[at] == "" {
			missing := &DamagedError{Path: path, Why: "field " + name + " is missing"}
			if f.budget {
				missing.Missing = name
			}
			return missing
		}
		if want, ok := matches(known[at].Type, gjson.Parse(raw[at])); !ok {
			return damage(path, "field %s is %s, not %s", name, short(raw[at]), want)
		}
	}
	return nil
}

// matches reports whether a value is of the JSON type in which a field's type is written, and names
// that type. Some programs write an empty list as null.
func matches(field reflect.Type, v gjson.Result) (want string, ok bool) {
	switch {
	case field.Kind() == reflect.String || field == reflect.TypeFor[time.Time]():
		return "a string", v.Type == gjson.String
	case field.Kind() == reflect.Slice:
		return "a list", v.IsArray() || v.Type == gjson.Null
	case field.Kind() == reflect.Struct:
		return "an object", v.IsObject()
	}
	return "a number", v.Type == gjson.Number
}

// short cuts a value for an error message.
func short(raw string) string {
	if len(raw) > 40 {
		return strings.ToValidUTF8(raw[:40], "") + "…"
	}
	return raw
}
