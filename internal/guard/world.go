package guard

// World is what a shell meets outside of itself. What it meets may run text in a shell again.
type World interface {
	// Program runs a program by its name and gives what it prints.
	Program(f *frame, name string, argv []word) string
	// Guess reads the words behind a name that is only known when it runs, and tells whether that settles what they do.
	Guess(f *frame, argv []word) bool
	// Inner looks for a command line among the words of a program that nothing is known of.
	Inner(f *frame, name string, args []word)
	// Script reads a program in another language.
	Script(f *frame, lang, text string)
	// Socket reads what is sent over a network connection.
	Socket(f *frame, text string)
}
