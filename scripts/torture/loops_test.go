//go:build linux

package torture

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"strings"

	"github.com/tidwall/gjson"

	"hooks/internal/attempt"
	"hooks/internal/kind/audit"
	"hooks/internal/kind/tasks"
	"hooks/internal/loop"
	"hooks/scripts/driver"
)

// This file has the scenarios of task and audit loops: ways to continue, events, states before an
// event, and how loops are played.

const (
	spec = "# Goal\n\nFiles.\n\n## Tasks\n\n- [ ] Write the first\n"
	more = spec + "- [ ] Write the second\n"
	plan = "# Plan\n\n<!-- section -->\n## Only\nWrite it.\n"
	long = plan + "<!-- section -->\n## More\nWrite more.\n"
	post = "# SDD Configuration\n\n### Audit\n\n- **Post Action Prompt**: Write the notes.\n"

	goArgs    = `spec.md --check="test ! -e red" --issue X-1`
	auditArgs = `plan.md --check="test ! -e red"`
	claim     = "Done.\nTASK_COMPLETE TOKEN"
	dirty     = `{"findings":[{"file":"a.go","line":3,"severity":"bug",` +
		`"description":"panics on an empty line"}],"verdict":"dirty"}`
	// quiet is a Sync command that merges. No process runs it, so no process is left behind.
	quiet = "HOOKS_SYNC=gh pr merge 1"
	heard = "home/.local/heard" // written by the Sync command
)

var (
	turnGoesOn = way{"the turn continues", func(p *player) { p.conduct(nil); p.complete() }}
	clientDies = way{"the client dies, --resume", func(p *player) { p.die(); p.complete() }}
	sendsAgain = way{"the queue is sent again", func(p *player) {
		p.do(sends(p))
		p.allHeard()
		p.complete()
	}}
)

var loopScenarios = []scenario{
	on("go", taskProject(spec), enter(goArgs), turnGoesOn, clientDies),
	on("go-answer", goAsked(spec), approval, turnGoesOn, clientDies),
	on("go-agent", approved, agent, turnGoesOn, clientDies),
	on("go-merge", sent(spec), workersMerge, turnGoesOn),
	on("go-claim", coded(spec), ends(claim), turnGoesOn, clientDies),
	on("go-held", sent(spec), ends(claim), turnGoesOn, clientDies),
	on("go-stop", claimed(more), stop(), turnGoesOn, clientDies),
	on("go-fed", fed, agent, turnGoesOn, clientDies),
	on("go-flagged", flagged, stop(), turnGoesOn),
	on("go-complete", claimed(spec), stop(), turnGoesOn, clientDies),
	on("go-sync", fed, sends, sendsAgain),
	on("audit", auditProject(plan, ""), enter(auditArgs), turnGoesOn, clientDies),
	on("audit-coded", audited(codes), ends("done"), turnGoesOn, clientDies),
	on("audit-report", audited(looks), audits(dirty), turnGoesOn, clientDies),
	on("audit-late-commit", lateCommit, ends("reported"), turnGoesOn),
	on("audit-verdict", found, ends("reported"), turnGoesOn, clientDies),
	on("audit-stop", foundAndEnded, stop(), turnGoesOn, clientDies),
	on("audit-no-verdict", silent, stop(), turnGoesOn),
	on("audit-final", finallyClear, stop(), turnGoesOn, clientDies),
	on("audit-post", acted, stop(), turnGoesOn, clientDies),
}

// Events.

func workersMerge(p *player) driver.Event { return p.Inside("gh pr merge 142") }

func ends(message string) func(*player) driver.Event {
	return func(p *player) driver.Event { return p.WorkerEnds(message) }
}

// onwards maps gates to the answers that let a loop continue.
var onwards = map[string]string{tasks.GateSpec: "approve", tasks.GateReview: "approve",
	tasks.FlaggedGate: "retry", loop.PostFeedbackMerge: "hold"}

// approval answers the last dialog so that the loop continues. It does not put the answers into the
// ledger, because they are not unique.
func approval(p *player) driver.Event {
	var words []string
	for _, g := range p.disk().tick.Pending {
		words = append(words, onwards[g.Name])
	}
	e := answer(words...)(p)
	e.Answers, p.Ledger.Answers = nil, nil
	return e
}

