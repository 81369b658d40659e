// Package schemas holds the JSON Schemas (2020-12) of the files under .sdd/loop, of what a skill
// reports, and of what the doctor, the check of ledgers, the cost and the tasks print as JSON.
//
// They are documentation and a check for other programs and for tests; the hooks themselves check
// in code, because compiling a schema would cost every hook call several milliseconds.
package schemas

import (
	"embed"
	"strings"
)

const ending = ".schema.json"

//go:embed *.schema.json
var files embed.FS

// Get is the text of a schema by its name, as in "budget" or "budget.schema.json".
func Get(name string) ([]byte, bool) {
	text, err := files.ReadFile(strings.TrimSuffix(name, ending) + ending)
	return text, err == nil
}

// Names are the schemas there are, sorted.
func Names() []string {
	entries, _ := files.ReadDir(".") // an embedded folder cannot fail
	names := make([]string, len(entries))
	for i, e := range entries {
		names[i] = strings.TrimSuffix(e.Name(), ending)
	}
	return names
}
