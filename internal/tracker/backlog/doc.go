// Package backlog determines which issues may be worked on: which open issues are in scope, what
// each depends on, and which have unfinished acceptance criteria. It parses issues as people write
// them and never guesses: an unknown fact is marked as unknown.
package backlog