func audits(facts string) func(*player) driver.Event {
	return func(p *player) driver.Event { return p.Audits(facts) }
}

func sends(p *player) driver.Event {
	return driver.Event{Args: []string{"sync"}, Env: []string{"HOOKS_PROJECT=" + p.Project(),
		"HOOKS_SYNC=sh -c 'cat >> ../" + heard + "'"}}
}

// States before an event.

func taskProject(text string) func(*player) {
	return func(p *player) {
		p.Repository("task", "spec.md", text)
		p.Env = []string{quiet}
		p.Ledger.Agents.Max = 1000
	}
}

func goAsked(text string) func(*player) {
	return func(p *player) { taskProject(text)(p); p.turn(goArgs); p.do(ask(p)) }
}

// asksDone plays up to the Stop after the gates, which runs the check before any work.
func asksDone(text string) func(*player) {
	return func(p *player) { goAsked(text)(p); p.do(approval(p)); p.do(p.Stop()) }
}

func sent(text string) func(*player) {
	return func(p *player) { asksDone(text)(p); p.do(agent(p)) }
}

func coded(text string) func(*player) {
	return func(p *player) { sent(text)(p); p.code() }
}

func claimed(text string) func(*player) {
	return func(p *player) { coded(text)(p); p.do(p.WorkerEnds(claim)) }
}

func approved(p *player)      { asksDone(spec)(p) }
func fed(p *player)           { claimed(more)(p); p.do(p.Stop()); p.loseProgress() }
func flagged(p *player)       { sent(spec)(p); p.do(p.WorkerEnds("TASK_BLOCKED TOKEN no key")) }
func found(p *player)         { audited(looks)(p); p.do(p.Audits(dirty)) }
func foundAndEnded(p *player) { found(p); p.do(p.WorkerEnds("reported")) }

func auditProject(text, config string) func(*player) {
	return func(p *player) {
		p.Repository("audit", "plan.md", text, "CLAUDE.md", config)
		p.Ledger.Agents.Max = 1000
	}
}

// codes reports whether the coder works, and looks whether the auditor does.
func codes(a *attempt.Attempt) bool { return a.Sent && audit.PhaseOf(a) == audit.Coding }
func looks(a *attempt.Attempt) bool { return a.Sent && audit.PhaseOf(a) == audit.Auditing }

// audited plays an audit loop until far reports true for its attempt.
func audited(far func(*attempt.Attempt) bool) func(*player) {
	return func(p *player) {
		auditProject(plan, "")(p)
		p.turn(auditArgs)
		p.conduct(far)
		if audit.PhaseOf(p.disk().tick.Attempt) == audit.Coding {
			p.code()
		}
	}
}

func lateCommit(p *player) {
	audited(looks)(p)
	p.do(p.Looks())
	p.do(p.Audits(`{"verdict":"clean"}`))
	p.code()
}

// silent plays a second audit whose worker reports nothing, even when asked.
func silent(p *player) {
	foundAndEnded(p)
	p.do(p.Stop())
	p.conduct(looks)
	for range 3 {
		p.do(p.WorkerEnds("fine"))
	}
}

func judged(in audit.Phase) func(*attempt.Attempt) bool {
	return func(a *attempt.Attempt) bool { return a.Judged != nil && audit.PhaseOf(a) == in }
}

func finallyClear(p *player) {
	auditProject(long, "")(p)
	p.turn(auditArgs)
	p.conduct(judged(audit.FinalAuditing))
}

func acted(p *player) {
	auditProject(plan, post)(p)
	p.turn(auditArgs)
	p.conduct(judged(audit.PostAction))
}

// How they are played.

// code plays a worker's effects: a lesson, a commit, and its spend.
func (p *player) code() {
	name := filepath.Join(p.Project(), ".sdd-progress.md")
	if text, err := os.ReadFile(name); err == nil {
		lesson := fmt.Sprintf("## Learnings\n- lesson %s\n", p.Call())
		text := strings.Replace(string(text), "## Learnings\n", lesson, 1)
		p.Check(os.WriteFile(name, []byte(text), 0o600))
	}
	p.Commit()
	p.Spend(500, 700, true)
}

