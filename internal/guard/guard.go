// Package guard reads one tool call and returns what it would do to a forge, to protected branches
// and to the loop's own files. It is pure, with the packages below it: values in, values out; no
// clock, disk, environment, network or child process. A command's files are read through Files,
// which the caller bounds.
//
// A call becomes a reading in one direction, by the layers of AGENTS.md: guard (the tools of the
// client), program (programs by name), forges, plain (shell text), paths, shellword, effect.
//
// What is plainly written is judged here, before it runs. Nothing is executed in the mind: what a
// script, a recipe or another language computes is Opaque at most, and the brake judges it as it
// starts. All frames of a reading share one Machine: the acts, and the work left.
package guard

import "hooks/internal/guard/effect"

// The call and its reading, documented in package effect.
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

// MaxFile is as in package effect. The others are the kinds that callers name; Kind.Merges and
// Kind.Tampers report the rest.
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
