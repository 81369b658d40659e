package toolcall

import (
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/tidwall/gjson"

	"hooks/internal/config"
	"hooks/internal/event"
	"hooks/internal/guard"
	"hooks/internal/guard/effect"
	"hooks/internal/loop"
	"hooks/internal/report"
	"hooks/internal/tracker"
)

// Explain describes how the guard reads a shell command, and how the rules would treat the command
// during a loop. It does not run the command and ignores the state of loops.
func Explain(command string, env func(string) string) report.Explanation {
	cwd, _ := os.Getwd()
	input, _ := json.Marshal(map[string]string{"command": command})
	c := &Call{Env: env, Project: tracker.Project(env, cwd), Event: event.Event{
		Name: event.PreToolUse, Tool: "Bash", Cwd: cwd, Input: gjson.ParseBytes(input),
	}}
	r := c.Read()
	e := report.Explanation{Command: command, Acts: r.Acts, ReadOnly: c.ReadOnly()}
	for _, o := range r.Opaque {
		e.Opaque = append(e.Opaque, fmt.Sprintf("%s (%s)", o.Text, o.Reason))
	}
	if r.Unparsable != "" {
		e.Opaque = append(e.Opaque, r.Unparsable)
	}
	e.Verdict, e.HeldBy = c.verdict(r, guard.LeavesLinks(command))
	if e.ReadOnly {
		e.HeldBy = ""
	}
	return e
}

// verdict describes how the rules treat the command while an iteration is open. heldBy names the
// mechanism that stops the command from merging without a person's approval. around means that some
// programs may start without the brake.
func (c *Call) verdict(r effect.Reading, around bool) (verdict, heldBy string) {
	const (
		guarded = "the guard, before it runs"
		missed  = "programs started by a login shell or an absolute path are not checked"
	)
	verdict = "passes"
	heldBy = "the brake, when it starts a forge's program; changes to the loop's files " +
		"are detected afterwards"
	if around {
		heldBy = "nothing here, because " + missed + "; use branch protection"
	}
	tampers, merges := c.Tampers(r), r.Merges()
	switch unread := Unreadable(r) != ""; {
	case len(tampers) > 0:
		return "denied: it would " + Would(tampers[0].Kind), guarded
	case len(merges) > 0:
		return c.merging(merges), guarded
	case r.Bound != "":
		verdict = "denied: it cannot be read completely, and the rest could merge or push code"
		return verdict, guarded + ", because it cannot be read completely (" + r.Bound + ")"
	case unread && c.Reaches() && (around || r.Unparsable != ""):
		verdict = "denied: it cannot be read, could reach a forge, and may start programs " +
			"that are not checked"
		if around {
			heldBy = guarded + ", because " + missed
		}
	case unread && c.Reaches():
		verdict = "passes in sessions started after the installation, where programs are checked " +
			"as they start; denied in other sessions"
	case unread:
		verdict = "passes; in a review loop it may be denied while a merge gate waits"
	}
	return verdict, heldBy
}

// merging describes how the rules treat a command with these merging acts.
func (c *Call) merging(acts []effect.Act) string {
	reviews := slices.IndexFunc(loop.Kinds, func(k loop.Kind) bool { return k.Reviews })
	anyLoop := loop.State{Run: &loop.Budget{Skill: loop.Kinds[reviews].Name}}
	approvals := 0
	for _, a := range acts {
		if a.Kind == effect.ApprovePR && a.PR > 0 {
			approvals++
		} else if d := anyLoop.Landable(a); d != nil {
			hint := c.Hint(d, config.Of("", c.Project).Tracker)
			return "denied: " + strings.TrimSpace(d.Text+"\n"+hint)
		}
	}
	if approvals == len(acts) {
		return "passes in a review loop, once per PR and iteration; denied in a work loop"
	}
	return "judged by gate post-feedback-merge: " + loop.MergePromise
}
