package app

import (
	"os"
	"path"
	"slices"
	"strings"

	"hooks/internal/brake"
)

// meetsBrake reports whether all that a shell command starts by a forge's name meets a link of the
// brake. Links that were removed since the iteration began are put back first.
func (h *handler) meetsBrake(t *loopState) bool {
	command, shell := h.ev.ShellCommand()
	if !shell || h.ev.Tool != "Bash" || t.Tick == nil || !t.Tick.Braked || leavesLinks(command) {
		return false
	}
	return h.replayRepo != nil || h.dress()
}

// dress makes or repairs the session's links of the brake, which lead to a kept copy of this
// program, and reports whether they are in place.
func (h *handler) dress() bool {
	exe, err := os.Executable()
	if err != nil {
		return false
	}
	if kept, err := brake.Keep(h.seals.Path(), exe); err == nil {
		exe = kept
	}
	return brake.Dress(h.seals.Path(), h.ev.SessionID, exe) == nil
}

// pathless are the ways of a shell to find a program, or to start one, without its PATH.
var pathless = []string{"which", "type", "whereis", "hash", "getconf"}

// asOthers start a program as another user, with a PATH of their own.
var asOthers = []string{"su", "sudo", "doas", "runuser", "pkexec"}

var shells = []string{"sh", "bash", "zsh", "dash", "ksh"}

// leavesLinks reports whether a command may start programs by another way than the session's PATH,
// as a login shell does, which sets a new one, or an absolute path, which needs none.
func leavesLinks(command string) bool {
	words := strings.FieldsFunc(command, func(c rune) bool {
		return strings.ContainsRune(" \t\n'\"`();|&{}[]<>!=:,", c)
	})
	for i, w := range words {
		base, rest := path.Base(w), words[i+1:]
		switch {
		case w == "--login", strings.Contains(w, "PATH"), slices.Contains(pathless, base):
			return true
		case slices.Contains(asOthers, base):
			return true
		case base == "env" && (leads(rest, "i") || slices.ContainsFunc(rest, empties)):
			return true
		case base == "exec" && leads(rest, "cl"):
			return true
		case base == "command" && slices.Contains(rest, "-p"):
			return true
		case strings.Contains(w, "/") &&
			(slices.Contains(brake.Names[:], base) || strings.HasSuffix(base, "bin")):
			return true
		case slices.Contains(shells, base) && leads(rest, "l"):
			return true
		}
	}
	return false
}

// empties reports whether an option of env leaves no variable, and so no PATH.
func empties(option string) bool {
	return slices.Contains([]string{"-", "-i", "--ignore-environment"}, option)
}

// leads reports whether one of the short options at the beginning has one of the letters. -o and -O
// take the word after them.
func leads(words []string, letters string) bool {
	for i := 0; i < len(words) && strings.IndexAny(words[i], "-+") == 0; i++ {
		switch w := words[i]; {
		case strings.HasPrefix(w, "--"):
		case strings.ContainsAny(w, letters):
			return true
		case strings.ContainsAny(w, "oO"):
			i++
		}
	}
	return false
}
