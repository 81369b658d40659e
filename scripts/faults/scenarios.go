//go:build linux

package main

import (
	"os"
	"path/filepath"

	"hooks/internal/loop"
	"hooks/scripts/drive"
)

const (
	ambiguous = `{"issues":[{"number":149,"criteria":"tbd"}],"outcome":"ok"}`
	failing   = `{"failures":[{"kind":"issue","number":44,"cause":"tests failing in module X"}],"outcome":"errored"}`
	crons     = `[{"id":"c1","schedule":"*/5 * * * *","prompt":"/sdd:work --loop --max-iterations 1","recurring":true}]`
)

var scenarios = []scenario{
	{
		name: "entry", before: func(p *drive.Player) { spend(p, false) }, event: enter(flags),
		ways: []way{sameSession, sameTurn, resumed, anew},
	},
	{name: "entry-next", before: oneDone, event: enter(flags), ways: []way{sameSession, sameTurn, resumed, cleared}},
	{
		name: "entry-after-a-halt", event: enter(flags), ways: []way{sameSession, sameTurn, resumed},
		before: func(p *drive.Player) { spend(p, false); p.Iterate("--loop --max-iterations 1", 1) },
	},
	{
		name: "entry-after-a-crash", event: enter(flags), ways: []way{sameSession, sameTurn},
		before: func(p *drive.Player) { working(p); spend(p, true); die(p) },
	},
	{
		name: "resume", event: enter(flags + " --resume"), ways: []way{sameSession, sameTurn, resumed},
		before: func(p *drive.Player) { oneDone(p); p.Turn(flags); spend(p, true); die(p) },
	},
	{
		name: "resume-a-halted-run", event: enter(flags + " --resume"), ways: []way{sameSession, sameTurn, resumed},
		before: func(p *drive.Player) { spend(p, false); p.Iterate("--loop --max-iterations 1", 1) },
	},
	{
		name: "report", before: working, ways: []way{sameTurn, sameSession, resumed},
		event: func(p *drive.Player) drive.Event { return p.Report(ambiguous) },
	},
	{
		name: "dialog", ways: []way{sameTurn, sameSession},
		before: func(p *drive.Player) { working(p); p.Do(p.Report(ambiguous)) },
		event:  func(p *drive.Player) drive.Event { return p.Ask(p.Call()) },
	},
	{name: "answer", before: asked, event: answered, ways: []way{sameTurn, sameSession, resumed}},
	{
		name: "answer-raise", before: nearCeiling, event: raised, ways: []way{sameTurn, sameSession},
		extra: func(p *drive.Player, d *drive.Disk) {
			if d.Budget == nil || d.Budget.Ceilings.Iterations != 30 {
				p.Say("a person raised the ceiling to 30 and it is not")
			}
		},
	},
	{name: "answer-at-exit", before: failedTwice, event: answered, ways: []way{sameTurn, sameSession, resumed}},
	{
		name: "agent", before: working, ways: []way{sameTurn, resumed},
		event: func(p *drive.Player) drive.Event { return p.Agent("toolu_agent") },
		after: func(p *drive.Player, r drive.Result) {
			if r.Killed || r.Out == "" { // the client lets the call go on
				p.Ledger.Agents.Add(!r.Killed && !p.Broken)
			} else {
				p.Ledger.Agents.Add(false)
			}
		},
	},
	{
		name: "opened-a-pr", before: working, ways: []way{sameTurn, resumed},
		event: func(p *drive.Player) drive.Event {
			return p.Did("gh pr create --fill", "https://github.com/o/r/pull/7\n")
		},
		after: func(p *drive.Player, _ drive.Result) { p.Ledger.PRs.Add(true) }, // where the event fails, the transcript tells of it
	},
	{
		name: "merge", before: approvedMerge, ways: []way{sameTurn, resumed},
		event: func(p *drive.Player) drive.Event { return p.Bash("gh pr merge 142") },
		after: func(p *drive.Player, r drive.Result) { p.Ledger.Merges.Add(!r.Killed && r.Out == "" && !p.Broken) },
		extra: onePassed,
	},
	{name: "exit", before: worked(flags), event: stop, ways: []way{sameSession, resumed, anew, cleared, ended}},
	{name: "exit-without-facts", before: working, event: stop, ways: []way{sameTurn, sameSession, resumed}},
	{name: "exit-halting", before: worked("--loop --max-iterations 1"), event: stop, ways: []way{other, sameSession, anew, ended}},
	{
		name: "exit-halting-scheduled", before: worked("--loop --max-iterations 1"), ways: []way{sameSession, other},
		event: func(p *drive.Player) drive.Event { return p.Stop("session_crons", crons) },
	},
	{name: "exit-carrying-an-answer", before: carrying, event: stop, ways: []way{sameSession, resumed}},
	{name: "exit-after-a-torn-line", before: torn, event: stop, ways: []way{sameSession, resumed}},
	{
		name: "exit-draining", before: draining, ways: []way{drained, resumed},
		event: func(p *drive.Player) drive.Event {
			return p.Stop("background_tasks", `[{"id":"a1","type":"subagent","status":"running"}]`)
		},
	},
	{
		name: "interrupted", before: worked(flags), ways: []way{sameSession, resumed},
		event: func(p *drive.Player) drive.Event { p.NewPrompt(); return p.Typed("what is this?") },
	},
	{
		name: "loop-stop", before: worked(flags), ways: []way{other, sameSession},
		event: func(p *drive.Player) drive.Event { return p.Typed("/loop stop") },
	},
	{
		name: "session-end", before: worked(flags), ways: []way{ended, sameSession, resumed},
		event: func(p *drive.Player) drive.Event { return p.SessionEnd("exit") },
	},
	{
		name: "session-end-between", before: oneDone, ways: []way{ended, resumed},
		event: func(p *drive.Player) drive.Event { return p.SessionEnd("exit") },
	},
	{name: "reset", before: func(p *drive.Player) { oneDone(p); die(p) }, ways: []way{sameSession}, event: person("loop", "reset", "work")},
	{name: "stop-from-a-terminal", before: oneDone, ways: []way{sameSession, other}, event: person("loop", "stop", "work")},
}

