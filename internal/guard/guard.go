package guard

import "hooks/internal/guard/effect"

// The call and its reading, documented in package effect.
type (
	Call    = effect.Call
	Field   = effect.Field
	Repo    = effect.Repo
	Files   = effect.Files
	Links   = effect.Links
	Kind    = effect.Kind
	Act     = effect.Act
	Opaque  = effect.Opaque
	Reading = effect.Reading
)

// MaxFile is the longest file that is read as a program, in bytes.
const MaxFile = effect.MaxFile

// The kinds that callers name. Kind.Merges and Kind.Tampers report the others.
const (
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
