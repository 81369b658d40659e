// Package brake stops merges at the moment a program starts. While a loop is on, a folder of links
// to this program is first in the PATH of the session's Bash commands: each link judges the
// arguments it was really given by the guard's tables, and then either replaces itself by the real
// program or refuses. However a merge was computed, imported or piped, it arrives there in plain
// words.
package brake

import (
	"path/filepath"
	"slices"
	"strings"

	"hooks/internal/guard/shellword"
	"hooks/internal/hint"
	"hooks/internal/seal"
)

// Names are the programs that have a link.
var Names = [...]string{
	"gh", "glab", "tea", "tea-cli", "hub", "git",
	"curl", "wget", "http", "https", "xh", "xhs",
}

// Refusal is a command that must not run, as an error that carries its hint.
type Refusal struct {
	Rule string // as in "merge-pr", "unreadable"
	What string // the command, without secrets
	err  error
}

func (r *Refusal) Error() string { return r.err.Error() }

// Unwrap returns the text and its hint.
func (r *Refusal) Unwrap() error { return r.err }

func refuse(rule, what, why, way string) *Refusal {
	return &Refusal{rule, what, hint.New(way, "not run: %s: %s (%s)", what, why, rule)}
}

// Line returns the shell line that puts the links first in PATH while the loop of a session is on.
// It is evaluated before every Bash command, joined to other text by && or a line feed, and leaves
// the status 0. It is empty if the home cannot stand in PATH.
func Line(home, session string) string {
	if home == "" || strings.ContainsAny(home, ":\n\x00") {
		return ""
	}
	word := func(path string) string { return shellword.Quoted(shellword.Lits(path)) }
	return "if [ -e " + word(seal.SwitchPath(home, session)) + " ]; then export PATH=" +
		word(seal.LinksPath(home, session)) + `"${PATH:+:$PATH}"; fi`
}

// linkName returns the name of the link that started the program, or an empty string if no link
// did. It lowers the case, because some file systems find gh under GH too.
func linkName(argv0 string) string {
	if name := strings.ToLower(filepath.Base(argv0)); slices.Contains(Names[:], name) {
		return name
	}
	return ""
}
