// Package powershell reads PowerShell text for the commands that it would run, the requests that it
// would send and the files that it would write. It reads plain statements. The results of operators
// and methods are not known.
package powershell

import (
	"strings"

	"hooks/internal/guard/forges"
	"hooks/internal/guard/shell"
	"hooks/internal/guard/shellword"
)

// Read cuts the text into statements and runs them one by one. Variables are those assigned in the
// same text. Script blocks are read as if they ran.
func Read(f *shell.Frame, text string) {
	if len(text) > shellword.MaxText {
		f.M.Abort("longer than 65536 bytes")
		return
	}
	f.M.Burn(1 + len(text)/16)
	l := &lexer{f: f, s: text}
	piped := ""
	for end := byte(';'); end != 0 && f.M.Burn(1); {
		var words []shellword.Word
		if words, end = l.statement(); len(words) > 0 {
			piped = statement(f, words, piped)
		}
		if end != '|' {
			piped = ""
		}
	}
}

// lexer cuts PowerShell into statements of words.
type lexer struct {
	f *shell.Frame
	s string
	i int
}

func (l *lexer) at(mark string) bool { return strings.HasPrefix(l.s[l.i:], mark) }

// until returns the text up to a mark and moves behind the mark.
func (l *lexer) until(mark string) string {
	text, rest, _ := strings.Cut(l.s[l.i:], mark)
	l.i = len(l.s) - len(rest)
	return text
}

// statement reads words up to the next mark and returns the mark, 0 at the end.
func (l *lexer) statement() (words []shellword.Word, end byte) {
	for l.i < len(l.s) {
		switch c := l.s[l.i]; {
		case c == ' ' || c == '\t' || c == '\r' || c == ',':
			l.i++
		case l.at("`\n"), l.at("`\r"):
			l.i += 2
		case c == '#':
			l.until("\n")
			return words, ';'
		case l.at("<#"):
			l.until("#>")
		case c == '(' && len(words) > 0:
			if n := len(words); words[n-1].Src == "@" { // @(…) is a list
				words = words[:n-1]
			}
			words = append(words, l.parens()...)
		case c == '&' && len(words) == 0 && !l.at("&&"):
			l.i++
			words = shellword.Lits("&")
		case strings.IndexByte(";\n|{}&()", c) >= 0:
			double := l.at("&&") || l.at("||")
			if l.i++; double {
				l.i++
				c = ';'
			}
			return words, c
		default:
			start := l.i
			w := shellword.Lit(l.word())
			l.i = max(l.i, start+1)
			w.Src = l.s[start:l.i]
			words = append(words, w)
		}
	}
	return words, 0
}

// parens reads ( … ) among a command's words. A list of literals gives its words. A command is
// run, and its output is not known.
func (l *lexer) parens() []shellword.Word {
	start, end := l.i, shellword.Matching(l.s, l.i)
	if end < 0 {
		end = len(l.s)
	}
	inner := strings.TrimSpace(l.s[start+1 : end])
	l.i = min(end+1, len(l.s))
	method := l.at(".")
	for method && l.i < len(l.s) && (shellword.NameByte(l.s[l.i]) ||
		strings.IndexByte(".()", l.s[l.i]) >= 0) {
		l.i++
	}
	unknown := []shellword.Word{{Text: shellword.Unknown, Src: shellword.Clip(l.s[start:l.i], 100)}}
	switch {
	case inner == "" || !l.f.M.Burn(2+len(inner)/16):
		return nil
	case strings.IndexByte("'\"$@0123456789[(", inner[0]) < 0:
		defer l.f.Through("(…)")()
		Read(l.f, inner)
		return unknown
	case method || computed(inner):
		return unknown
	}
	words, _ := (&lexer{f: l.f, s: inner}).statement()
	return words
}

// computed reports whether an expression has operators or methods outside of its quotes.
func computed(text string) bool {
	var bare strings.Builder
	quote := rune(0)
	for _, c := range strings.ToLower(text) {
		switch {
		case quote == c:
			quote = 0
		case quote != 0:
		case c == '\'' || c == '"':
			quote = c
			bare.WriteByte('_')
		default:
			bare.WriteRune(c)
		}
	}
	return shellword.HasPart(bare.String(),
		"+ :: _. -f -join -replace -creplace -split -bxor [char] ).")
}

