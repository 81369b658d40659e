package app

import (
	"os"
	"path"
	"slices"
	"strings"

	"hooks/internal/brake"
	"hooks/internal/event"
	"hooks/internal/guard"
	"hooks/internal/loop"
)

// refuseUnread holds back what cannot be read and could reach a forge. Where the brake stands before the session's Bash
// commands such text passes: what it starts is judged there, in plain words.
func (v *visit) refuseUnread(t *thread, r guard.Reading) event.Reply {
	opaque := unreadable(r)
	why := ""
	switch {
	case opaque == "" || r.Unparsable == "" && v.meetsBrake(t):
		return event.Nothing()
	case v.mergeWaits(t):
		why = "a merge gate waits: "
	case r.ReachesForge():
		why = "it could reach a forge: "
	default:
		return event.Nothing()
	}
	return event.Deny("This command cannot be read and " + why + opaque +
		"\nhint: write it plainly, without text that is only known when it runs").By(loop.UnreadText)
}

// meetsBrake says that whatever a shell command starts by a forge's name meets a link of the brake. Links that were
// removed since the iteration began are put back first.
func (v *visit) meetsBrake(t *thread) bool {
	command, shell := v.ev.ShellCommand()
	if !shell || v.ev.Tool != "Bash" || t.Tick == nil || !t.Tick.Braked || leavesLinks(command) {
		return false
	}
	exe, err := os.Executable()
	return err == nil && (v.past != nil || brake.Dress(v.seals.Path(), v.ev.SessionID, exe) == nil)
}

// pathless are the ways of a shell to find a program, or to start one, without its PATH.
var pathless = []string{"which", "type", "whereis", "hash", "getconf"}

// leavesLinks says that a command may start programs by another way than the session's PATH: a login shell sets it anew,
// an absolute path does not ask it.
func leavesLinks(command string) bool {
	words := strings.FieldsFunc(command, func(c rune) bool { return strings.ContainsRune(" \t\n'\"`();|&{}[]<>!=:,", c) })
	for i, w := range words {
		base := path.Base(w)
		switch {
		case strings.Contains(w, "PATH"), base == "su", base == "env" && slices.Contains(words, "-i"):
			return true
		case slices.Contains(pathless, base), base == "command" && slices.Contains(words[i+1:], "-p"):
			return true
		case strings.Contains(w, "/") && (slices.Contains(brake.Names[:], base) || strings.HasSuffix(base, "bin")):
			return true
		case w == "--login", base == "sudo" && slices.Contains(words, "-i"):
			return true
		case slices.Contains([]string{"sh", "bash", "zsh", "dash", "ksh"}, base) && i+1 < len(words):
			if flag := words[i+1]; strings.HasPrefix(flag, "-") && !strings.HasPrefix(flag, "--") && strings.Contains(flag, "l") {
				return true
			}
		}
	}
	return false
}
