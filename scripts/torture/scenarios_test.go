//go:build linux

package torture

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"

	"hooks/internal/loop"
	"hooks/scripts/driver"
)

// scenario is one event whose calls are made to fail. before plays the loop up to the event. Each
// way to continue begins with the disk as the event left it.
type scenario struct {
	name   string
	before func(*player)
	event  func(*player) driver.Event
	ways   []way
}

func on(name string, before func(*player), event func(*player) driver.Event, ways ...way) scenario {
	return scenario{name, before, event, ways}
}

// way is how a loop continues after the event.
type way struct {
	name string
	play func(*player)
}

var (
	nextTick = way{"the next tick", func(p *player) { p.iterate(flags, 2) }}
	sameTurn = way{"the turn continues", func(p *player) {
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
	// other continues in another session while the first client is alive.
	other = way{"another session begins", func(p *player) {
		if d := p.disk(); d.tick != nil || d.budget != nil && d.budget.Status == loop.Active {
			p.do(p.SessionEnd("exit")) // an active run belongs to its session
		}
		p.As("s2", p.clients.Second)
		p.iterate(flags, 1)
	}}
	// cleared plays /clear, after which the same client has another session id.
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
	running = `[{"id":"a1","type":"subagent","status":"running"}]`
)

var scenarios = slices.Concat(workScenarios, changedScenarios, loopScenarios)

var workScenarios = []scenario{
	on("entry", nothing, enter(flags), nextTick, sameTurn, resumed, freshRun),
	on("entry-next", oneDone, enter(flags), nextTick, sameTurn, resumed, cleared),
	on("entry-after-a-halt", halted, enter(flags), nextTick, sameTurn, resumed),
	on("entry-after-a-crash", crashed, enter(flags), nextTick, sameTurn),
	on("resume", crashedSecond, enter(flags+" --resume"), nextTick, sameTurn, resumed),
	on("resume-a-halted-run", halted, enter(flags+" --resume"), nextTick, sameTurn, resumed),
	on("report", working, report, sameTurn, nextTick, resumed),
	on("dialog", reported, ask, sameTurn, nextTick),
	on("answer", asked, answer(), sameTurn, nextTick, resumed),
	on("answer-raise", nearCeiling, answer("raise"), sameTurn, nextTick),
	on("answer-at-exit", failedTwice, answer(), sameTurn, nextTick, resumed),
	on("agent", working, agent, sameTurn, resumed),
	on("opened-a-pr", working, openedPR, sameTurn, resumed),
	on("merge", approvedMerge, merge, sameTurn, resumed),
	on("exit", worked(flags), stop(), nextTick, resumed, freshRun, cleared, ended),
	on("exit-without-facts", working, stop(), sameTurn, nextTick, resumed),
	on("exit-halting", worked(once), stop(), other, nextTick, freshRun, ended),
	on("exit-halting-scheduled", worked(once), stop("session_crons", crons), nextTick, other),
	on("exit-carrying-an-answer", carrying, stop(), nextTick, resumed),
	on("exit-after-a-torn-line", torn, stop(), nextTick, resumed),
	on("exit-draining", draining, stop("background_tasks", running), workersEnd, resumed),
	on("interrupted", worked(flags), typed("what is this?"), nextTick, resumed),
	on("loop-stop", worked(flags), loopStop, other, nextTick),
	on("session-end", worked(flags), sessionEnd, ended, nextTick, resumed),
	on("session-end-between", oneDone, sessionEnd, ended, resumed),
	on("reset", diedBetween, person("loop", "reset", "work"), nextTick),
	on("stop-from-a-terminal", oneDone, person("loop", "stop", "work"), nextTick, other),
}

// counted maps scenarios to functions that record the counts of their events in the ledger. The
// client makes a call if the hook lets it pass.
var counted = map[string]func(*player, driver.Result){
	"agent": func(p *player, r driver.Result) {
		p.Ledger.Agents.Add(p.passed(r))
	},
	"merge":                      mergePassed,
	"merge-over-files-of-before": mergePassed,
	"opened-a-pr": func(p *player, _ driver.Result) {
		p.Ledger.PRs.Add(true) // if the event fails, the transcript has it
	},
}

func mergePassed(p *player, r driver.Result) { p.Ledger.Merges.Add(p.passed(r)) }

// passed reports whether the client makes the call. It does not if the hook failed.
func (p *player) passed(r driver.Result) bool {
	return !r.Killed && r.Code == 0 && r.Out == "" && !p.Failing
}

// promised maps scenarios to the checks of their own.
var promised = map[string]func(*player){
	"answer-raise": func(p *player) {
		if b := p.disk().budget; b == nil || b.Ceilings.Iterations != 30 {
			p.Errorf("a person raised the ceiling to 30 and it is not")
		}
	},
	"merge":                       onceMerged,
	"merge-over-files-of-before":  onceMerged,
	"stop-over-changed-files":     undone,
	"entry-over-changed-files":    undone,
	"entry-over-a-deleted-budget": twoRuns,
	"resume-without-its-record":   continued,
	"entry-in-a-moved-project":    continued,
	"resume-in-a-copy":            itsOwn,
	"raise":                       raised,
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

func typed(text string) func(*player) driver.Event {
	return func(p *player) driver.Event { p.NewPrompt(); return p.Typed(text) }
}

func loopStop(p *player) driver.Event   { return p.Typed("/loop stop") }
func sessionEnd(p *player) driver.Event { return p.SessionEnd("exit") }
func report(p *player) driver.Event     { return p.Report(ambiguous) }
func ask(p *player) driver.Event        { return p.Ask(p.Call()) }
func agent(p *player) driver.Event      { return p.Agent("toolu_agent") }
func merge(p *player) driver.Event {
	return p.Bash("gh pr merge 142 --match-head-commit abc1234")
}

func openedPR(p *player) driver.Event {
	return p.Ran("gh pr create --fill", "https://github.com/o/r/pull/7\n")
}

// answer answers the last dialog. Questions without a given word get unique words.
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

func nothing(*player)         {}
func working(p *player)       { p.turn(flags) }
func oneDone(p *player)       { p.iterate(flags, 1) }
func halted(p *player)        { p.iterate(once, 1) }
func diedBetween(p *player)   { oneDone(p); p.die() }
func crashed(p *player)       { working(p); p.Spend(500, 700, true); p.die() }
func crashedSecond(p *player) { oneDone(p); crashed(p) }
func reported(p *player)      { working(p); p.do(report(p)) }
func asked(p *player)         { reported(p); p.do(ask(p)) }
func carrying(p *player)      { failedTwice(p); p.do(answer()(p)) }

func worked(args string) func(*player) {
	return func(p *player) { p.turn(args); p.work() }
}

// nearCeiling plays iterations until the gate near the ceiling asks.
func nearCeiling(p *player) {
	p.iterate(flags, 15)
	p.turn(flags)
	p.do(ask(p))
}

// failedTwice plays two iterations with the same failure, up to the question at the second exit.
func failedTwice(p *player) {
	for range 2 {
		p.turn(flags)
		p.do(p.Report(failedOn))
		p.Spend(500, 700, true)
		p.do(p.Stop())
	}
	p.do(ask(p))
}

// approvedMerge sets up a tracker that knows PR 142, and plays a person's approval of its merge.
func approvedMerge(p *player) {
	for name, text := range map[string]string{
		"CLAUDE.md": "## SDD Configuration\n\n### Tracker\n\n- **Command**: /bin/cat\n", "pr": "",
		"142": `{"pr":{"number":142,"state":"open","head_sha":"abc1234",` +
			`"feedback":[{"author":"ann"}]}}`,
	} {
		p.Check(os.WriteFile(filepath.Join(p.Project(), name), []byte(text), 0o600))
	}
	p.Env = append(p.Env, "HOOKS_TRACKER_COMMAND=/bin/cat")
	working(p)
	p.do(p.Report(`{"prs":[{"number":142,"state":"open"}],"outcome":"ok"}`))
	p.Ledger.PRs.Add(true)
	p.do(merge(p))
	p.do(ask(p))
	p.do(answer("merge")(p))
}

// torn leaves half a line at the end of the history, like a kill during a write.
func torn(p *player) {
	oneDone(p)
	worked(flags)(p)
	name := filepath.Join(p.State(), p.Skill+".history.jsonl")
	text, err := os.ReadFile(name)
	p.Check(err)
	line := text[:bytes.IndexByte(text, '\n')]
	p.Check(os.WriteFile(name, append(text, line[:len(line)/2]...), 0o600))
}

func draining(p *player) {
	worked(flags)(p)
	r := p.do(p.Agent("toolu_a"))
	p.Ledger.Agents.Add(!r.Killed && r.Err == "")
	p.do(p.Launched("toolu_a", "a1"))
}
