package program

import (
	"path"
	"strings"

	"hooks/internal/guard/shell"
	"hooks/internal/guard/word"
)

// filtered is what a line filter lets through: at most what it reads.
func filtered(f *shell.Frame, name string, args []word.Word) string {
	for _, w := range word.ParseFlags(args, "-o --output -k -t -S -T").All("-o", "--output") {
		if name == "sort" {
			f.Writes(w, name+" "+word.Join(args))
		}
	}
	if f.Stdin == nil {
		return word.Hole
	}
	return f.Stdin.Text
}

// pathPart is what basename, dirname and realpath make of a path.
func pathPart(f *shell.Frame, name, text string) string {
	base := word.ProgramName(text)
	switch {
	case strings.Contains(text, word.Trunk):
		return word.Trunk
	case name == "basename" && !word.Unknown(base):
		return base
	case name == "basename" || word.Unknown(text):
		return word.Hole
	case name == "dirname":
		return path.Dir(text)
	}
	return f.Resolve(text)
}
