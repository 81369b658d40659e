package install

import (
	"bytes"
	"encoding/json"
	"strings"
)

// style is how a text is laid out.
type style struct {
	newline string // "\n" or "\r\n"
	unit    string // one level of indentation
	oneLine bool   // everything is on one line
}

// styleOf reads the style of a text. The first member of the root shows the indentation.
func styleOf(text string) style {
	s := style{newline: "\n", unit: "  "}
	if strings.Contains(text, "\r\n") {
		s.newline = "\r\n"
	}
	root := rootOf(text)
	if len(root.kids) == 0 {
		return s
	}
	if lead := root.lead(text, 0); strings.Contains(lead, "\n") {
		s.unit = afterNewline(lead)
	}
	s.oneLine = !strings.Contains(root.Raw, "\n")
	return s
}

// afterNewline is the rest of a text after its last line break.
func afterNewline(text string) string { return text[strings.LastIndexByte(text, '\n')+1:] }

// lineIndent is the indentation of the line that an offset is in.
func lineIndent(text string, at int) string {
	line := afterNewline(text[:at])
	return line[:len(line)-len(strings.TrimLeft(line, " \t"))]
}

// render lays a compact value out as the text around it. The first line is not indented.
func (s style) render(value, indent string) string {
	var b bytes.Buffer
	_ = json.Indent(&b, []byte(value), indent, s.unit) // the value is ours, and valid
	return strings.ReplaceAll(b.String(), "\n", s.newline)
}
