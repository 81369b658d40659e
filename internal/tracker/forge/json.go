package forge

import (
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/tidwall/gjson"

	"hooks/internal/tracker/backlog"
)

const mostDocuments = 1000

// documents splits what a paging program printed, one JSON object or list after the other. torn says that one was cut, or
// is none. Lines between them that begin like neither are a wrapper's or a program's own talk, and so are colours: JSON has
// no escape character as such.
//
// mostDocuments bounds them: a page has a hundred issues.
func documents(out []byte) (docs []gjson.Result, torn bool) {
	text := plain(string(out))
	for {
		text = strings.TrimLeft(text, " \t\r\n\ufeff")
		if text != "" && text[0] != '{' && text[0] != '[' {
			_, text, _ = strings.Cut(text, "\n")
			continue
		}
		n := documentEnd(text)
		if n == 0 || len(docs) == mostDocuments {
			return docs, text != ""
		}
		if !gjson.Valid(text[:n]) {
			if line, rest, more := strings.Cut(text, "\n"); more && len(docs) == 0 && len(line) >= n { // as in "[warning] …"
				text = rest
				continue
			}
			return docs, true
		}
		docs = append(docs, gjson.Parse(text[:n]))
		text = text[n:]
	}
}

// plain is a text without the escape sequences that colour a terminal.
func plain(text string) string {
	if strings.IndexByte(text, '\x1b') < 0 {
		return text
	}
	var b strings.Builder
	for {
		before, after, found := strings.Cut(text, "\x1b")
		b.WriteString(before)
		if !found {
			return b.String()
		}
		if rest, ok := strings.CutPrefix(after, "["); ok {
			after = strings.TrimLeft(rest, "0123456789;:?")
			if after != "" {
				after = after[1:]
			}
		}
		text = after
	}
}

// documentEnd is the length of the object or list that text begins with, 0 where it has none that ends.
func documentEnd(text string) int {
	depth := 0
	for i := 0; i < len(text); i++ {
		switch text[i] {
		case '"':
			n := stringEnd(text[i+1:])
			if n < 0 {
				return 0
			}
			i += n + 1
		case '{', '[':
			depth++
		case '}', ']':
			if depth--; depth <= 0 {
				return i + 1
			}
		}
		if depth == 0 {
			return 0
		}
	}
	return 0
}

// stringEnd is the place of the quote that ends a string, -1 where none does.
func stringEnd(text string) int {
	for i := 0; i < len(text); i++ {
		switch text[i] {
		case '"':
			return i
		case '\\':
			i++
		}
	}
	return -1
}

// number is a positive whole number, also one in a string as GitLab writes them; else 0.
func number(r gjson.Result) int {
	if r.Type != gjson.Number && r.Type != gjson.String {
		return 0
	}
	if n := r.Int(); n > 0 && n <= 1_000_000_000 && (r.Type == gjson.String || r.Num == float64(n)) {
		return int(n)
	}
	return 0
}

// mostTitle bounds titles, labels and names, in bytes; mostBody what is read of a body.
const (
	mostTitle = 1000
	mostBody  = 256 << 10
)

func text(r gjson.Result, most int) string {
	if r.Type != gjson.String {
		return ""
	}
	if len(r.Str) > most {
		return strings.ToValidUTF8(r.Str[:most], "")
	}
	if utf8.ValidString(r.Str) {
		return r.Str
	}
	return strings.ToValidUTF8(r.Str, "\ufffd")
}

// list is a list's elements, or those of a connection's nodes; null where it is neither.
func list(r gjson.Result) []gjson.Result {
	if r.IsObject() {
		r = r.Get("nodes")
	}
	if !r.IsArray() {
		return nil
	}
	return r.Array()
}

// texts are a list's strings, or one field of its objects.
func texts(r gjson.Result, field string) []string {
	var out []string
	for _, e := range list(r) {
		if e.IsObject() {
			e = e.Get(field)
		}
		if s := text(e, mostTitle); s != "" {
			out = append(out, s)
		}
	}
	return out
}

func numbers(r gjson.Result, field string) []int {
	var out []int
	for _, e := range list(r) {
		if e.IsObject() {
			e = e.Get(field)
		}
		if n := number(e); n > 0 {
			out = append(out, n)
		}
	}
	return out
}

func moment(r gjson.Result) time.Time {
	t, err := time.Parse(time.RFC3339, r.String())
	if err != nil {
		return time.Time{}
	}
	return t.UTC()
}

func state(word string) backlog.State {
	switch strings.ToLower(word) {
	case "open", "opened":
		return backlog.Open
	case "closed", "merged", "locked":
		return backlog.Closed
	}
	return backlog.Unknown
}

// once drops what stands on two pages because the list moved between the calls.
func once(issues []backlog.Issue) []backlog.Issue {
	seen := make(map[int]bool, len(issues))
	return slices.DeleteFunc(issues, func(i backlog.Issue) bool {
		again := seen[i.Number]
		seen[i.Number] = true
		return again
	})
}
