package store

import (
	"bytes"
	"strings"

	"github.com/tidwall/gjson"

	"hooks/internal/loop"
)

// How a line looks that this program wrote. Unescaped quotes are in no JSON string, so what is found by these are fields.
const (
	beforeSnapshot = `,"budget_snapshot":`
	afterSnapshot  = `},"tracked_prs":[`
	// aLine begins a line, and in it only the snapshot: one behind that is where half a line and a whole one were joined.
	aLine = `{"version":`
)

// Skim gives the fields of a line that stand before its snapshot to each, and of those behind it the ones named. It returns
// the snapshot, most of the line, unread. A line that cannot be read is damage; but where it has the form in which this program
// writes, what is not given is only looked through for what crashes leave: zeros, a cut, a line joined to half of another.
// Check tells the rest. That is a thirtieth of the work of reading it all. A field may come twice, then the later counts.
// The fields are good for ever, the snapshot until the next line.
func (l RawLine) Skim(each func(name string, v gjson.Result), behind ...string) (snapshot []byte, err error) {
	head, snapshot, tail := l.split()
	if snapshot != nil && walk(head, each) && pick(tail, each, behind) {
		return snapshot, nil
	}
	if _, err := l.parse(); err != nil {
		return nil, err
	}
	gjson.ParseBytes(l.JSON).ForEach(func(key, v gjson.Result) bool {
		if name := key.String(); name == "budget_snapshot" {
			snapshot = []byte(v.Raw)
		} else {
			each(name, v)
		}
		return true
	})
	return snapshot, nil
}

// split cuts a line that is written as this program does around its snapshot, which is nil for another one.
func (l RawLine) split() (head string, snapshot, tail []byte) {
	at := bytes.Index(l.JSON, []byte(beforeSnapshot))
	if at < 0 {
		return "", nil, nil
	}
	rest := l.JSON[at+len(beforeSnapshot):]
	end := bytes.Index(rest, []byte(afterSnapshot)) + 1
	snapshot, tail = rest[:end], rest[end:]
	if !bytes.HasPrefix(snapshot, []byte(aLine)) || bytes.Contains(snapshot[1:], []byte(aLine)) || bytes.IndexByte(rest, 0) >= 0 || cut(tail) {
		return "", nil, nil
	}
	return string(l.JSON[:at]) + "}", snapshot, tail
}

// cut says that the end of a line closes less than it opens. Braces in texts may make it say so of a whole one.
func cut(tail []byte) bool {
	return tail[len(tail)-1] != '}' || bytes.Count(tail, []byte{'{'})+1 != bytes.Count(tail, []byte{'}'})
}

// walk shows the fields before the snapshot. It is false when there is anything that only the whole reading can judge: a
// field that is missing, of another kind, there twice, below zero, of another version.
func walk(head string, each func(name string, v gjson.Result)) bool {
	if !gjson.Valid(head) {
		return false
	}
	needs := lineFormat.needs[:len(lineFormat.needs)-1] // the snapshot is the last
	seen, odd := 0, false
	gjson.Parse(head).ForEach(func(key, v gjson.Result) bool {
		for i, n := range needs {
			if n.name == key.Str {
				odd = odd || seen&(1<<i) != 0 || !n.is.matches(v)
				seen |= 1 << i
			}
		}
		odd = odd || v.Type == gjson.Number && v.Num < 0 || key.Str == "version" && v.Num != loop.Version
		each(key.Str, v)
		return !odd
	})
	return !odd && seen == 1<<len(needs)-1
}

// pick shows the named fields behind the snapshot, those that are there and not empty. It is false where one is no valid
// JSON or a number in it below zero.
func pick(tail []byte, each func(name string, v gjson.Result), names []string) bool {
	for _, name := range names {
		key := `,"` + name + `":`
		at := bytes.Index(tail, []byte(key))
		if at < 0 || bytes.HasPrefix(tail[at+len(key):], []byte("[]")) {
			continue
		}
		rest := tail[at+len(key):]
		v := gjson.Parse(string(rest[:valueEnd(rest)]))
		if !gjson.Valid(v.Raw) || strings.Contains(v.Raw, ":-") {
			return false
		}
		each(name, v)
	}
	return true
}

// valueEnd is the length of the value that a text begins with.
func valueEnd(text []byte) int {
	depth := 0
	for i := 0; i < len(text); i++ {
		switch text[i] {
		case '"':
			i = closing(text, i+1)
		case '{', '[':
			depth++
		case '}', ']':
			if depth--; depth < 0 {
				return i
			}
		case ',':
			if depth == 0 {
				return i
			}
		}
	}
	return len(text)
}
