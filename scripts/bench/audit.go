//go:build linux || darwin

package main

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"hooks/scripts/driver"
)

// audit measures the close of an audit in a loop of 24 sections with 200 open findings, beside that
// of an empty one.
func (b *bench) audit() {
	rows := b.against(b.world("idle"), events(b.world("none"))[0])
	for _, n := range []int{0, 200} {
		w := b.world(fmt.Sprint("audit", n))
		w.Env = append(w.Env, "PATH="+os.Getenv("PATH"))
		b.reachAudit(w, n)
		at := w.Save()
		stop := w.Stop("stop_hook_active", false)
		rows = append(rows, b.row(fmt.Sprintf("stop, end of an audit, %d findings", n), w, stop,
			func() { w.Restore(at) }))
	}
	b.measure(rows, 10, b.n)
}

// reachAudit opens an audit whose verdict is in: the Stop that follows closes it.
func (b *bench) reachAudit(w *driver.World, findings int) {
	b.Check(os.RemoveAll(w.Project()))
	repo := filepath.Join(w.Dir, "repo")
	plan := strings.Repeat("<!-- section -->\n# One\ntext\n", 24)
	b.Check(os.MkdirAll(repo, 0o777))
	b.Check(os.WriteFile(filepath.Join(repo, "plan.md"), []byte(plan), 0o666))
	for _, args := range []string{"init -q -b main", "add .",
		"-c user.name=a -c user.email=a@b commit -qm start", "worktree add -q ../p -b audit"} {
		cmd := exec.Command("git", append([]string{"-C", repo}, strings.Fields(args)...)...)
		if out, err := cmd.CombinedOutput(); err != nil {
			b.Errorf("git %s: %v %s", args, err, out)
		}
	}
	play(w, w.Hook("user-prompt-expansion", "UserPromptExpansion", "expansion_type",
		"slash_command", "command_name", "sdd:audit", "command_args", "plan.md", "prompt", "/x"))
	agent := func() driver.Event {
		return w.Hook("pre-tool-use", "PreToolUse", "tool_name", "Agent", "tool_use_id", w.Call(),
			"tool_input.prompt", "go", "tool_input.subagent_type", "general-purpose")
	}
	w.Skill = "audit"
	play(w, agent())
	play(w, w.WorkerEnds("done"), w.Stop("stop_hook_active", false), agent())
	type found map[string]any
	report := map[string]any{"verdict": "clean"}
	if findings > 0 {
		list := make([]found, findings)
		for i := range list {
			list[i] = found{"file": fmt.Sprintf("internal/a%d/file.go", i), "line": i + 1,
				"severity": "bug", "description": strings.Repeat("wrong ", 40),
				"scenario": strings.Repeat("further ", 20)}
		}
		report = map[string]any{"verdict": "dirty", "findings": list}
	}
	text, err := json.Marshal(report)
	b.Check(err)
	play(w, w.Report(string(text)), w.WorkerEnds("done"))
}
