package backlog

import "strings"

// kind is how a reader of Markdown sees a line.
type kind int

const (
	plain kind = iota
	heading
	quoted // shown, yet somebody else's words
	hidden // in a code block: shown, yet nobody's words
)

type line struct {
	kind  kind
	level int // of a heading, from 1
	text  string
}

// lines splits a text as it is rendered: HTML comments are gone, code blocks and quotes are marked, headings found.
func lines(body string) func(func(line) bool) {
	return func(yield func(line) bool) {
		s := scanner{comments: strings.Contains(body, "<!--")}
		for body != "" {
			var raw string
			raw, body, _ = strings.Cut(body, "\n")
			l := s.read(trimRight(raw))
			if l.kind == plain && l.text != "" && body != "" && body[0] <= '=' {
				next, _, _ := strings.Cut(body, "\n")
				if level := underline(next); level > 0 && listItem(l.text) == l.text {
					l.kind, l.level = heading, level
					_, body, _ = strings.Cut(body, "\n")
				}
			}
			if !yield(l) {
				return
			}
		}
	}
}

// trimLeft and trimRight are called for every line of every issue; the general functions cost five times as much.
func trimLeft(s string) string {
	for s != "" && (s[0] == ' ' || s[0] == '\t') {
		s = s[1:]
	}
	return s
}

func trimRight(s string) string {
	for s != "" && (s[len(s)-1] == ' ' || s[len(s)-1] == '\t' || s[len(s)-1] == '\r') {
		s = s[:len(s)-1]
	}
	return s
}

// scanner carries what one line leaves open for the next.
type scanner struct {
	fence    string
	comments bool // there are any in the text
	comment  bool
	element  string // the HTML element that hides what is in it, as in "</pre>"
	list     bool   // in a list, where indentation nests
	text     bool   // in a paragraph, where indentation is nothing
	quote    bool   // in a quote's paragraph, which goes on without its mark
}

func (s *scanner) read(raw string) line {
	bare := trimLeft(raw)
	if s.fence != "" {
		if strings.HasPrefix(bare, s.fence) && strings.Trim(bare, s.fence[:1]) == "" {
			s.fence = ""
		}
		return line{kind: hidden, text: bare}
	}
	if s.comment || s.comments && strings.Contains(bare, "<!--") {
		bare = trimLeft(s.uncomment(bare))
	}
	if s.element != "" || bare != "" && bare[0] == '<' && s.opens(bare) {
		if strings.Contains(strings.ToLower(bare), s.element) {
			s.element = ""
		}
		return line{kind: hidden, text: bare}
	}
	l := s.block(raw, bare)
	s.list = listItem(bare) != bare || s.list && (bare == "" || len(raw) > len(bare) || s.text && l.kind == plain)
	s.quote = l.kind == quoted
	s.text = l.kind == plain && bare != ""
	return l
}

// opens notes an HTML element whose content is shown as code or as somebody else's.
func (s *scanner) opens(bare string) bool {
	low := strings.ToLower(bare[:min(len(bare), 12)])
	for _, name := range []string{"pre", "blockquote"} {
		if rest, ok := strings.CutPrefix(low, "<"+name); ok && (rest == "" || !wordByte(rest[0])) {
			s.element = "</" + name + ">"
			return true
		}
	}
	return false
}

// block is a line by its own marks.
func (s *scanner) block(raw, bare string) line {
	item := listItem(bare)
	switch {
	case bare == "":
		return line{}
	case !s.list && !s.text && !s.quote && indented(raw):
		return line{kind: hidden, text: bare}
	case bare[0] == '>':
		return line{kind: quoted, text: strings.TrimLeft(bare, "> ")}
	case bare[0] == '#':
		if level, text := atx(bare); level > 0 {
			return line{heading, level, text}
		}
	default:
		if f := fence(item); f != "" {
			s.fence = f
			return line{kind: hidden}
		}
	}
	if s.quote && item == bare {
		return line{kind: quoted, text: bare}
	}
	return line{text: bare}
}

// indented: a code block is, by four columns.
func indented(raw string) bool {
	return strings.HasPrefix(raw, "    ") || strings.HasPrefix(strings.TrimLeft(raw[:min(len(raw), 4)], " "), "\t")
}

// uncomment cuts HTML comments out of a line, over the end of it where one stays open. Inside inline code a comment
// mark is text.
func (s *scanner) uncomment(text string) string {
	var b strings.Builder
	for text != "" {
		if s.comment {
			_, after, ended := strings.Cut(text, "-->")
			s.comment, text = !ended, after
			continue
		}
		switch {
		case text[0] == '`':
			n := codeSpan(text)
			b.WriteString(text[:n])
			text = text[n:]
		case strings.HasPrefix(text, "<!--"):
			s.comment, text = true, text[len("<!--"):]
		default:
			b.WriteByte(text[0])
			text = text[1:]
		}
	}
	return b.String()
}

// fence is the run of three or more ` or ~ that opens a code block.
func fence(text string) string {
	if text == "" || text[0] != '`' && text[0] != '~' {
		return ""
	}
	run := text[:len(text)-len(strings.TrimLeft(text, text[:1]))]
	if len(run) < 3 || text[0] == '`' && strings.Contains(text[len(run):], "`") {
		return ""
	}
	return run
}

// codeSpan is the length of the inline code that text begins with, or of its run of backticks where none closes it.
func codeSpan(text string) int {
	open := len(text) - len(strings.TrimLeft(text, "`"))
	for i := open; i < len(text); {
		at := strings.IndexByte(text[i:], '`')
		if at < 0 {
			return open
		}
		i += at
		n := len(text[i:]) - len(strings.TrimLeft(text[i:], "`"))
		if i += n; n == open {
			return i
		}
	}
	return open
}

func atx(text string) (level int, title string) {
	rest := strings.TrimLeft(text, "#")
	level = len(text) - len(rest)
	if level > 6 || rest != "" && rest[0] != ' ' && rest[0] != '\t' {
		return 0, ""
	}
	return level, strings.TrimSpace(strings.TrimRight(rest, "# "))
}

// underline is the heading level that a line of = or - gives to the paragraph above it, else 0.
func underline(text string) int {
	if text == "" || text[0] > '=' {
		return 0
	}
	text = strings.TrimSpace(text)
	switch {
	case len(text) > 1 && strings.Trim(text, "=") == "":
		return 1
	case len(text) > 1 && strings.Trim(text, "-") == "":
		return 2
	}
	return 0
}

// listItem is a line without the marks of a list item and its check box.
func listItem(text string) string {
	if text == "" || text[0] > '9' {
		return text
	}
	rest := text
	switch {
	case strings.HasPrefix(rest, "- "), strings.HasPrefix(rest, "* "), strings.HasPrefix(rest, "+ "):
		rest = rest[2:]
	case rest == "-" || rest == "*" || rest == "+":
		return ""
	default:
		digits := strings.TrimLeft(rest, "0123456789")
		if len(digits) == len(rest) || len(rest)-len(digits) > 9 || !strings.HasPrefix(digits, ". ") && !strings.HasPrefix(digits, ") ") {
			return text
		}
		rest = digits[2:]
	}
	rest = strings.TrimLeft(rest, " \t")
	for _, box := range []string{"[ ]", "[x]", "[X]", "[]"} {
		if after, ok := strings.CutPrefix(rest, box); ok && (after == "" || after[0] == ' ' || after[0] == '\t') {
			return strings.TrimLeft(after, " \t")
		}
	}
	return rest
}
