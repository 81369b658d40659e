// Package powershell reads PowerShell text for what it would run, request or write.
package powershell

import (
	"slices"
	"strings"

	"hooks/internal/guard/forges"
	"hooks/internal/guard/shell"
	"hooks/internal/guard/word"
)

// Read reads PowerShell text as far as text allows: statements are cut at their marks, words are
// taken out of their quotes, variables are those assigned in the same text. Script blocks are read
// as if they ran.
func Read(f *shell.Frame, text string) {
	if len(text) > word.MaxText {
		f.M.GiveUp("longer than 65536 bytes")
		return
	}
	if !f.M.Spend(1 + len(text)/16) {
		return
	}
	l := &lexer{f: f, s: text}
	piped := ""
	for {
		words, end := l.statement()
		if len(words) > 0 {
			piped = statement(f, words, piped)
		}
		if end != '|' {
			piped = ""
		}
		if end == 0 || !f.M.Spend(1) {
			return
		}
	}
}

// lexer cuts PowerShell into statements of words.
type lexer struct {
	f *shell.Frame
	s string
	i int
}

// statement reads words up to the next mark and returns the mark, 0 at the end.
func (l *lexer) statement() (words []word.Word, end byte) {
	for l.i < len(l.s) {
		c := l.s[l.i]
		switch {
		case c == ' ' || c == '\t' || c == '\r' || c == ',':
			l.i++
		case c == '`' && l.i+1 < len(l.s) && (l.s[l.i+1] == '\n' || l.s[l.i+1] == '\r'):
			l.i += 2
		case c == '#':
			l.skipTo("\n")
		case strings.HasPrefix(l.s[l.i:], "<#"):
			l.skipTo("#>")
		case strings.IndexByte(";\n|{}&()", c) >= 0 && !(c == '&' && len(words) == 0 && !strings.HasPrefix(l.s[l.i:], "&&")):
			if n := len(words); c == '(' && n > 0 {
				if words[n-1].Src == "@" { // @(…), a list
					words = words[:n-1]
				}
				words = append(words, l.parens()...)
				continue
			}
			l.i++
			if l.i < len(l.s) && (c == '&' || c == '|') && l.s[l.i] == c {
				l.i++
				c = ';'
			}
			return words, c
		default:
			start := l.i
			w := l.word()
			w.Src = l.s[start:l.i]
			words = append(words, w)
			if l.i == start {
				l.i++
			}
		}
	}
	return words, 0
}

// parens reads ( … ) among a command's words: a list gives its words, what is computed is unknown,
// a command is run and what it prints is unknown.
func (l *lexer) parens() []word.Word {
	start, end := l.i, word.Matching(l.s, l.i)
	if end < 0 {
		end = len(l.s) - 1
	}
	l.i = end + 1
	inner := strings.TrimSpace(l.s[start+1 : max(end, start+1)])
	for l.i < len(l.s) && l.s[l.i] == '.' { // .Content, .ToLower()
		l.i++
		for l.i < len(l.s) && (word.NameByte(l.s[l.i]) || l.s[l.i] == '(' || l.s[l.i] == ')') {
			l.i++
		}
		inner += "::"
	}
	unknown := []word.Word{{Text: word.Hole, Src: word.Clip(l.s[start:l.i], 100)}}
	if inner == "" || !l.f.M.Spend(2+len(inner)/16) {
		return nil
	}
	if strings.IndexByte("'\"$@0123456789[(", inner[0]) < 0 {
		defer l.f.Through("(…)")()
		Read(l.f, inner)
		return unknown
	}
	if computed(inner) {
		return unknown
	}
	words, _ := (&lexer{f: l.f, s: inner}).statement()
	return words
}

// computed reports whether an expression has operators or methods. Its value is not followed.
func computed(text string) bool {
	var bare strings.Builder
	quote := byte(0)
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case quote != 0:
			if c == quote {
				quote = 0
			}
		case c == '\'' || c == '"':
			quote = c
			bare.WriteByte('_')
		default:
			bare.WriteByte(c)
		}
	}
	const operators = "+ :: _. -f -join -replace -creplace -split -bxor [char] )."
	return word.HasPart(strings.ToLower(bare.String()), operators)
}

func (l *lexer) skipTo(mark string) {
	j := strings.Index(l.s[l.i:], mark)
	if j < 0 {
		l.i = len(l.s)
		return
	}
	l.i += j
	if mark == "#>" {
		l.i += 2
	}
}

func (l *lexer) word() word.Word {
	var out strings.Builder
	for l.i < len(l.s) {
		c := l.s[l.i]
		switch {
		case strings.HasPrefix(l.s[l.i:], "@'\n") || strings.HasPrefix(l.s[l.i:], "@\"\n"):
			out.WriteString(l.hereString())
		case c == '\'':
			out.WriteString(l.single())
		case c == '"':
			out.WriteString(l.double())
		case c == '`' && l.i+1 < len(l.s):
			out.WriteByte(l.s[l.i+1])
			l.i += 2
		case c == '$':
			out.WriteString(l.variable())
		case c == '@' && l.i+1 < len(l.s) && word.NameByte(l.s[l.i+1]):
			l.i++ // splatting: the list's words
			l.i--
			l.s = l.s[:l.i] + "$" + l.s[l.i+1:]
		case strings.IndexByte(" \t\r\n;|{}(),", c) >= 0 || c == '&':
			if out.Len() == 0 && c == '&' {
				l.i++
				return word.Lit("&")
			}
			return word.Lit(out.String())
		default:
			out.WriteByte(c)
			l.i++
		}
	}
	return word.Lit(out.String())
}

