package usage

import (
	"bytes"
	"unsafe"
)

// Marks of the lines that can matter.
const (
	usageMark     = `_tokens"`
	interruptMark = "[Request interrupted by user"
	answersMark   = `answers"`
)

// headType returns a line's top-level type if the line has it before anything nested, as nearly all
// types of the client's lines do. It returns "" if only reading the whole line would show the type.
func headType(line []byte) string {
	for rest := line[min(1, len(line)):]; ; {
		key, after, ok := quoted(rest)
		if !ok || len(after) < 2 || after[0] != ':' {
			return ""
		}
		if string(key) == "type" {
			value, _, _ := quoted(after[1:])
			return view(value)
		}
		if _, rest, ok = scalar(after[1:]); !ok {
			return ""
		}
	}
}

// scalar cuts a string, number or word and the comma behind it off the front.
func scalar(b []byte) (value, rest []byte, ok bool) {
	if b[0] == '"' {
		value, rest, ok = quoted(b)
	} else {
		n := bytes.IndexByte(b[:min(len(b), 32)], ',')
		ok = n > 0 && b[0] != '{' && b[0] != '['
		value, rest = b[:max(n, 0)], b[max(n, 0):]
	}
	if !ok || len(rest) == 0 || rest[0] != ',' {
		return nil, nil, false
	}
	return value, rest[1:], true
}

// quoted cuts a string without escapes off the front.
func quoted(b []byte) (value, rest []byte, ok bool) {
	if len(b) < 2 || b[0] != '"' {
		return nil, nil, false
	}
	n := bytes.IndexByte(b[1:], '"')
	if n < 0 || bytes.IndexByte(b[1:1+n], '\\') >= 0 {
		return nil, nil, false
	}
	return b[1 : 1+n], b[n+2:], true
}

// other reports whether a line names a type that never matters.
func other(line []byte) bool {
	kind := headType(line)
	return kind != "" && kind != "assistant" && kind != "user"
}

// view lends a line to gjson without copying it. What outlives the line must be cloned.
func view(b []byte) string { return unsafe.String(unsafe.SliceData(b), len(b)) }
