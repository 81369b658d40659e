// Package backlog finds out what may be worked on: which open issues are in scope, what each
// depends on, which have unfinished acceptance criteria. It reads issues the way people write them
// and never guesses: an unknown fact is marked as unknown.
package backlog