func person(args ...string) func(*drive.Player) drive.Event {
	return func(p *drive.Player) drive.Event { return p.Person(args...) }
}

func worked(args string) func(*drive.Player) {
	return func(p *drive.Player) { spend(p, false); p.Turn(args); p.Work() }
}

func asked(p *drive.Player) {
	working(p)
	p.Do(p.Report(ambiguous))
	p.Do(p.Ask(p.Call()))
}

// answered is the answer to the dialog that was shown last.
func answered(p *drive.Player) drive.Event {
	t := p.Disk().Tick
	return p.Given(t.Dialogs[len(t.Dialogs)-1].ID, questions(t))
}

func questions(t *loop.Tick) (list []string) {
	for _, g := range t.Pending {
		list = append(list, g.Question)
	}
	return list
}

// nearCeiling: sixteen of twenty iterations are used, so the seventeenth asks.
func nearCeiling(p *drive.Player) {
	spend(p, false)
	p.Iterate(flags, 15)
	p.Turn(flags)
	p.Do(p.Ask(p.Call()))
}

func raised(p *drive.Player) drive.Event {
	t := p.Disk().Tick
	e, err := p.Answered(t.Dialogs[0].ID, questions(t), "raise")
	if err != nil {
		p.Say("%v", err)
	}
	return e
}

// failedTwice is the exit of the second iteration with the same failure, its question shown.
func failedTwice(p *drive.Player) {
	spend(p, false)
	for range 2 {
		p.Turn(flags)
		p.Do(p.Report(failing))
		spend(p, true)
		p.Do(p.Stop())
	}
	p.Do(p.Ask(p.Call()))
}

func carrying(p *drive.Player) {
	failedTwice(p)
	p.Do(answered(p))
}

func approvedMerge(p *drive.Player) {
	working(p)
	p.Do(p.Report(`{"prs":[{"number":142,"state":"open","human_feedback":true}],"outcome":"ok"}`))
	p.Ledger.PRs.Add(true)
	p.Do(p.Bash("gh pr merge 142"))
	p.Do(p.Ask(p.Call()))
	t := p.Disk().Tick
	e, err := p.Answered(t.Dialogs[0].ID, questions(t), "merge")
	if err != nil {
		p.Say("%v", err)
	}
	p.Do(e)
}

// onePassed: an answer is good for one merge, whatever happened to it.
func onePassed(p *drive.Player, _ *drive.Disk) {
	if p.Ledger.Merges.Min > 1 {
		p.Say("one answer let %d merges pass", p.Ledger.Merges.Min)
	}
}

// torn leaves half a line at the end of the history, as a power cut does.
func torn(p *drive.Player) {
	oneDone(p)
	p.Turn(flags)
	p.Work()
	name := filepath.Join(p.State(), "work.history.jsonl")
	f, err := os.OpenFile(name, os.O_APPEND|os.O_WRONLY, 0)
	if err == nil {
		_, err = f.WriteString(`{"version":1,"run_id":"half`)
		_ = f.Close()
	}
	if err != nil {
		p.Say("%v", err)
	}
}

func draining(p *drive.Player) {
	worked(flags)(p)
	p.Counted(p.Do(p.Agent("toolu_a")), &p.Ledger.Agents)
	p.Do(p.Launched("toolu_a", "a1"))
}

var drained = way{"the workers end", func(p *drive.Player) {
	p.Do(p.Worker("a1"))
	p.NewPrompt()
	if err := p.Prompted("<task-notification>"); err != nil {
		p.Say("%v", err)
	}
	p.Do(p.Typed("<task-notification>a1 done</task-notification>"))
	spend(p, p.Disk().Tick != nil)
	p.End()
	p.Iterate(flags, 1)
}}
