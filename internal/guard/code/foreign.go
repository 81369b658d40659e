package code

import (
	"strings"

	"hooks/internal/guard/forges"
	"hooks/internal/guard/paths"
	"hooks/internal/guard/shell"
	"hooks/internal/guard/shellword"
)

// foreign reads a program that is neither Python nor Node nor Go. The brake judges the programs
// that it starts. Here it is opaque where it could land something. An address that merges counts,
// because no other program is started for it.
func foreign(f *shell.Frame, lang, text string) {
	if i := strings.Index(text, "/merge"); i > 0 {
		start := strings.LastIndexAny(text[:i], "\"'`( \n") + 1
		url := text[start : i+len("/merge")]
		forges.Send(f, forges.Request{Method: "PUT", URL: url, Argv: shellword.Lits(lang)})
	}
	if i := strings.Index(text, "mutation"); i >= 0 {
		forges.GraphQL(f, text[i:], nil, shellword.Lits(lang))
	}
	const starts = "system System exec ` qx %x popen pipe Open3 spawn shell script IO. http run " +
		"open("
	switch {
	case !shellword.HasPart(text, starts) || !shellword.Lands(text):
	case forges.MergingText(text):
		f.OpaqueForge(lang+" "+text, "a program in a language that is not read")
	default:
		f.Opaque(lang+" "+text, "a program in a language that is not read")
	}
}

// Registers notes a program that names a file of registration, a ledger or one of this program's
// own, and writes, moves or removes files. The seal finds changes of the loop's state.
func Registers(f *shell.Frame, lang, text string) {
	const writing = `write append unlink remove rename rmtree rmsync .rm( truncate dump copy move
symlink >" >' 'w' "w" 'a' "a" 'w+' 'r+' 'wb' rm( delete`
	if !shellword.HasPart(strings.ReplaceAll(strings.ToLower(text), " ", ""), writing) {
		return
	}
	ends := func(c rune) bool { return strings.ContainsRune(" \t\n\"'`(),;{}", c) }
	for path := range strings.FieldsFuncSeq(text, ends) {
		named := strings.Contains(path, "/") || strings.HasSuffix(path, ".json")
		if !named || len(path) > 1024 || !f.M.Burn(1) {
			continue
		}
		w := shellword.Lit(path)
		kind := f.KindAt(w)
		if kind == paths.Registration || kind == paths.Ledger || f.Own(f.Resolve(path)) {
			f.Writes(w, lang+": "+path)
		}
		if shellword.HasPart(text, "copytree move( rename symlink cpSync") {
			f.Brings(w, lang+": "+path)
		}
	}
}
