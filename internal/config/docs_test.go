package config

import (
	"os"
	"reflect"
	"strings"
	"testing"
)

// The examples of docs/configuration.md are read without a complaint, and together they set
// everything there is.
func TestDocsExamples(t *testing.T) {
	text, err := os.ReadFile("../../docs/configuration.md")
	if err != nil {
		t.Fatal(err)
	}
	set := map[string]bool{}
	for _, example := range strings.Split(string(text), "```markdown\n")[1:] {
		example, _, _ = strings.Cut(example, "```")
		c := Parse(example)
		if len(c.Warnings)+len(c.Unread) > 0 {
			t.Errorf("%s\n%v%v", example, c.Warnings, c.Unread)
		}
		if c.DoNotMerge == DefaultDoNotMerge {
			c.DoNotMerge = ""
		}
		c.Warnings, c.Unread = []string{}, []string{}
		filled(reflect.ValueOf(c), "", set)
	}
	delete(set, ".Rates.File") // where a row is from
	for name, is := range set {
		if !is {
			t.Errorf("no example sets %s", name)
		}
	}
	if len(set) < 15 {
		t.Errorf("only %d settings were looked at", len(set))
	}
}

// filled notes which exported fields of v, of structs in it and of the rows in its lists hold
// something.
func filled(v reflect.Value, path string, set map[string]bool) {
	switch {
	case v.Kind() == reflect.Struct:
		for _, f := range reflect.VisibleFields(v.Type()) {
			if f.IsExported() {
				filled(v.FieldByIndex(f.Index), path+"."+f.Name, set)
			}
		}
		return
	case v.Kind() == reflect.Slice && v.Type().Elem().Kind() == reflect.Struct:
		for i := range v.Len() {
			filled(v.Index(i), path, set)
		}
	}
	set[path] = set[path] || !v.IsZero()
}