func (l *lexer) single() string {
	var out strings.Builder
	for l.i++; l.i < len(l.s); l.i++ {
		if l.s[l.i] == '\'' {
			if l.i+1 < len(l.s) && l.s[l.i+1] == '\'' {
				l.i++
			} else {
				l.i++
				break
			}
		}
		out.WriteByte(l.s[l.i])
	}
	return out.String()
}

func (l *lexer) double() string {
	var out strings.Builder
	for l.i++; l.i < len(l.s); {
		switch c := l.s[l.i]; {
		case c == '"':
			l.i++
			return out.String()
		case c == '`' && l.i+1 < len(l.s):
			if l.s[l.i+1] == 'n' {
				out.WriteByte('\n')
			} else {
				out.WriteByte(l.s[l.i+1])
			}
			l.i += 2
		case c == '$':
			out.WriteString(l.variable())
		default:
			out.WriteByte(c)
			l.i++
		}
	}
	return out.String()
}

func (l *lexer) hereString() string {
	closer := "\n" + l.s[l.i+1:l.i+2] + "@"
	body := l.s[l.i+3:]
	end := strings.Index(body, closer)
	if end < 0 {
		l.i = len(l.s)
		return body
	}
	l.i += 3 + end + len(closer)
	return body[:end]
}

// variable reads $name, ${name}, $env:NAME and $(…); what is not assigned in the text is unknown.
func (l *lexer) variable() string {
	l.i++
	if l.i < len(l.s) && l.s[l.i] == '(' {
		end := word.Matching(l.s, l.i)
		if end < 0 {
			end = len(l.s)
		}
		inner := l.s[l.i+1 : end]
		l.i = min(end+1, len(l.s))
		Read(l.f, inner)
		return word.Hole
	}
	start := l.i
	for l.i < len(l.s) && (word.NameByte(l.s[l.i]) && l.s[l.i] != '$' || strings.IndexByte("{}:", l.s[l.i]) >= 0) {
		l.i++
	}
	name := strings.ToLower(strings.Trim(l.s[start:l.i], "{}"))
	if v, ok := l.f.First("$" + name); ok {
		return v
	}
	if name == "pwd" {
		return l.f.Cwd
	}
	return word.Hole
}

// statement runs one statement; it returns what the next one of its pipe would read, where that is
// plain text.
func statement(f *shell.Frame, words []word.Word, piped string) string {
	if name, rest := assigned(words); name != "" {
		value := word.JoinText(rest)
		plain := rest[0].Src != "" && strings.IndexByte("'\"$[", rest[0].Src[0]) >= 0
		unknown := func(w word.Word) bool { return computed(w.Src) }
		if value == "@" || plain && slices.ContainsFunc(rest, unknown) {
			value = word.Hole
		}
		first := rest[0].Src
		letter := first != "" && first[0]|0x20 >= 'a' && first[0]|0x20 <= 'z'
		if letter && len(rest) > 1 {
			value = word.Hole // what a command prints
			if first == "git" {
				value = strings.TrimSpace(forges.GitOutput(f, rest))
			}
		}
		f.Let(name, value)
		if plain && !strings.Contains(strings.ToLower(rest[0].Text), "[scriptblock]::create") {
			return value
		}
		return statement(f, rest, piped)
	}
	for _, w := range words {
		if strings.Contains(strings.ToLower(w.Src), "[scriptblock]::create") {
			f.Opaque(word.Join(words), whenItRuns)
		}
	}
	if words[0].Text == "&" || words[0].Text == "." && len(words) > 1 {
		words = words[1:]
	}
	if len(words) == 0 {
		return ""
	}
	// [Diagnostics.Process]::Start('gh', 'pr merge 5')
	if strings.HasSuffix(strings.ToLower(words[0].Text), "]::start") {
		start(f, words[1:])
		return ""
	}
	var split []word.Word // a splatted or spaced variable in command position or behind it is several words
	for _, w := range words {
		if strings.HasPrefix(w.Src, "@") || strings.HasPrefix(w.Src, "$") && strings.Contains(w.Text, " ") && w.Known() {
			split = append(split, word.Lits(strings.Fields(w.Text)...)...)
		} else {
			split = append(split, w)
		}
	}
	if len(words) == 1 && words[0].Src != "" && strings.IndexByte("\"'@", words[0].Src[0]) >= 0 {
		return words[0].Text
	}
	return command(f, split, piped)
}

// assigned takes $name = value apart, with or without blanks.
func assigned(words []word.Word) (name string, rest []word.Word) {
	src := words[0].Src
	if !strings.HasPrefix(src, "$") {
		return "", nil
	}
	lower := func(s string) string { return "$" + strings.ToLower(strings.Trim(s, "${}+")) }
	if len(words) > 2 && (words[1].Text == "=" || words[1].Text == "+=") {
		return lower(src), words[2:]
	}
	if left, val, ok := strings.Cut(src, "="); ok && val != "" { // $x='…'
		_, first, _ := strings.Cut(words[0].Text, "=")
		return lower(left), append([]word.Word{{Text: first, Src: val}}, words[1:]...)
	}
	return "", nil
}
