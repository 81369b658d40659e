//go:build linux

package torture

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"time"

	"github.com/tidwall/gjson"

	"hooks/scripts/driver"
)

const flags = "--loop --max-iterations 20"

// player plays a world and checks the state after every event.
type player struct {
	*driver.World
	schemas schemaSet
	clients *driver.Clients
	trace   []string   // the events that were played
	dice    *rand.Rand // kills most events; nil kills none
	kills   int
	calm    bool // no fault has struck
	spoiled bool // the history was truncated on purpose
	last    *disk
}

func (p *player) disk() *disk {
	p.last = p.schemas.read(p.State(), p.last)
	return p.last
}

// do plays one event and checks its effects.
func (p *player) do(e driver.Event, prefix ...string) driver.Result {
	before, errors := p.disk(), len(p.Errors)
	p.KillAfter = 0
	if p.dice != nil && p.dice.IntN(4) > 0 { // within the few milliseconds that an event takes
		p.KillAfter = time.Duration(300+p.dice.IntN(8000)) * time.Microsecond
	}
	r := p.Send(e, prefix...)
	if r.Killed {
		p.kills++
	}
	p.trace = append(p.trace, fmt.Sprintf("%s %s %s: code %d killed %v\n  out %s\n  err %s",
		p.Session, p.Prompt, strings.Join(e.Args, " "), r.Code, r.Killed,
		strings.TrimSpace(r.Out), strings.TrimSpace(r.Err)))
	p.afterEvent(e, r, before, p.disk())
	for i := range p.Errors[errors:] {
		p.Errors[errors+i] = e.Args[0] + ": " + p.Errors[errors+i]
	}
	return r
}

// turn begins a turn with the command and reports whether an iteration began.
func (p *player) turn(args string) bool { return began(p.do(p.typed(args))) }

// typed begins a new turn and returns the event of the command.
func (p *player) typed(args string) driver.Event {
	p.NewPrompt()
	p.Prompted(p.Command(args))
	return p.Enter(args)
}

// ownTurn reports whether this turn's iteration is open.
func (p *player) ownTurn() bool {
	t := p.disk().tick
	return t != nil && t.SessionID == p.Session && slices.Contains(t.Prompts, p.Prompt)
}

// answer plays the dialog until the open iteration has no pending question, or until the program
// was killed.
func (p *player) answer() {
	for range 4 {
		if !p.pending() || p.dice != nil && !p.ownTurn() {
			return
		}
		id := p.Call()
		questions := driver.Questions(p.do(p.Ask(id)))
		if len(questions) == 0 && p.dice == nil && p.pending() { // else the transcript answered
			p.Errorf("a question is pending and the dialog is not filled in")
		}
		if len(questions) == 0 {
			return
		}
		p.do(p.given(id, questions))
	}
	if p.dice == nil {
		p.Errorf("a question is still pending after four dialogs")
	}
}

func (p *player) pending() bool {
	t := p.disk().tick
	return t != nil && len(t.Pending) > 0
}

// given returns a person's answers, in unique words.
func (p *player) given(id string, questions []string) driver.Event {
	words := make([]string, len(questions))
	for i := range words {
		words[i] = fmt.Sprintf("own words %s %s %d", id, p.Prompt, i)
	}
	return p.Answered(id, questions, words...)
}

// work is the body of an iteration.
func (p *player) work() {
	p.answer()
	p.do(p.Report(
		`{"backlog":{"unblocked":[143,145],"blocked":[],"in_progress":[]},"outcome":"ok"}`))
	p.spend()
}

// spend plays the spend of the main thread and two workers: one that continues in every iteration
// and calls a tool, and a new one.
func (p *player) spend() {
	p.Spend(1000, 2000, true)
	p.WorkerSpends("w1", 300, 400, true)
	p.do(p.Inside("go vet ./..."))
	p.WorkerSpends("w1", 300, 500, true)
	p.WorkerSpends("new-"+p.Prompt, 100, 200, true)
}

// end plays Stops until one lets the turn end. It is an error if more than three keep it open.
func (p *player) end() {
	for range 4 {
		if gjson.Get(p.do(p.Stop()).Out, "decision").String() != "block" {
			return
		}
		p.answer()
	}
	p.Errorf("the turn was held more than three times")
}

// iterate plays whole iterations. An entry that is refused twice in a row is an error.
func (p *player) iterate(args string, times int) {
	for range times {
		first := p.turn(args)
		if !first && !p.turn(args) {
			p.Errorf("no iteration begins with %q", args)
			return
		}
		p.work()
		p.end()
	}
}

// die kills the client and continues in another session.
func (p *player) die() {
	p.Bury(p.clients.Gone)
	p.As("s2", p.clients.Second)
	p.forget()
}

// raceForLock lets the given number of sessions enter at once. Exactly one must begin. With false
// locks it is no error if none begins, because sessions may see each other's unfinished state.
func (p *player) raceForLock(sessions int, args string, falseLocks bool) {
	events := make([]driver.Event, sessions)
	own := p.Session
	for i := range events {
		p.Session = fmt.Sprintf("r%d", i)
		events[i] = p.Enter(args)
	}
	p.Session = own
	winner := ""
	results := p.Race(events)
	for i, r := range results {
		if r.Code != 0 || !oneObject(r.Out) {
			p.Errorf("a racing entry: code %d, %q, %s", r.Code, r.Out, r.Err)
		}
		if began(r) {
			if winner != "" {
				p.Errorf("two sessions hold the lock: %s and r%d", winner, i)
			}
			winner = fmt.Sprintf("r%d", i)
		}
	}
	d := p.disk()
	p.Errors = append(p.Errors, d.faults...)
	switch {
	case falseLocks: // two may overwrite each other's counters, but not both begin
	case winner == "":
		p.Errorf("no one of %d got the lock: %s", sessions, results[0].Out)
	case d.lock == nil || d.lock.SessionID != winner, d.tick == nil || d.tick.SessionID != winner:
		p.Errorf("%s won, and the lock is %+v", winner, d.lock)
	}
}
