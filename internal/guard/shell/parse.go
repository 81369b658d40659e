package shell

import (
	"fmt"
	"strings"

	"hooks/internal/guard/word"

	"mvdan.cc/sh/v3/syntax"
)

// maxZsh bounds the texts that are tried again as zsh.
const maxZsh = 8 << 10

// Parse reads shell text statement by statement. Like bash it keeps what stands before a mistake: a -c text runs
// up to the line of its syntax error. The zsh reading counts where bash finds a mistake and zsh none.
func Parse(text string) (stmts []*syntax.Stmt, problem string) {
	if problem := unfit(text); problem != "" {
		return nil, problem
	}
	stmts, err := parseAs(text, syntax.LangBash)
	if err == nil {
		return stmts, ""
	}
	if closed := closeHereDoc(text, err.Error()); closed != "" {
		if again, err := parseAs(closed, syntax.LangBash); err == nil {
			return again, ""
		}
	}
	if len(text) > maxZsh {
		return stmts, word.Clip(err.Error(), 160)
	}
	if zsh, zerr := parseAs(text, syntax.LangZsh); zerr == nil {
		return zsh, ""
	}
	return stmts, word.Clip(err.Error(), 160)
}

// closeHereDoc ends a here-document that the text does not end: bash takes the end of the text for it.
func closeHereDoc(text, problem string) string {
	_, name, ok := strings.Cut(problem, "unclosed here-document `")
	if !ok {
		return ""
	}
	return text + "\n" + strings.TrimSuffix(name, "`") + "\n"
}

func parseAs(text string, lang syntax.LangVariant) (stmts []*syntax.Stmt, err error) {
	defer func() {
		if r := recover(); r != nil { // foreign code over foreign text: a fault in it must not end the program
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

// unfit tells why a text must not reach the parser: it recurses per open parenthesis, and tries every "((" twice.
func unfit(text string) string {
	if len(text) > word.MaxText {
		return fmt.Sprintf("longer than %d bytes", word.MaxText)
	}
	depth, doubles := 0, 0
	for i := 0; i < len(text); i++ {
		switch text[i] {
		case '(', '[', '{', '`':
			if i > 0 && text[i] == '(' && text[i-1] == '(' {
				doubles++
			}
			depth++
		case ')', ']', '}':
			depth = max(0, depth-1)
		case '\n':
			depth = max(0, depth-1) // brackets in prose and patterns need not be closed
		}
		if depth > 300 {
			return "nested too deeply"
		}
	}
	if doubles*len(text) > 2<<20 || openRun(text) > 200 {
		return "nested too deeply"
	}
	return ""
}

// openRun is the longest run of words that each open one level more: "if if if".
func openRun(text string) int {
	run, most := 0, 0
	for rest := text; rest != ""; {
		var w string
		w, rest, _ = strings.Cut(strings.TrimLeft(rest, " \t\n;"), " ")
		if word.Has("if while until ! time { then do else", w) {
			run++
			most = max(most, run)
		} else {
			run = 0
		}
	}
	return most
}

// WordsOf splits text into words as a shell would.
func (f *Frame) WordsOf(text string) []word.Word {
	h := f.Child()
	h.src = "x " + text
	stmts, _ := Parse(h.src)
	if len(stmts) == 1 {
		if c, ok := stmts[0].Cmd.(*syntax.CallExpr); ok && len(c.Args) > 0 {
			return h.words(c.Args[1:])
		}
	}
	return word.Lits(strings.Fields(text)...)
}
