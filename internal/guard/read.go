package guard

// Read says what the call would do. It never panics and its work is bounded whatever the text.
func Read(c Call, r Repo, f Files) Reading {
	return Reading{}
}

// ReadOnly tells whether the call only looks: it may pass while a gate waits for its answer.
func ReadOnly(c Call) bool { return false }

// Mentions returns the issue and PR numbers that a text names, each once, in order.
func Mentions(text string) []int { return nil }

// StatePath tells whether a path, as written from the directory cwd, is under .sdd/loop or is one of the client's
// transcripts.
func StatePath(path, cwd string) bool { return false }
