// Package guard reads one tool call and returns its effect on a forge, on protected branches and on
// the loop's own files. Guard and the packages below it are pure: they use no clock, disk,
// environment, network or child process. They read a command's files through Files, which the
// caller bounds.
//
// The packages are layered, as AGENTS.md describes: guard (the tools of the client), program
// (programs by name), forges, plain (shell text), paths, shellword, effect.
//
// Guard judges only literal text, before it runs, and evaluates nothing. The computed result of a
// script, a make recipe or another language is at most Opaque; the brake judges the programs that
// it starts. All frames of a reading share one Machine, which holds the acts and the work left.
package guard

import "hooks/internal/guard/effect"

// These types are documented in package effect.
type (
	Call    = effect.Call
	Field   = effect.Field
	Repo    = effect.Repo
	Files   = effect.Files
	Kind    = effect.Kind
	Act     = effect.Act
	Opaque  = effect.Opaque
	Reading = effect.Reading
)

// These constants are documented in package effect. Only the kinds that callers name are here;
// Reading.Merges and Reading.Tampers return the acts of the others.
const (
	MaxFile     = effect.MaxFile
	MergePR     = effect.MergePR
	ApprovePR   = effect.ApprovePR
	OpenPR      = effect.OpenPR
	UseBranch   = effect.UseBranch
	Comment     = effect.Comment
	SetLabel    = effect.SetLabel
	DropLabel   = effect.DropLabel
	WriteLedger = effect.WriteLedger
	WriteState  = effect.WriteState
	AnswerGate  = effect.AnswerGate

	OtherSession     = effect.OtherSession
	DropRegistration = effect.DropRegistration
)
