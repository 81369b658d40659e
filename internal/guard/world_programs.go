package guard

// Programs are the programs of this machine, as the world of its shells.
type Programs struct{}

// Program runs a program by its name and gives what it prints.
func (Programs) Program(f *frame, name string, argv []word) string { return f.program(name, argv) }

// Guess reads the words behind a name that is only known when it runs, and tells whether that settles what they do.
func (Programs) Guess(f *frame, argv []word) bool {
	before := len(f.m.read.Acts)
	f.quietly(func() { f.guess(argv) })
	return len(f.m.read.Acts) > before || f.harmlessUnknown(argv)
}

// Inner looks for a command line that an unknown program would run.
func (Programs) Inner(f *frame, name string, args []word) {
	f.quietly(func() { f.inner(name, args) })
}

// Script reads a program in another language.
func (Programs) Script(f *frame, lang, text string) { f.code(lang, text, nil) }

// Socket reads what is sent over a network connection.
func (Programs) Socket(f *frame, text string) { f.rawHTTP(text) }
