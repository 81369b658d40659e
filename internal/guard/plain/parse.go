package plain

import (
	"fmt"
	"strings"

	"hooks/internal/guard/shellword"

	"mvdan.cc/sh/v3/syntax"
)

// maxZsh is the maximum size in bytes of text that is parsed again as zsh.
const maxZsh = 8 << 10

// Parse parses shell text as bash. If that fails and the text is at most maxZsh bytes long, Parse
// tries zsh. If both fail, it returns bash's error and the statements before it, because bash -c
// runs the lines before a syntax error.
func Parse(text string) (stmts []*syntax.Stmt, problem string) {
	if problem := unfit(text); problem != "" {
		return nil, problem
	}
	stmts, err := parseAs(text, syntax.LangBash)
	if err == nil {
		return stmts, ""
	}
	if len(text) <= maxZsh {
		if zsh, zerr := parseAs(text, syntax.LangZsh); zerr == nil {
			return zsh, ""
		}
	}
	return stmts, shellword.Clip(err.Error(), 160)
}

func parseAs(text string, lang syntax.LangVariant) (stmts []*syntax.Stmt, err error) {
	defer func() {
		if r := recover(); r != nil { // a parser bug must not crash the program
			err = fmt.Errorf("parser fault: %v", r)
		}
	}()
	p := syntax.NewParser(syntax.Variant(lang))
	for s, err := range p.StmtsSeq(strings.NewReader(text)) {
		if err != nil {
			return stmts, err
		}
		stmts = append(stmts, s)
	}
	return stmts, nil
}

// The parser recurses, and it tries every "((" twice. These bounds reject text that may be nested
// too deeply for it.
const (
	maxOpeners = 30_000
	maxDoubles = 4_000 // "(("
	maxPieces  = 400_000
)

// unfit returns the parser bound that the text exceeds, or an empty string if it exceeds none.
func unfit(text string) string {
	if len(text) > shellword.MaxShell {
		return fmt.Sprintf("longer than %d bytes", shellword.MaxShell)
	}
	pieces, openers, doubles := 0, 0, 0
	for i := 0; i < len(text); i++ {
		c, before := text[i], text[max(0, i-1)]
		pieces += shellword.Btoi(strings.IndexByte(" \t\n;|&<>$`=", c) >= 0)
		doubles += shellword.Btoi(i > 0 && c == '(' && before == '(')
		starts := c >= 'a' && c <= 'z' && (i == 0 || before < 'a' || before > 'z')
		if strings.IndexByte("([{!", c) >= 0 || starts && startsWord(text[i:], `if while until for
case select time do then else elif coproc function`) {
			openers++
		}
	}
	switch {
	case pieces > maxPieces:
		return fmt.Sprintf("more than %d words", maxPieces)
	case openers > maxOpeners || doubles > maxDoubles:
		return tooDeep
	}
	return ""
}

// startsWord reports whether text begins with one of the words.
func startsWord(text, words string) bool {
	n := 0
	for n < len(text) && n < 9 && shellword.NameByte(text[n]) {
		n++
	}
	return shellword.Has(words, text[:n])
}
