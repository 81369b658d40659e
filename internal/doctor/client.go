package doctor

import (
	"cmp"
	"errors"
	"fmt"
	"os/exec"
	"slices"
	"strconv"
	"strings"
)

// tested are the client's versions that the end-to-end suite runs on, the newest first.
var tested = [...]string{"2.1.330", "2.1.329"}

// feature is something of the client that the program relies on.
type feature struct {
	since, what string
	without     string // what happens where the client lacks it
	needed      bool   // without it the program cannot do its work
}

// features are in the order in which the client got them, from the oldest version that will do.
var features = [...]feature{
	{"2.1.200", "dialogs that wait for the person, and hooks in exec form",
		"a gate may pass unanswered", true},
	{"2.1.211", "a question that a hook asks for in every permission mode",
		"a gate may be passed over in auto mode", false},
	{"2.1.214", "CLAUDE_PID, and denials that a schema error does not lose",
		"the lock names a process that may be another one", false},
	{"2.1.239", "hooks in a folder that was deleted", "a removed worktree stops the hooks", false},
}

func clientVersion(m *machine, n *notes) {
	out, err := m.run("claude", "--version")
	if errors.Is(err, exec.ErrNotFound) {
		n.warn("install the client, or put it on PATH; an editor that brings its own needs neither",
			"claude is not on PATH: its version is unknown, and `hooks go` cannot start it")
		return
	}
	have := version(out)
	if err != nil || have == nil {
		n.warn("see `claude --version`",
			"the client does not report its version: %s", cmp.Or(out, fmt.Sprint(err)))
		return
	}
	n.note("claude %s; tested with %s", dotted(have), join(tested[:]))
	if slices.Compare(have, version(tested[0])) > 0 {
		n.note("newer than any tested version: `hooks doctor --live` shows whether its hooks fire")
	} else if !slices.Contains(tested[:], dotted(have)) {
		n.note("not tested itself; what it lacks is listed here")
	}
	for _, f := range features {
		lacks := fmt.Sprintf("the client lacks %s, which came with %s: %s",
			f.what, f.since, f.without)
		if older := slices.Compare(have, version(f.since)) < 0; older && f.needed {
			n.fail("update the client", "%s", lacks)
		} else if older {
			n.warn("update the client", "%s", lacks)
		}
	}
}

// version reads the first three numbers of a text such as "2.1.329 (Claude Code)". It returns nil
// if the text does not begin with a version.
func version(s string) (v []int) {
	word, _, _ := strings.Cut(strings.TrimSpace(s), " ")
	parts := strings.SplitN(strings.TrimPrefix(word, "v"), ".", 3)
	if len(parts) < 3 {
		return nil
	}
	for _, p := range parts {
		p, _, _ = strings.Cut(p, "-")
		n, err := strconv.Atoi(p)
		if err != nil {
			return nil
		}
		v = append(v, n)
	}
	return v
}

func dotted(v []int) string {
	return strings.ReplaceAll(strings.Trim(fmt.Sprint(v), "[]"), " ", ".")
}
