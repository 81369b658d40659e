package event

import (
	"strings"

	"github.com/tidwall/gjson"
)

// uniqueKeys refuses an object, at any depth of valid JSON, that has a key twice. The reader
// used here takes the first of two values and the client takes the last, so a repeated key could
// show the guard one command and run another. The client itself never writes one. One pass, no
// recursion.
func uniqueKeys(json string) error {
	var open []map[string]struct{} // one per open bracket, nil for an array
	key := true                    // the next string of the innermost object is a key
	for i := 0; i < len(json); i++ {
		switch json[i] {
		case '{':
			open, key = append(open, map[string]struct{}{}), true
		case '[':
			open, key = append(open, nil), false
		case '}', ']':
			open, key = open[:len(open)-1], false
		case ',':
			key = len(open) > 0 && open[len(open)-1] != nil
		case ':':
			key = false
		case '"':
			end := stringEnd(json, i)
			if key && !add(open[len(open)-1], json[i:end]) {
				return twice(json[i:end])
			}
			i = end - 1
		}
	}
	return nil
}

// stringEnd is the offset just past the string that begins at json[i].
func stringEnd(json string, i int) int {
	for i++; json[i] != '"'; i++ {
		if json[i] == '\\' {
			i++
		}
	}
	return i + 1
}

// add notes a quoted key, unescaped so that "\u0061" is "a", and reports whether it is new.
func add(seen map[string]struct{}, quoted string) bool {
	name := quoted[1 : len(quoted)-1]
	if strings.IndexByte(name, '\\') >= 0 {
		name = gjson.Parse(quoted).String()
	}
	if _, ok := seen[name]; ok {
		return false
	}
	seen[name] = struct{}{}
	return true
}

func twice(quoted string) error {
	return refuse("a repeated key can hide what is really run; send each key once",
		"key %q appears twice in one object", clip(gjson.Parse(quoted).String()))
}
