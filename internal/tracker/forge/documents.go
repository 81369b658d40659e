package forge

import (
	"strings"

	"github.com/tidwall/gjson"
)

// maxDocuments bounds the pages of a list; a page has a hundred issues.
const maxDocuments = 1000

// documents splits the output of a paging program: one JSON object or list after the other. torn
// reports that one was cut or is not JSON. Lines between them that begin like neither are talk of
// the program or of a wrapper, and so are colours: JSON has no raw escape character.
func documents(out []byte) (docs []gjson.Result, torn bool) {
	text := uncoloured(string(out))
	for {
		text = strings.TrimLeft(text, " \t\r\n\ufeff")
		if text != "" && text[0] != '{' && text[0] != '[' {
			_, text, _ = strings.Cut(text, "\n")
			continue
		}
		n := documentEnd(text)
		if n == 0 || len(docs) == maxDocuments {
			return docs, text != ""
		}
		if gjson.Valid(text[:n]) {
			docs = append(docs, gjson.Parse(text[:n]))
			text = text[n:]
			continue
		}
		line, rest, more := strings.Cut(text, "\n")
		if !more || len(docs) > 0 || len(line) < n {
			return docs, true
		}
		text = rest // a line such as "[warning] …"
	}
}

// uncoloured is a text without the escape sequences that colour a terminal.
func uncoloured(text string) string {
	parts := strings.Split(text, "\x1b")
	for i, part := range parts[1:] {
		if rest, ok := strings.CutPrefix(part, "["); ok {
			part = strings.TrimLeft(rest, "0123456789;:?")
			part = part[min(1, len(part)):]
		}
		parts[i+1] = part
	}
	return strings.Join(parts, "")
}

// documentEnd is the length of the object or list that text begins with, 0 if it does not end.
func documentEnd(text string) int {
	depth, quoted := 0, false
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case c == '"':
			quoted = !quoted
		case quoted && c == '\\':
			i++
		case quoted:
		case c == '{' || c == '[':
			depth++
		case c == '}' || c == ']':
			if depth--; depth == 0 {
				return i + 1
			}
		}
	}
	return 0
}
