package guard

import "hooks/internal/guard/act"

// The call and its reading, documented in package act.
type (
	Call    = act.Call
	Field   = act.Field
	Repo    = act.Repo
	Files   = act.Files
	Links   = act.Links
	Folders = act.Folders
	Kind    = act.Kind
	Act     = act.Act
	Opaque  = act.Opaque
	Reading = act.Reading
)

// MaxFile is the longest file that is read as a program, in bytes.
const MaxFile = act.MaxFile

// The kinds that callers name. Kind.Merges and Kind.Tampers report the others.
const (
	MergePR     = act.MergePR
	ApprovePR   = act.ApprovePR
	OpenPR      = act.OpenPR
	Comment     = act.Comment
	SetLabel    = act.SetLabel
	DropLabel   = act.DropLabel
	WriteConfig = act.WriteConfig

	DropRegistration = act.DropRegistration
)
