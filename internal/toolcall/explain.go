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

// Explain describes how the guard reads a shell command and would treat it during a loop. It runs
// nothing and ignores the state of loops.
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
	x := explained{c, r, c.Tampers(r), guard.LeavesLinks(command)}
	e.Verdict, e.HeldBy = x.verdict(), x.heldBy(e.ReadOnly)
	return e
}

// explained is a command with the guard's reading of it.
type explained struct {
	*Call
	effect.Reading
	tampers []effect.Act
	around  bool // some programs may start without the brake
}

// heldBy names the layer that stops the command from merging without a person's approval.
func (x explained) heldBy(readOnly bool) string {
	switch {
	case len(x.Merges()) > 0 || len(x.tampers) > 0:
		return "asked before it runs, by the guard"
	case x.Bound != "":
		return "refused before it runs, by the guard: it is not read to its end (" + x.Bound + ")"
	case x.around && x.Reaches():
		return "refused before it runs, by the guard: programs started by a login shell or " +
			"an absolute path are not checked"
	case readOnly:
		return ""
	case x.around:
		return "not held, because programs started by a login shell or an absolute path are " +
			"not checked: branch protection"
	}
	return "checked as it starts if it is a forge's program; changes to the loop's files are " +
		"found afterwards"
}

// verdict describes how the rules treat the command while an iteration is open.
func (x explained) verdict() string {
	unread, around := Unreadable(x.Reading) != "", x.Unparsable != "" || x.around
	switch {
	case len(x.tampers) > 0:
		return "denied: it would " + Would(x.tampers[0].Kind)
	case len(x.Merges()) > 0:
		approvals := 0
		for _, a := range x.Merges() {
			if a.Kind == effect.ApprovePR && a.PR > 0 {
				approvals++
				continue
			}
			reviews := slices.IndexFunc(loop.Kinds, func(k loop.Kind) bool { return k.Reviews })
			anyLoop := loop.State{Run: &loop.Budget{Skill: loop.Kinds[reviews].Name}}
			if d := anyLoop.Landable(a); d != nil {
				hint := x.Hint(d, config.Of("", x.Project).Tracker)
				return "denied: " + strings.TrimSpace(d.Text+"\n"+hint)
			}
		}
		if approvals == len(x.Merges()) {
			return "passes in a review loop, once per PR and iteration; denied in a work loop"
		}
		return "judged by gate post-feedback-merge: " + loop.MergePromise
	case x.Bound != "":
		return "denied: it cannot be read completely, and the rest could land something"
	case unread && x.Reaches() && around:
		return "denied: it cannot be read, could reach a forge, and what it starts need not be " +
			"checked"
	case unread && x.Reaches():
		return "passes in sessions started after the installation, where programs are checked as " +
			"they start; is denied in other sessions"
	case unread && around:
		return "passes, but is denied in a review loop while a merge gate waits"
	case unread:
		return "passes where programs are checked as they start; " +
			"elsewhere it is denied in a review loop while a merge gate waits"
	}
	return "passes"
}
