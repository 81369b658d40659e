// Package program knows programs by their names: what they run, print and write. It is the world of
// the shells.
package program

import (
	"hooks/internal/guard/code"
	"hooks/internal/guard/forges"
	"hooks/internal/guard/shell"
	"hooks/internal/guard/shellword"
)

// World are the programs of this machine, as the world of its shells.
type World struct {
	// Reads reports whether a command line, its name first, is known to read only.
	Reads func(argv []string) bool
}

// Program runs a program by its name and gives what it prints.
func (w World) Program(f *shell.Frame, name string, argv []shellword.Word) string {
	w.guardOwn(f, name, argv)
	return runProgram(f, name, argv)
}

// Guess reads the words behind an unknown name and reports whether that settles what they do.
func (World) Guess(f *shell.Frame, argv []shellword.Word) bool {
	before := len(f.M.Read.Acts)
	f.Quietly(func() { guess(f, argv) })
	return len(f.M.Read.Acts) > before || harmlessUnknown(f, argv)
}

// Inner looks for a command line that an unknown program would run.
func (World) Inner(f *shell.Frame, name string, args []shellword.Word) {
	f.Quietly(func() { runInner(f, name, args, false) })
}

// Script reads a program in another language.
func (World) Script(f *shell.Frame, lang, text string) {
	noteLibrary(f, text, shellword.Lits(lang))
	code.Read(f, lang, text)
}

// Socket reads what is sent over a network connection.
func (World) Socket(f *shell.Frame, text string) { forges.RawHTTP(f, text) }