// loseProgress removes the progress file between two attempts.
func (p *player) loseProgress() {
	_ = os.Remove(filepath.Join(p.Project(), ".sdd-progress.md"))
}

// conduct plays the main thread and its workers, step by step as the state requires, until a Stop
// lets the turn end or far reports true for the open attempt. A turn that does not end is an error.
func (p *player) conduct(far func(*attempt.Attempt) bool) {
	for range 60 {
		t := p.disk().tick
		own := t != nil && p.ownTurn()
		switch {
		case own && far != nil && t.Attempt != nil && far(t.Attempt):
			return
		case own && len(t.Pending) > 0 && !t.Kept():
			p.do(p.Ask(p.Call()))
			if t = p.disk().tick; t != nil && len(t.Pending) > 0 && len(t.Dialogs) > 0 {
				p.do(approval(p))
			}
		case own && t.Attempt != nil && t.Attempt.Judged == nil && !t.Attempt.Sent:
			r := p.do(agent(p)) // refused until the Stop has run the check before the work
			if denied(r) && gjson.Get(p.do(p.Stop()).Out, "decision").String() != "block" {
				return
			}
		case own && t.Attempt != nil && t.Attempt.Judged == nil:
			p.worker(t.Attempt)
		case gjson.Get(p.do(p.Stop()).Out, "decision").String() != "block":
			return
		case p.disk().tick == nil:
			p.loseProgress()
			p.do(agent(p))
		}
	}
	if p.dice == nil {
		p.Errorf("the turn does not end: %+v", p.disk().tick)
	}
}

func denied(r driver.Result) bool {
	return gjson.Get(r.Out, "hookSpecificOutput.permissionDecision").Str == "deny"
}

// worker plays the whole work of an attempt.
func (p *player) worker(a *attempt.Attempt) {
	if p.calm {
		p.do(workersMerge(p))
	}
	switch {
	case audit.PhaseOf(a).Audits():
		var open []string
		for _, f := range audit.Of(p.disk().budget).Which(audit.OpenFinding) {
			open = append(open, fmt.Sprintf("%q", f.ID))
		}
		p.do(p.Looks())
		p.do(p.Audits(fmt.Sprintf(`{"resolved":[%s],"verdict":"clean"}`,
			strings.Join(open, ","))))
	default:
		p.code()
	}
	p.do(p.WorkerEnds(claim))
}

// forget drops findings from the ledger that are not in the state. A report that waits for the next
// event of its session is lost with the session, and the audit is repeated.
func (p *player) forget() {
	if b := p.disk().budget; audit.Of(b) != nil {
		maps.DeleteFunc(p.Ledger.Loops.Findings, func(id string, _ bool) bool {
			return !hasFinding(audit.Of(b), id)
		})
	}
}

// complete resumes the run until it is done.
func (p *player) complete() {
	for n := range 6 {
		d := p.disk()
		b := d.budget
		if b != nil && b.Status == loop.Halted && done(b) {
			if n == 0 && p.Skill == "task" { // the fault may have come after the end
				p.turn("--resume")
			}
			return
		}
		args := "--resume"
		if b == nil {
			args = map[string]string{"task": goArgs, "audit": auditArgs}[p.Skill]
		}
		p.turn(args)
		p.conduct(nil)
	}
	p.Errorf("the run does not come to its end: %s", p.trace[len(p.trace)-1])
}

func done(b *loop.Budget) bool {
	return b.StopCause == "tasks_complete" || b.StopCause == "audit_complete"
}

// allHeard checks that the Sync command received each key, and a key twice only after a fault.
func (p *player) allHeard() {
	text, err := os.ReadFile(filepath.Join(p.Dir, heard))
	p.Check(err)
	times := map[string]int{}
	for line := range strings.Lines(string(text)) {
		times[gjson.Get(line, "key").String()]++
	}
	for _, e := range p.disk().queue {
		n := times[e.Key]
		if n < 1 || n > 2 || n > 1 && p.calm || !e.Sent {
			p.Errorf("the Sync command heard %q %d times, sent is %v", e.Key, n, e.Sent)
		}
	}
}
