package doctor

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/tidwall/gjson"

	"hooks/internal/child"
)

// liveTime bounds the session that --live starts; the client's own limits are in liveArgs.
const liveTime = 3 * time.Minute

// liveArgs bound the session: one tool call that changes nothing, three turns, a few cents.
var liveArgs = [...]string{
	"-p", "Call the Bash tool once, with the command `true`. Then answer with the word ok.",
	"--output-format", "json", "--max-turns", "3", "--max-budget-usd", "0.25",
	"--allowedTools", "Bash(true)",
}

// live starts one real session of the person's own client in the project. Every hook of this
// program that fires in it leaves a line in a log: that is its receipt. No loop is begun.
func live(m *machine, n *notes) {
	if !m.Live {
		n.skip("hooks doctor --live starts one real session, which costs a few cents")
		return
	}
	dir, err := os.MkdirTemp("", "hooks-live-")
	if err != nil {
		n.fail("make room in the system's temporary folder", "%v", err)
		return
	}
	defer os.RemoveAll(dir)
	log, _ := m.inSettings("HOOKS_LOG") // which counts over the environment
	if log == "" {
		log = filepath.Join(dir, "log")
	}
	before, _ := read(log)
	out, took, err := feed(child.Command{
		Dir: m.project, Env: m.liveEnv(log), Args: append([]string{"claude"}, liveArgs[:]...),
		Wait: liveTime,
	})
	if errors.Is(err, exec.ErrNotFound) {
		n.fail("install the client, or put it on PATH",
			"claude is not on PATH: no session was started")
		return
	}
	after, _ := read(log)
	events, programs := receipt(strings.TrimPrefix(after, before))
	result := gjson.Parse(out)
	n.say("one session of %.0f s for $%.4f, in which %s reached the program", took.Seconds(),
		result.Get("total_cost_usd").Float(), firstOf(join(events), "no event"))
	for _, p := range programs {
		n.say("answered by %s", m.shown(p))
	}
	judgeLive(n, events, result, err)
}

// judgeLive tells a session without hooks from one that did not come about.
func judgeLive(n *notes, events []string, result gjson.Result, err error) {
	came := func(word string) bool { return slices.Contains(events, word) }
	ended := err == nil && result.IsObject() && !result.Get("is_error").Bool()
	if !ended {
		why := firstOf(result.Get("result").Str, result.Get("terminal_reason").Str, errText(err))
		n.fail("start `claude` here by hand and see that it answers; then run this again",
			"the session did not come to its end: %s", why)
	}
	switch {
	case len(events) == 0:
		n.fail("see settings-files, hook-binary and switches; then `claude --debug hooks`",
			"no hook of this program fired in a real session: no loop here is governed")
	case ended && !came("stop"):
		n.fail(wayInstall+" again", "the session ended and its Stop never reached the program")
	case ended && !came("pre-tool-use"):
		n.warn("run it again; if it stays so, "+wayInstall+" again",
			"no tool call reached the program: the model made none, or nothing is guarded")
	}
}

// liveEnv is the person's own environment, but for what an outer session or a log would bring in.
func (m *machine) liveEnv(log string) (env []string) {
	own := []string{"CLAUDECODE", "CLAUDE_PID", "CLAUDE_PROJECT_DIR", "HOOKS_LOG", "PWD"}
	for _, kv := range os.Environ() {
		name, _, _ := strings.Cut(kv, "=")
		if !slices.Contains(own, name) && !strings.HasPrefix(name, "CLAUDE_CODE_SESSION") {
			env = append(env, kv)
		}
	}
	return append(env, "HOOKS_LOG="+log, "PWD="+m.project)
}

// receipt is what a log tells: the kinds of event, and the programs that answered, each once.
func receipt(log string) (events, programs []string) {
	for line := range strings.Lines(log) {
		words := strings.Fields(line)
		if len(words) < 2 {
			continue
		}
		if !slices.Contains(events, words[1]) {
			events = append(events, words[1])
		}
		_, path, ok := strings.Cut(strings.TrimSpace(line), " program=")
		if ok && !slices.Contains(programs, path) {
			programs = append(programs, path)
		}
	}
	return events, programs
}
