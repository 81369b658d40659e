// Package schemas holds the JSON Schemas (2020-12) of the files under .sdd/loop, of a skill's
// report, and of the JSON that the doctor, the ledger check, the cost and the tasks commands print.
//
// They are documentation, and other programs and the tests validate files with them. The hooks
// check in code, because compiling a schema would cost every hook call several milliseconds.
package schemas

import (
	"embed"
	"strings"
)

const ending = ".schema.json"

//go:embed *.schema.json
var files embed.FS

// Get returns the text of a schema by its name, such as "budget" or "budget.schema.json".
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
