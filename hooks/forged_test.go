package main

import (
	"os"
	"os/exec"
	"strings"

	"github.com/rogpeppe/go-internal/testscript"
	"github.com/tidwall/gjson"
)

// forged plays claims that are none. `forged message FILE` ends the worker with each line of the
// file, where \n is a line break; `forged state FILE` runs each line, "why: command", as a shell
// command in the project, and then claims with the right words, which is refused with the why.
// After each of them the repository is taken back to the tag good. A claim that is accepted fails
// the story.
func forged(ts *testscript.TestScript, _ bool, args []string) {
	const claim = `TASK_COMPLETE TOKEN`
	for line := range strings.Lines(ts.ReadFile(args[1])) {
		line = strings.TrimSuffix(line, "\n")
		if line == "" {
			continue
		}
		message, why := line, ""
		if args[0] == "state" {
			message, why = claim, line[:strings.Index(line, ": ")]
			inProject(ts, line[len(why)+2:])
		}
		play := func(args ...string) string {
			c := perform(ts, args...)
			if c.Code != 0 {
				ts.Fatalf("%s ends with %d: %s", args[0], c.Code, c.Err)
			}
			return c.Out
		}
		said := play("worker", message)
		tick := ts.ReadFile("p/.sdd/loop/task.tick.json")
		switch gjson.Get(tick, "attempt.judged.verdict").String() {
		case "verified", "claimed", "skipped":
			ts.Fatalf("%q was accepted", line)
		}
		reply := said + gjson.Get(tick, "attempt.judged.why").String()
		if !strings.Contains(reply, why) {
			ts.Fatalf("%q: not refused because of %q:\n%s", line, why, reply)
		}
		if args[0] == "state" {
			inProject(ts, "test -e .git || mv ../git .git; git checkout -qf main -- || true; "+
				"git symbolic-ref HEAD refs/heads/main; cp ../good.config .git/config; "+
				"git reset -q --hard good; git update-index --no-assume-unchanged parser.txt; "+
				"git update-index --no-skip-worktree parser.txt; git reset -q --hard good; "+
				"git clean -qffd; cp ../good.md .sdd-progress.md")
		}
		if gjson.Get(tick, "attempt.judged").Exists() {
			play("event", "stop", "stop_hook_active=true")
			// a flag asks a person before the iteration ends
			if _, err := os.Stat(ts.MkAbs("p/.sdd/loop/task.tick.json")); err == nil {
				play("answer", "retry")
				play("event", "stop", "stop_hook_active=true")
			}
			play("event", "agent", "go")
		}
	}
}

// inProject runs a shell command in the project as the worker would.
func inProject(ts *testscript.TestScript, command string) {
	cmd := exec.Command("sh", "-c", command)
	cmd.Dir = ts.MkAbs("p")
	cmd.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL="+os.DevNull, "GIT_AUTHOR_NAME=a",
		"GIT_AUTHOR_EMAIL=a@b", "GIT_COMMITTER_NAME=a", "GIT_COMMITTER_EMAIL=a@b")
	if out, err := cmd.CombinedOutput(); err != nil {
		ts.Fatalf("%s: %v\n%s", command, err, out)
	}
}
