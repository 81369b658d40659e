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
		case base == "su", base == "sudo" && slices.Contains(words, "-i"):
			return true
		case base == "env" && slices.Contains(words, "-i"):
			return true
		case base == "command" && slices.Contains(rest, "-p"):
			return true
		case strings.Contains(w, "/") && slices.Contains(brake.Names[:], base),
			strings.Contains(w, "/") && strings.HasSuffix(base, "bin"):
			return true
		case slices.Contains(shells, base) && len(rest) > 0 && logsIn(rest[0]):
			return true
		}
	}
	return false
}

// logsIn reports whether one of a shell's short options makes it a login shell.
func logsIn(option string) bool {
	return strings.HasPrefix(option, "-") && !strings.HasPrefix(option, "--") &&
		strings.Contains(option, "l")
}
