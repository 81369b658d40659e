package shell

import "hooks/internal/guard/shellword"

// World runs the programs that a shell starts. They may run text in a shell again.
type World interface {
	// Program runs a program by its name and gives what it prints.
	Program(f *Frame, name string, argv []shellword.Word) string
	// Guess reads the words behind an unknown name and reports whether that settles what they do.
	Guess(f *Frame, argv []shellword.Word) bool
	// Inner looks for a command line among the words of a program that is not known.
	Inner(f *Frame, name string, args []shellword.Word)
	// Script reads a program in another language.
	Script(f *Frame, lang, text string)
	// Socket reads what is sent over a network connection.
	Socket(f *Frame, text string)
}
