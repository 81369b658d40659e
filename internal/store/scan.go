package store

import (
	"bytes"
	"slices"
	"strings"

	"github.com/tidwall/gjson"

	"hooks/internal/codec"
	"hooks/internal/loop"
)

// How this program writes a line. Unescaped quotes are in no JSON string, so these texts are found
// only where there are fields.
const (
	beforeSnapshot = `,"` + snapshotField + `":`
	afterSnapshot  = `},"tracked_prs":[`
	// lineStart begins a line, and within a line only the snapshot. One after the snapshot is where
	// a whole line was joined to half of another.
	lineStart = `{"version":`
)

// Scan calls each with the fields of a line before its snapshot, and with the named ones after it.
// It returns the snapshot, which is most of the line, unread. A line that cannot be read is damage;
// but where a line has the form in which this program writes, the rest of it is only searched for
// what crashes leave: zeros, a cut, a line joined to half of another. Check finds everything else.
// Scan does a thirtieth of the work of reading the whole line. A field may come twice, then the
// later one counts. The fields are good for ever, the snapshot until the next line.
func (l RawLine) Scan(
	each func(name string, v gjson.Result), after ...string,
) (snapshot []byte, err error) {
	head, snapshot, tail := l.split()
	if snapshot != nil && scanHead(head, each) && scanTail(tail, each, after) {
		return snapshot, nil
	}
	if _, err := l.parse(); err != nil {
		return nil, err
	}
	gjson.ParseBytes(l.JSON).ForEach(func(key, v gjson.Result) bool {
		if name := key.String(); name == snapshotField {
			snapshot = []byte(v.Raw)
		} else {
			each(name, v)
		}
		return true
	})
	return snapshot, nil
}

// split cuts a line around its snapshot, which is nil unless the line is as this program writes.
func (l RawLine) split() (head string, snapshot, tail []byte) {
	at := bytes.Index(l.JSON, []byte(beforeSnapshot))
	if at < 0 {
		return "", nil, nil
	}
	rest := l.JSON[at+len(beforeSnapshot):]
	end := bytes.Index(rest, []byte(afterSnapshot)) + 1
	snapshot, tail = rest[:end], rest[end:]
	joined := !bytes.HasPrefix(snapshot, []byte(lineStart)) ||
		bytes.Contains(snapshot[1:], []byte(lineStart))
	// Braces in texts may make a whole line look cut; it is then read as a whole.
	cut := !bytes.HasSuffix(tail, []byte{'}'}) ||
		bytes.Count(tail, []byte{'{'})+1 != bytes.Count(tail, []byte{'}'})
	if joined || cut || bytes.IndexByte(rest, 0) >= 0 {
		return "", nil, nil
	}
	return string(l.JSON[:at]) + "}", snapshot, tail
}

// scanHead shows the fields before the snapshot. It returns false when there is anything that only
// reading the whole line can judge: a field that is missing, of another kind, there twice or below
// zero, or another version.
func scanHead(head string, each func(name string, v gjson.Result)) bool {
	if !gjson.Valid(head) {
		return false
	}
	needs := lineFormat.needs[:len(lineFormat.needs)-1] // the snapshot is the last
	known, next := codec.Fields(lineFormat.of), 0
	seen, odd := 0, false
	gjson.Parse(head).ForEach(func(key, v gjson.Result) bool {
		if i := slices.Index(needs, key.Str); i >= 0 {
			next = codec.Position(known, key.Str, next)
			_, fits := matches(known[next].Type, v)
			odd = seen&(1<<i) != 0 || !fits
			seen |= 1 << i
		}
		odd = odd || v.Type == gjson.Number && v.Num < 0 ||
			key.Str == "version" && v.Num != loop.Version
		each(key.Str, v)
		return !odd
	})
	return !odd && seen == 1<<len(needs)-1
}

// scanTail shows the named fields after the snapshot that are there and not empty. It returns false
// where one is no valid JSON or holds a number below zero, and where the tail is no list of fields.
func scanTail(tail []byte, each func(name string, v gjson.Result), names []string) bool {
	for len(tail) > 1 && tail[0] == ',' && tail[1] == '"' {
		name, value, ok := bytes.Cut(tail[2:], []byte(`":`))
		if !ok {
			return false
		}
		end := valueEnd(value)
		tail = value[end:]
		i := slices.IndexFunc(names, func(n string) bool { return n == string(name) })
		if i < 0 || bytes.HasPrefix(value, []byte("[]")) {
			continue
		}
		v := gjson.Parse(string(value[:end]))
		if !gjson.Valid(v.Raw) || strings.Contains(v.Raw, ":-") {
			return false
		}
		each(names[i], v)
	}
	return string(tail) == "}"
}

// valueEnd is the length of the value that a text begins with.
func valueEnd(text []byte) int {
	depth := 0
	for i := 0; i < len(text); i++ {
		switch text[i] {
		case '"':
			i = closingQuote(text, i+1)
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
