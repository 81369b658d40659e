// Package schemas holds the JSON Schemas (2020-12) for the files under .sdd/loop, for a skill's
// report, and for the JSON output of the doctor, ledger check, cost and tasks commands.
//
// They serve as documentation, and other programs and the tests validate files with them. The hooks
// check in code, because compiling a schema would cost every hook call several milliseconds.
package schemas

import (
	"embed"
	"strings"
)

const ending = ".schema.json"

//go:embed *.schema.json
var files embed.FS

// Get returns the schema with the given name, such as "budget" or "budget.schema.json".
func Get(name string) ([]byte, bool) {
	text, err := files.ReadFile(strings.TrimSuffix(name, ending) + ending)
	return text, err == nil
}

// Names returns the names of the schemas, sorted.
func Names() []string {
	entries, _ := files.ReadDir(".") // reading an embedded folder cannot fail
	names := make([]string, len(entries))
	for i, e := range entries {
		names[i] = strings.TrimSuffix(e.Name(), ending)
	}
	return names
}
