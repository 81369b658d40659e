package doctor

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/tidwall/gjson"

	"hooks/internal/child"
	"hooks/internal/loop"
	"hooks/internal/safefile"
)

// liveTime is the time limit for the --live session. The client's own limits are in liveArgs.
const liveTime = 3 * time.Minute

// liveArgs limits the session to three turns, a quarter of a dollar and one harmless tool call.
var liveArgs = [...]string{
	"claude",
	"-p", "Call the Bash tool once, with the command `true`. Then answer with the word ok.",
	"--output-format", "json", "--max-turns", "3", "--max-budget-usd", "0.25",
	"--allowedTools", "Bash(true)",
}

// maxLog is the maximum number of bytes read from the log.
const maxLog = 16 << 20

// live starts one real client session in the project, without a loop. Whenever a hook of this
// program fires in the session, it writes a line to a log, which proves that it fired.
func live(m *machine, n *notes) {
	if !m.Live {
		n.skip("not run; `hooks doctor --live` starts one real session, which costs a few cents")
		return
	}
	dir, err := os.MkdirTemp("", "hooks-live-")
	if err != nil {
		n.fail("make room in the system's temporary folder", "%v", err)
		return
	}
	defer os.RemoveAll(dir)
	_, set := m.settings().Setting("env", "HOOKS_LOG") // overrides the environment
	log := cmp.Or(set.String(), filepath.Join(dir, "log"))
	before, _ := safefile.ReadHead(log, maxLog)
	env := append(os.Environ(), "HOOKS_LOG="+log, "PWD="+m.project)
	began := time.Now()
	out, err := start(child.Command{
		Dir: m.project, Env: env, Args: liveArgs[:], Wait: liveTime,
	})
	if errors.Is(err, exec.ErrNotFound) {
		n.fail("install the client, or put it on PATH", "no session was started: %v", err)
		return
	}
	took := time.Since(began)
	after, _ := safefile.ReadHead(log, maxLog)
	events, programs := receipt(strings.TrimPrefix(after, before))
	result := gjson.Parse(out)
	n.note("one session ran %.0f s and cost $%.4f; events received: %s", took.Seconds(),
		result.Get("total_cost_usd").Float(), cmp.Or(join(events), "none"))
	for _, p := range programs {
		n.note("answered by %s", m.shown(p))
	}
	came := func(word string) bool { return slices.Contains(events, word) }
	ended := err == nil && result.IsObject() && !result.Get("is_error").Bool()
	if !ended {
		why := cmp.Or(result.Get("result").Str, result.Get("terminal_reason").Str, fmt.Sprint(err))
		n.fail("start a session here by hand and check that it answers",
			"the session did not end normally: %s", why)
	}
	switch {
	case len(events) == 0:
		n.fail("see the checks settings-files, hook-binary and switches; then "+
			"see `claude --debug hooks`",
			"no hook of this program fired in a real session, so no loop here is governed")
	case ended && !came("stop"):
		n.fail("see the checks hooks-registered and switches",
			"the session ended, but its Stop event never reached the program")
	case ended && !came("pre-tool-use"):
		n.warn("repeat the command; if that does not help, see the check hooks-registered",
			"no tool call reached the program; either the model made none, or they are not checked")
	}
}

// receipt returns the hook words in a log and the programs that answered, without duplicates.
func receipt(log string) (events, programs []string) {
	for line := range strings.Lines(log) {
		words := strings.Fields(line)
		if len(words) < 2 {
			continue
		}
		events = loop.AppendNew(events, words[1])
		if _, path, ok := strings.Cut(strings.TrimSpace(line), " program="); ok {
			programs = loop.AppendNew(programs, path)
		}
	}
	return events, programs
}
