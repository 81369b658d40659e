package guard

import (
	"slices"
	"strings"

	"hooks/internal/guard/effect"
	"hooks/internal/guard/plain"
	"hooks/internal/guard/shellword"
	"mvdan.cc/sh/v3/syntax"
)

// Reported reports whether any part of a command runs `hooks report`. It returns the payload only
// if the call consists of that command alone, and the payload is a literal here-string or a
// here-document with a quoted delimiter. Otherwise the payload is empty.
func Reported(c effect.Call) (payload string, reports bool) {
	for argv := range calls(c.CommandText()) {
		reports = reports || shellword.ProgramName(argv[0]) == "hooks" &&
			shellword.AnyOf(argv[1:], "report")
	}
	stmts, _ := plain.Parse(c.CommandText())
	if !reports || len(stmts) != 1 {
		return "", reports
	}
	s, f := stmts[0], unknowing()
	call, simple := s.Cmd.(*syntax.CallExpr)
	if !simple || s.Negated || s.Background || s.Coprocess || len(s.Redirs) != 1 ||
		len(call.Assigns) > 0 || len(call.Args) != 2 || literal(f, call.Args[0]) != "hooks" ||
		literal(f, call.Args[1]) != "report" {
		return "", true
	}
	switch r := s.Redirs[0]; {
	case r.N != nil:
	case r.Op == syntax.WordHdoc:
		payload = literal(f, r.Word)
	case r.Op == syntax.Hdoc && (r.Word.Lit() == "" || strings.Contains(r.Word.Lit(), `\`)):
		payload = r.Hdoc.Lit() // the delimiter is quoted, so nothing is expanded
	}
	if shellword.HasUnknown(payload) {
		payload = ""
	}
	return payload, true
}

// Shown returns the first setting in the call's git config commands that makes git's output depend
// on another program, for example "diff.external". It returns an empty string if there is none.
func Shown(c effect.Call) (setting string) {
	for argv := range calls(c.CommandText()) {
		at := slices.Index(argv, "config")
		if at < 0 || shellword.ProgramName(argv[0]) != "git" || looker(nil).argv(argv) {
			continue
		}
		for _, w := range argv[at:] {
			name := strings.ToLower(w)
			ofDiff := strings.HasPrefix(name, "diff.") && (strings.HasSuffix(name, ".textconv") ||
				strings.HasSuffix(name, ".command"))
			if ofDiff || strings.HasPrefix(name, "pager.") ||
				shellword.Has("diff.external core.fsmonitor core.pager", name) {
				return w
			}
		}
	}
	return ""
}

// Prints returns the arguments that may name a file that the call prints: all arguments of cat,
// head, tail, nl and sed, and FILE in git show REV:FILE. Some may be options or other values.
func Prints(c effect.Call) (files []string) {
	for argv := range calls(c.CommandText()) {
		switch at := slices.Index(argv, "show"); {
		case shellword.HasUnknown(strings.Join(argv, "")):
		case shellword.Has("cat head tail nl sed", argv[0]):
			files = append(files, argv[1:]...)
		case argv[0] == "git" && at > 0:
			for _, arg := range argv[at+1:] {
				if _, file, ok := strings.Cut(arg, ":"); ok {
					files = append(files, file)
				}
			}
		}
	}
	return files
}
