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

// features are in the order in which the client got them.
var features = [...]feature{
	{"2.1.71", "/loop", "nothing repeats a tick", false},
	{"2.1.78", "the StopFailure event", "a turn that an API error ended is noticed late", false},
	{"2.1.90", "a denial in JSON", "a denied call may run", true},
	{"2.1.139", "exec form of hooks (args)",
		"the registration starts a shell without the hook's word", true},
	{"2.1.143", "CLAUDE_CODE_STOP_HOOK_BLOCK_CAP", "turns may be held open without end", false},
	{"2.1.163", "context from a Stop", "the model learns less", false},
	{"2.1.191", "lists in matchers", "results of some tools carry no facts", false},
	{"2.1.196", "prompt_id", "turns are told apart by their transcript only", false},
	{"2.1.200", "dialogs that wait for the person", "a gate may pass unanswered", true},
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
	var has []string
	for _, f := range features {
		lacks := fmt.Sprintf("the client lacks %s, which came with %s: %s",
			f.what, f.since, f.without)
		switch older := slices.Compare(have, version(f.since)) < 0; {
		case !older:
			has = append(has, fmt.Sprintf("%s (%s)", f.what, f.since))
		case f.needed:
			n.fail("update the client", "%s", lacks)
		default:
			n.warn("update the client", "%s", lacks)
		}
	}
	n.note("has %s", join(has))
}

// version reads the first three numbers of a text such as "2.1.329 (Claude Code)". It is nil where
// the text has none.
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
