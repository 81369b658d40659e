package loop

import (
	"crypto/sha256"
	"fmt"
	"strings"
	"time"

	"hooks/internal/hint"
)

// Setup is a command for a kind whose iterations are attempts. Its functions look up facts on this
// machine before a run begins or continues.
type Setup struct {
	Command  Command
	Flags    *Flags // the command's flags, which the kind may change; paths use forward slashes
	Project  string // the project folder
	Cwd      string // the session's working directory
	Fed      bool   // the previous Stop asked for this attempt
	Terminal bool   // a driver prepares the run in a person's terminal
	Driven   bool   // a driver gave the command or started the client that gave it
	Model    bool   // the model called the command as a tool

	Env      func(name string) string
	Old      func() *Budget // the project's existing run of this kind, or nil
	ByPerson func() bool    // reports whether a person typed the command
	// Read returns the contents of a file below root. Error messages refer to the file by its role,
	// for example "spec". missing reports whether the file does not exist.
	Read func(root, role, path string) (text []byte, missing bool, err error)
	// View returns the path and text of the human-readable state file. The text is nil if the file
	// does not exist. An error means that a run could not write its files.
	View      func() (path string, text []byte, err error)
	Worktree  func(dir string) string // real path of dir's linked worktree, or ""
	HasRemote func() bool
	// PostAction returns the configured action after a clean audit (A52).
	PostAction func() (skill, prompt string, push bool)
	// Preflight returns an error if no attempt in root could be judged, for example because root
	// is not a repository. leftOut lists the uncommitted files that the person excludes.
	Preflight func(root string, f TaskFlags) (leftOut []string, err error)
}

// Fresh holds a fresh run's initial values. It is zero for any other entry.
type Fresh struct {
	KindRun
	Plan    []byte   // the plan's text, if a copy of it is kept; otherwise nil
	LeftOut []string // see Budget
}

// Steering is a person's command in a terminal, such as `hooks audit accept F1`.
type Steering struct {
	Word, Text string // for example "accept" and "F1"
	Head       string // the checked-out commit, or ""
	Now        time.Time
	Redact     func(string) string
}

// CheckMinutes is the check command's default time limit, in minutes.
const CheckMinutes = 10

// OnlyOne returns an error if a command names more than one file in a role, such as "spec".
func OnlyOne(role string, paths []string) error {
	if len(paths) < 2 {
		return nil
	}
	return hint.New("give one "+role+" file, and quote a path that contains spaces",
		"%q is more than one %s", strings.Join(paths, " "), role)
}

// Digest returns a short hash of text.
func Digest(text []byte) string {
	sum := sha256.Sum256(text)
	return fmt.Sprintf("%x", sum[:8])
}
