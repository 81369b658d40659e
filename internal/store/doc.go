// Package store keeps the state of loops under <project>/.sdd/loop and is its only writer.
//
// Every file is replaced atomically and durably. A history line is the commit point of an
// iteration, and recover brings the other files up to it after a crash. What cannot be read is
// reported, never guessed and never rewritten.
//
// A change of a run is Begin, State, Commit and End (Tx). A Store belongs to one goroutine of one
// short-lived process.
package store