// word reads one word without its quotes.
func (l *lexer) word() string {
	var out strings.Builder
	quote := byte(0)
	for l.i < len(l.s) {
		c := l.s[l.i]
		switch {
		case quote == 0 && (l.at("@'\n") || l.at("@\"\n")):
			mark := "\n" + l.s[l.i+1:l.i+2] + "@"
			l.i += 3
			out.WriteString(l.until(mark))
		case c == quote && l.at("''"), c == '`' && quote != '\'' && l.i+1 < len(l.s):
			l.i++
			if c = l.s[l.i]; quote == '"' && c == 'n' {
				c = '\n'
			}
			out.WriteByte(c)
			l.i++
		case c == quote:
			quote = 0
			l.i++
		case quote == 0 && (c == '\'' || c == '"'):
			quote = c
			l.i++
		case quote != '\'' && (c == '$' || quote == 0 && c == '@' && l.i+1 < len(l.s) &&
			shellword.NameByte(l.s[l.i+1])):
			out.WriteString(l.variable())
		case quote == 0 && strings.IndexByte(" \t\r\n;|{}(),&", c) >= 0:
			return out.String()
		default:
			out.WriteByte(c)
			l.i++
		}
	}
	return out.String()
}

// variable reads $name, ${name}, @name, $env:NAME and $(…). A name that the text does not assign
// is unknown.
func (l *lexer) variable() string {
	if l.i++; l.at("(") {
		end := shellword.Matching(l.s, l.i)
		if end < 0 {
			end = len(l.s)
		}
		inner := l.s[l.i+1 : end]
		l.i = min(end+1, len(l.s))
		Read(l.f, inner)
		return shellword.Unknown
	}
	start := l.i
	for l.i < len(l.s) && (shellword.NameByte(l.s[l.i]) && l.s[l.i] != '$' ||
		strings.IndexByte("{}:", l.s[l.i]) >= 0) {
		l.i++
	}
	name := strings.ToLower(strings.Trim(l.s[start:l.i], "{}"))
	if v, ok := l.f.First("$" + name); ok {
		return v
	}
	if name == "pwd" {
		return l.f.Cwd
	}
	return shellword.Unknown
}

// quoted reports whether a word is a text or a list of them.
func quoted(w shellword.Word) bool {
	return w.Src != "" && strings.IndexByte("'\"@", w.Src[0]) >= 0
}

// statement runs one statement. It returns the text that the next one of its pipe reads.
func statement(f *shell.Frame, words []shellword.Word, piped string) string {
	if name, rest := assigned(words); name != "" {
		return assign(f, name, rest)
	}
	switch {
	case strings.HasPrefix(words[0].Src, "$"), len(words) == 1 && quoted(words[0]):
		return words[0].Text // it is printed
	case words[0].Text == "&" || words[0].Text == ".":
		words = words[1:]
	}
	if len(words) > 1 && strings.HasSuffix(strings.ToLower(words[0].Text), "]::start") {
		// [Diagnostics.Process]::Start('gh', 'pr merge 5')
		words[0] = shellword.Lit("start-process")
	}
	var split []shellword.Word // a variable that holds a list is several words
	for _, w := range words {
		list := strings.HasPrefix(w.Src, "@") || strings.HasPrefix(w.Src, "$") && w.Known()
		if list && strings.Contains(w.Text, " ") {
			split = append(split, shellword.Lits(strings.Fields(w.Text)...)...)
		} else {
			split = append(split, w)
		}
	}
	if len(split) == 0 {
		return ""
	}
	return command(f, split, piped)
}

// assigned takes $name = value apart, with or without blanks.
func assigned(words []shellword.Word) (name string, rest []shellword.Word) {
	name, val, ok := strings.Cut(words[0].Src, "=")
	switch {
	case !strings.HasPrefix(name, "$"):
		return "", nil
	case len(words) > 2 && (words[1].Text == "=" || words[1].Text == "+="):
		rest = words[2:]
	case ok && val != "": // $x='…'
		_, text, _ := strings.Cut(words[0].Text, "=")
		rest = append([]shellword.Word{{Text: text, Src: val}}, words[1:]...)
	default:
		return "", nil
	}
	return "$" + strings.ToLower(strings.Trim(name, "${}+")), rest
}

// assign gives a variable the text of a literal or of a list. The output of a command is not known,
// but for the names that git prints.
func assign(f *shell.Frame, name string, rest []shellword.Word) string {
	value := shellword.JoinText(rest)
	letter := strings.Trim(rest[0].Src[:min(1, len(rest[0].Src))], "'\"$[@0123456789") != ""
	for _, w := range rest {
		if value == "@" || computed(w.Src) {
			value = shellword.Unknown
		}
	}
	switch {
	case letter && rest[0].Src == "git":
		value = strings.TrimSpace(forges.GitOutput(f, rest))
	case letter && len(rest) > 1:
		value = shellword.Unknown
	}
	f.Let(name, value)
	if letter {
		return statement(f, rest, "")
	}
	return value
}
