//go:build linux

package main

import (
	"os"
	"path/filepath"
	"slices"

	"hooks/internal/loop"
	"hooks/scripts/driver"
)

// scenario is one event whose calls are made to fail.
type scenario struct {
	name string
	// before plays the loop up to the event.
	before func(*player)
	event  func(*player) driver.Event
	// ways are the ways on after the event; each begins with the same disk.
	ways []way
	// after counts what the event may have counted.
	after func(*player, driver.Result)
	// extra checks what only this scenario promises, after settle.
	extra func(*player)
}

// way is how a loop goes on after the event.
type way struct {
	name string
	play func(*player)
}

var (
	nextTick = way{"the next tick", func(p *player) { p.iterate(flags, 2) }}
	sameTurn = way{"the turn goes on", func(p *player) {
		if t := p.disk().tick; t != nil && slices.Contains(t.Prompts, p.Prompt) {
			p.work()
			p.end()
		}
		p.iterate(flags, 1)
	}}
	resumed = way{"the client dies, --resume", func(p *player) {
		p.die()
		p.iterate(flags+" --resume", 2)
	}}
	freshRun = way{"the client dies, a fresh run", func(p *player) {
		p.die()
		p.iterate(flags, 1)
	}}
	// other is another session while the first client lives.
	other = way{"another session begins", func(p *player) {
		if d := p.disk(); d.tick != nil || d.budget != nil && d.budget.Status == loop.Active {
			p.do(p.SessionEnd("exit")) // the run has not ended, so it belongs to that session
		}
		p.As("s2", p.clients.Second)
		p.iterate(flags, 1)
	}}
	// cleared is /clear: the same client, another session's name.
	cleared = way{"/clear, then the next tick", func(p *player) {
		p.do(p.SessionEnd("clear"))
		p.As("s2", p.Client)
		p.iterate(flags, 1)
	}}
	ended = way{"the session ends, --resume elsewhere", func(p *player) {
		p.do(p.SessionEnd("exit"))
		p.As("s2", p.clients.Second)
		p.iterate(flags+" --resume", 1)
	}}
	workersEnd = way{"the workers end", func(p *player) {
		p.do(p.Worker("a1"))
		p.NewPrompt()
		p.Prompted("<task-notification>")
		p.do(p.Typed("<task-notification>a1 done</task-notification>"))
		p.Spend(500, 700, p.disk().tick != nil)
		p.end()
		p.iterate(flags, 1)
	}}
)

const (
	once      = "--loop --max-iterations 1"
	ambiguous = `{"issues":[{"number":149,"criteria":"tbd"}],"outcome":"ok"}`
	failedOn  = `{"failures":[{"kind":"issue","number":44,"cause":"tests failing in module X"}],` +
		`"outcome":"errored"}`
	crons = `[{"id":"c1","schedule":"*/5 * * * *","recurring":true,` +
		`"prompt":"/sdd:work --loop --max-iterations 1"}]`
)

