// Package guard reads one tool call and says what it would do to a forge, to protected branches and to the loop's
// own files: which PR it merges, which protected branch it moves, which gate or state it touches.
//
// It is pure: values in, values out. It asks no clock, disk, environment, network or child process. What a command
// runs from disk (scripts, recipes, request bodies) it reads through Files, which the caller bounds.
//
// Shell text is walked as bash would run it, not matched: words are expanded as far as their values are known, wrappers
// are opened, text that a shell or an interpreter would run is read in turn. What stays unknown is Opaque, never
// guessed; what only mentions a merge (messages, searches, here-documents into files) is nothing.
package guard
