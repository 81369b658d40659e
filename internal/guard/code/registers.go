package code

import (
	"strings"

	"hooks/internal/guard/place"
	"hooks/internal/guard/shell"
	"hooks/internal/guard/word"
)

// Registers notes a program that names a file of registration or one of this program's own, and
// writes, moves or removes files. What it does to the loop's state is seen by the seal.
func Registers(f *shell.Frame, lang, text string) {
	const writing = `write append unlink remove rename rmtree rmsync .rm( truncate dump copy move
symlink >" >' 'w' "w" 'a' "a" 'w+' 'r+' 'wb' rm( delete`
	if !word.HasPart(strings.ReplaceAll(strings.ToLower(text), " ", ""), writing) {
		return
	}
	ends := func(c rune) bool { return strings.ContainsRune(" \t\n\"'`(),;{}", c) }
	for path := range strings.FieldsFuncSeq(text, ends) {
		named := strings.Contains(path, "/") || strings.HasSuffix(path, ".json")
		if !named || len(path) > 1024 || !f.M.Spend(1) {
			continue
		}
		w := word.Lit(path)
		if f.KindAt(w) == place.Registration || f.Own(f.Resolve(path)) {
			f.Writes(w, lang+": "+path)
		}
	}
}
