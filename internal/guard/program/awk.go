package program

import (
	"strings"

	"hooks/internal/guard/code"
	"hooks/internal/guard/shell"
	"hooks/internal/guard/word"
)

// awk is not read: a program of it that starts others may land what it names.
func awk(f *shell.Frame, argv []word.Word) {
	text := word.JoinText(argv[1:])
	if file, ok := word.ParseFlags(argv[1:], "-F -v -f --file").Get("-f", "--file"); ok {
		text += "\n" + f.FileText(file.Text)
	}
	code.Registers(f, "awk", text)
	if word.HasPart(strings.ReplaceAll(text, " ", ""), `system( |getline |"`) {
		mayRun(f, "awk", text)
	}
}
