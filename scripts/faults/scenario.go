//go:build linux

package main

import (
	"slices"

	"hooks/internal/loop"
	"hooks/scripts/drive"
)

// scenario is one event that is made to fail at every call it makes.
type scenario struct {
	name string
	// before plays the loop up to the event.
	before func(*drive.Player)
	// event is the one that fails; a person's words in it go into the ledger.
	event func(*drive.Player) drive.Event
	// after counts what the event may have counted.
	after func(*drive.Player, drive.Result)
	// ways are how it goes on; each begins from the same disk.
	ways []way
	// extra holds what only this scenario promises, once everything is settled.
	extra func(*drive.Player, *drive.Disk)
}

// way is how a loop goes on after the event.
type way struct {
	name string
	play func(*drive.Player)
}

const flags = "--loop --max-iterations 20"

var (
	// sameSession is the next tick of the same session.
	sameSession = way{"the next tick", func(p *drive.Player) { p.Iterate(flags, 2) }}
	// sameTurn goes on in the turn as if nothing had happened.
	sameTurn = way{"the turn goes on", func(p *drive.Player) {
		if t := p.Disk().Tick; t != nil && slices.Contains(t.Prompts, p.Prompt) {
			p.Work()
			p.End()
		}
		p.Iterate(flags, 1)
	}}
	// resumed is another session after the client died.
	resumed = way{"the client dies, --resume", func(p *drive.Player) {
		die(p)
		p.Iterate(flags+" --resume", 2)
	}}
	// anew is a typed command in another session after the client died.
	anew = way{"the client dies, a fresh run", func(p *drive.Player) {
		die(p)
		p.Iterate(flags, 1)
	}}
	// other is another session while the first client lives on: only where the first run has ended.
	other = way{"another session begins", func(p *drive.Player) {
		if d := p.Disk(); d.Tick != nil || d.Budget != nil && d.Budget.Status == loop.Active {
			p.Do(p.SessionEnd("exit")) // the run goes on, so it is that session's
		}
		p.As("s2", clients.Second)
		p.Iterate(flags, 1)
	}}
	// cleared is /clear: the same client goes on under another session's name.
	cleared = way{"/clear, then the next tick", func(p *drive.Player) {
		p.Do(p.SessionEnd("clear"))
		p.As("s2", p.Client)
		p.Iterate(flags, 1)
	}}
	ended = way{"the session ends, --resume elsewhere", func(p *drive.Player) {
		p.Do(p.SessionEnd("exit"))
		p.As("s2", clients.Second)
		p.Iterate(flags+" --resume", 1)
	}}
)

// clients are the processes that stand for the clients of all sessions.
var clients drive.Clients

func die(p *drive.Player) {
	if err := p.Bury(clients.Gone); err != nil {
		p.Say("%v", err)
	}
	p.As("s2", clients.Second)
}

func working(p *drive.Player) {
	spend(p, false)
	p.Turn(flags)
}

func spend(p *drive.Player, inside bool) {
	if err := p.Spend(500, 700, inside); err != nil {
		p.Say("%v", err)
	}
}

func oneDone(p *drive.Player) {
	spend(p, false)
	p.Iterate(flags, 1)
}

func stop(p *drive.Player) drive.Event { return p.Stop() }

func enter(args string) func(*drive.Player) drive.Event {
	return func(p *drive.Player) drive.Event {
		p.NewPrompt()
		if err := p.Prompted("/sdd:work " + args); err != nil {
			p.Say("%v", err)
		}
		return p.Enter(args)
	}
}
