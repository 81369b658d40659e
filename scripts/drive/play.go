package drive

import (
	"fmt"
	"strings"

	"github.com/tidwall/gjson"
)

// Player plays a world and writes down everything that breaks a rule.
type Player struct {
	*World
	Schemas Schemas
	Bad     []string
	// Trace are the events played since it was emptied, for whoever has to find out what happened.
	Trace []string
	calls int
}

// Say notes a broken rule.
func (p *Player) Say(format string, args ...any) { p.Bad = append(p.Bad, fmt.Sprintf(format, args...)) }

// Disk is what lies in the state folder now.
func (p *Player) Disk() *Disk {
	d := p.Schemas.Read(p.State())
	return &d
}

// Do plays one event and holds what it did against the rules.
func (p *Player) Do(e Event, prefix ...string) Result {
	before := p.Disk()
	r, err := p.Send(e, prefix...)
	if err != nil {
		p.Say("%v", err)
	}
	p.Trace = append(p.Trace, fmt.Sprintf("%s %s %s: code %d killed %v\n  out %s  err %s", p.Session, p.Prompt, strings.Join(e.Args, " "), r.Code, r.Killed, line(r.Out), line(r.Err)))
	for _, bad := range p.After(e, r, before, p.Disk()) {
		p.Say("%s: %s", e.Args[0], bad)
	}
	return r
}

func line(s string) string { return strings.TrimSuffix(s, "\n") + "\n" }

// Turn begins a turn with the command, and says whether an iteration began.
func (p *Player) Turn(args string) bool {
	p.NewPrompt()
	p.must(p.Prompted("/sdd:work " + args))
	return Began(p.Do(p.Enter(args)))
}

func (p *Player) must(err error) {
	if err != nil {
		p.Say("%v", err)
	}
}

// Answer plays the dialog until no question of the open iteration waits, with words that nobody else says.
func (p *Player) Answer() {
	for range 4 {
		d := p.Disk()
		if d.Tick == nil || len(d.Tick.Pending) == 0 {
			return
		}
		id := p.Call()
		questions := Questions(p.Do(p.Ask(id)))
		if len(questions) == 0 {
			if d := p.Disk(); d.Tick == nil || len(d.Tick.Pending) == 0 {
				return // the answer was found in the transcript
			}
			p.Say("a question waits and the dialog is not filled in")
			return
		}
		p.Do(p.Given(id, questions))
	}
	p.Say("a question still waits after four dialogs")
}

// Call is a new tool call's id.
func (p *Player) Call() string {
	p.calls++
	return fmt.Sprintf("toolu_%s_%s_%d", p.Session, p.Prompt, p.calls)
}

// Given is a person's answers in words of their own.
func (p *Player) Given(id string, questions []string) Event {
	words := make([]string, len(questions))
	for i := range words {
		words[i] = fmt.Sprintf("own words %s %s %d", id, p.Prompt, i)
	}
	e, err := p.Answered(id, questions, words...)
	p.must(err)
	return e
}

// Did is a shell call that has run.
func (p *Player) Did(command, out string) Event {
	e, err := p.Ran(command, out)
	p.must(err)
	return e
}

// Work is the body of an iteration.
func (p *Player) Work() {
	p.Answer()
	p.Do(p.Report(`{"backlog":{"unblocked":[143,145],"blocked":[],"in_progress":[]},"outcome":"ok"}`))
	p.must(p.Spend(1000, 2000, true))
}

// End plays Stops until one lets the turn go. A Stop that holds the turn more often than twice is a trap.
func (p *Player) End(fields ...any) {
	for range 4 {
		r := p.Do(p.Stop(fields...))
		if gjson.Get(r.Out, "decision").String() != "block" {
			return
		}
		p.Answer()
	}
	p.Say("the turn was held more than three times")
}

// Iterate plays whole iterations. What keeps one from beginning twice in a row is a trap.
func (p *Player) Iterate(args string, times int) {
	for range times {
		first := p.Turn(args)
		if !first && !p.Turn(args) {
			p.Say("no iteration begins any more with %q", args)
			return
		}
		p.Work()
		p.End()
	}
}

// Settle holds the ledger against the disk.
func (p *Player) Settle() {
	p.Bad = append(p.Bad, p.Settled(p.Disk())...)
}