var scenarios = []scenario{
	{
		name: "entry", before: func(*player) {}, event: enter(flags),
		ways: []way{nextTick, sameTurn, resumed, freshRun},
	},
	{
		name: "entry-next", before: oneDone, event: enter(flags),
		ways: []way{nextTick, sameTurn, resumed, cleared},
	},
	{
		name: "entry-after-a-halt", before: halted, event: enter(flags),
		ways: []way{nextTick, sameTurn, resumed},
	},
	{
		name: "entry-after-a-crash", before: crashed, event: enter(flags),
		ways: []way{nextTick, sameTurn},
	},
	{
		name: "resume", event: enter(flags + " --resume"), ways: []way{nextTick, sameTurn, resumed},
		before: func(p *player) { oneDone(p); crashed(p) },
	},
	{
		name: "resume-a-halted-run", before: halted, event: enter(flags + " --resume"),
		ways: []way{nextTick, sameTurn, resumed},
	},
	{
		name: "report", before: working, ways: []way{sameTurn, nextTick, resumed},
		event: func(p *player) driver.Event { return p.Report(ambiguous) },
	},
	{
		name: "dialog", ways: []way{sameTurn, nextTick},
		before: func(p *player) { working(p); p.do(p.Report(ambiguous)) },
		event:  func(p *player) driver.Event { return p.Ask(p.Call()) },
	},
	{
		name: "answer", ways: []way{sameTurn, nextTick, resumed}, event: answer(),
		before: func(p *player) { working(p); p.do(p.Report(ambiguous)); p.do(p.Ask(p.Call())) },
	},
	{
		name: "answer-raise", before: nearCeiling, event: answer("raise"),
		ways: []way{sameTurn, nextTick},
		extra: func(p *player) {
			if b := p.disk().budget; b == nil || b.Ceilings.Iterations != 30 {
				p.Errorf("a person raised the ceiling to 30 and it is not")
			}
		},
	},
	{
		name: "answer-at-exit", before: failedTwice, event: answer(),
		ways: []way{sameTurn, nextTick, resumed},
	},
	{
		name: "agent", before: working, ways: []way{sameTurn, resumed},
		event: func(p *player) driver.Event { return p.Agent("toolu_agent") },
		after: func(p *player, r driver.Result) { // the client lets the call go on if it may
			p.Ledger.Agents.Add(!r.Killed && r.Out == "" && !p.Failing)
		},
	},
	{
		name: "opened-a-pr", before: working, ways: []way{sameTurn, resumed},
		event: func(p *player) driver.Event {
			return p.Ran("gh pr create --fill", "https://github.com/o/r/pull/7\n")
		},
		after: func(p *player, _ driver.Result) { p.Ledger.PRs.Add(true) }, // or the transcript has it
	},
	{
		name: "merge", before: approvedMerge, ways: []way{sameTurn, resumed},
		event: func(p *player) driver.Event { return p.Bash("gh pr merge 142") },
		after: func(p *player, r driver.Result) {
			p.Ledger.Merges.Add(!r.Killed && r.Out == "" && !p.Failing)
		},
		extra: func(p *player) {
			if p.Ledger.Merges.Min > 1 {
				p.Errorf("one answer let %d merges pass", p.Ledger.Merges.Min)
			}
		},
	},
	{
		name: "exit", before: worked(flags), event: stop(),
		ways: []way{nextTick, resumed, freshRun, cleared, ended},
	},
	{
		name: "exit-without-facts", before: working, event: stop(),
		ways: []way{sameTurn, nextTick, resumed},
	},
	{
		name: "exit-halting", before: worked(once), event: stop(),
		ways: []way{other, nextTick, freshRun, ended},
	},
	{
		name: "exit-halting-scheduled", before: worked(once), event: stop("session_crons", crons),
		ways: []way{nextTick, other},
	},
	{
		name: "exit-carrying-an-answer", ways: []way{nextTick, resumed}, event: stop(),
		before: func(p *player) { failedTwice(p); p.do(answer()(p)) },
	},
	{name: "exit-after-a-torn-line", before: torn, event: stop(), ways: []way{nextTick, resumed}},
	{
		name: "exit-draining", before: draining, ways: []way{workersEnd, resumed},
		event: stop("background_tasks", `[{"id":"a1","type":"subagent","status":"running"}]`),
	},
	{
		name: "interrupted", before: worked(flags), ways: []way{nextTick, resumed},
		event: func(p *player) driver.Event { p.NewPrompt(); return p.Typed("what is this?") },
	},
	{
		name: "loop-stop", before: worked(flags), ways: []way{other, nextTick},
		event: func(p *player) driver.Event { return p.Typed("/loop stop") },
	},
	{
		name: "session-end", before: worked(flags), event: sessionEnd,
		ways: []way{ended, nextTick, resumed},
	},
	{
		name: "session-end-between", before: oneDone, event: sessionEnd,
		ways: []way{ended, resumed},
	},
	{
		name: "reset", event: person("loop", "reset", "work"), ways: []way{nextTick},
		before: func(p *player) { oneDone(p); p.die() },
	},
	{
		name: "stop-from-a-terminal", before: oneDone, event: person("loop", "stop", "work"),
		ways: []way{nextTick, other},
	},
}

// Events.

func enter(args string) func(*player) driver.Event {
	return func(p *player) driver.Event { return p.typed(args) }
}

func stop(fields ...any) func(*player) driver.Event {
	return func(p *player) driver.Event { return p.Stop(fields...) }
}

func person(args ...string) func(*player) driver.Event {
	return func(*player) driver.Event { return driver.Event{Args: args} }
}

func sessionEnd(p *player) driver.Event { return p.SessionEnd("exit") }

// answer answers the dialog that was shown last, without words in the person's own.
func answer(words ...string) func(*player) driver.Event {
	return func(p *player) driver.Event {
		t := p.disk().tick
		var questions []string
		for _, g := range t.Pending {
			questions = append(questions, g.Question)
		}
		id := t.Dialogs[len(t.Dialogs)-1].ID
		if len(words) == 0 {
			return p.given(id, questions)
		}
		return p.Answered(id, questions, words...)
	}
}

// States before an event.

func working(p *player) { p.turn(flags) }

func oneDone(p *player) { p.iterate(flags, 1) }

func halted(p *player) { p.iterate(once, 1) }

func crashed(p *player) {
	p.turn(flags)
	p.Spend(500, 700, true)
	p.die()
}

func worked(args string) func(*player) {
	return func(p *player) { p.turn(args); p.work() }
}

// nearCeiling: the seventeenth of twenty iterations asks.
func nearCeiling(p *player) {
	p.iterate(flags, 15)
	p.turn(flags)
	p.do(p.Ask(p.Call()))
}

// failedTwice is the exit of the second iteration with the same failure. Its question is shown.
func failedTwice(p *player) {
	for range 2 {
		p.turn(flags)
		p.do(p.Report(failedOn))
		p.Spend(500, 700, true)
		p.do(p.Stop())
	}
	p.do(p.Ask(p.Call()))
}

func approvedMerge(p *player) {
	working(p)
	p.do(p.Report(
		`{"prs":[{"number":142,"state":"open","human_feedback":true}],"outcome":"ok"}`))
	p.Ledger.PRs.Add(true)
	p.do(p.Bash("gh pr merge 142"))
	p.do(p.Ask(p.Call()))
	p.do(answer("merge")(p))
}

// torn leaves half a line at the end of the history, as a power cut does.
func torn(p *player) {
	oneDone(p)
	worked(flags)(p)
	name := filepath.Join(p.State(), "work.history.jsonl")
	f, err := os.OpenFile(name, os.O_APPEND|os.O_WRONLY, 0)
	if err == nil {
		_, err = f.WriteString(`{"version":1,"run_id":"half`)
		p.Check(f.Close())
	}
	p.Check(err)
}

func draining(p *player) {
	worked(flags)(p)
	r := p.do(p.Agent("toolu_a"))
	p.Ledger.Agents.Add(!r.Killed && r.Err == "")
	p.do(p.Launched("toolu_a", "a1"))
}
