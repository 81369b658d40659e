// Package brake intercepts merges when a program is executed. While a loop is active, a directory
// of links to this program comes first in the PATH of the session's Bash commands. Each link judges
// its actual arguments with package guard, and then executes the real program or refuses. The guard
// cannot read a command that is computed, imported or piped; the brake sees the final arguments.
package brake

import (
	"strings"

	"hooks/internal/guard/shellword"
	"hooks/internal/hint"
	"hooks/internal/seal"
)

// Names lists the programs that have a link.
var Names = [...]string{
	"gh", "glab", "tea", "tea-cli", "hub", "git",
	"curl", "wget", "http", "https", "xh", "xhs",
}

// Refusal is the error for a command that must not run. It wraps an error that has a hint.
type Refusal struct {
	Rule string // for example "merge-pr" or "unreadable"
	What string // the command, without secrets
	err  error
}

func (r *Refusal) Error() string { return r.err.Error() }

// Unwrap returns the error with the hint.
func (r *Refusal) Unwrap() error { return r.err }

func refuse(rule, what, why, way string) *Refusal {
	return &Refusal{rule, what, hint.New(way, "not run: %s: %s (%s)", what, why, rule)}
}

// Line returns the shell line that puts the links first in PATH while the session's loop is active.
// The client evaluates the line before every Bash command, joined to other text by && or a newline,
// so it must exit with 0. Line returns an empty string if home cannot be an element of PATH.
func Line(home, session string) string {
	if home == "" || strings.ContainsAny(home, ":\n\x00") {
		return ""
	}
	return "if [ -e " + shellword.Quote(seal.SwitchPath(home, session)) + " ]; then export PATH=" +
		shellword.Quote(seal.LinksPath(home, session)) + `"${PATH:+:$PATH}"; fi`
}
