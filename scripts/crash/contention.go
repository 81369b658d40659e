//go:build linux

package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"hooks/internal/loop"
	"hooks/scripts/drive"
)

// race lets sessions enter at the same moment: one of them begins, whatever they meet, with locks or without. Where the
// file system only says that it locks, at most one does, for the others may have met its state half-made.
func (t *trial) race() (outcome, error) {
	var o outcome
	lockless, lying := filepath.Join(t.dir, "lockless"), filepath.Join(t.dir, "lying")
	if err := errors.Join(drive.Build(lockless, drive.NoLocks), drive.Build(lying, drive.FalseLocks)); err != nil {
		return o, err
	}
	nothing := func(*drive.Player) {}
	dead := func(p *drive.Player) { p.Turn(flags); _ = p.Bury(t.clients.Gone) }
	won, rounds := 0, 0
	for n := range t.rounds {
		for _, kind := range []struct {
			name, program string
			before        func(*drive.Player)
		}{
			{"an empty project", t.program, nothing},
			{"the lock of a dead iteration", t.program, dead},
			{"a run that has ended", t.program, func(p *drive.Player) { p.Iterate("--loop --max-iterations 1", 1) }},
			{"no locks on this file system", lockless, nothing},
			{"no locks, and the lock of a dead iteration", lockless, dead},
			{"false locks", lying, nothing},
			{"false locks, and the lock of a dead iteration", lying, dead},
		} {
			if !strings.Contains(kind.name, t.kind) {
				continue
			}
			rounds++
			p, err := t.stage(fmt.Sprintf("race-%d", n), kind.program)
			if err != nil {
				return o, err
			}
			kind.before(p)
			if err := p.RaceForLock(t.sessions, flags, kind.program == lying); err != nil {
				return o, err
			}
			if d := p.Disk(); d.Lock != nil {
				won++
			} else if d.Budget == nil || !as(p, d.Budget.SessionID).Turn(flags) {
				// Where locks are only pretended, two that overwrote each other leave what the seal
				// calls a change: nobody works until a person resets the run.
				told := strings.Join(p.Trace, "\n")
				if kind.program != lying || !strings.Contains(told, "not as hooks wrote them") {
					p.Say("nobody got the lock, nor does the one whose run it is")
				}
			}
			for _, bad := range p.Bad {
				o.bad = append(o.bad, fmt.Sprintf("round %d, %s: %s", n, kind.name, bad))
			}
			if err := os.RemoveAll(p.Dir); err != nil {
				return o, err
			}
		}
	}
	o.done = fmt.Sprintf("%d rounds of %d sessions, %d won by one of them", rounds, t.sessions, won)
	return o, nil
}

func as(p *drive.Player, session string) *drive.Player {
	p.As(session, p.Client)
	return p
}

// together lets hooks of one session run at the same moment, as a client with workers does: each fact counts once.
func (t *trial) together() (outcome, error) {
	var o outcome
	const agents, prs = 8, 8
	for n := range t.parallel {
		p, err := t.stage(fmt.Sprintf("together-%d", n), t.program)
		if err != nil {
			return o, err
		}
		p.Turn("--loop --max-iterations 20 --max-prs 100")
		var events []drive.Event
		for i := range agents {
			events = append(events, p.Agent(fmt.Sprintf("toolu_a%d", i)))
		}
		for i := range prs {
			events = append(events, p.Did("gh pr create --fill", fmt.Sprintf("https://github.com/o/r/pull/%d\n", i+1)))
		}
		events = append(events, p.Report(`{"backlog":{"unblocked":[1],"blocked":[],"in_progress":[]},"outcome":"ok"}`))
		results, err := drive.Race(p.World, events)
		if err != nil {
			return o, err
		}
		for i, r := range results {
			if r.Code != 0 || r.Err != "" || i < agents && r.Out != "" {
				p.Say("a hook in parallel: code %d, %q, %s", r.Code, r.Out, r.Err)
			}
		}
		p.Ledger.Agents, p.Ledger.PRs = drive.Range{Min: agents, Max: agents}, drive.Range{Min: prs, Max: prs}
		if tick := p.Disk().Tick; tick == nil || !tick.Reported {
			p.Say("a report in parallel is lost")
		}
		p.End()
		p.Settle()
		for _, bad := range p.Bad {
			o.bad = append(o.bad, fmt.Sprintf("round %d: %s", n, bad))
		}
		if err := os.RemoveAll(p.Dir); err != nil {
			return o, err
		}
	}
	o.done = fmt.Sprintf("%d times %d hooks", t.parallel, agents+prs+1)
	return o, nil
}

// pair lets two sessions with living clients invoke the loop in one project over and over: only one ever works.
func (t *trial) pair() (outcome, error) {
	var o outcome
	first, err := t.stage("pair", t.program)
	if err != nil {
		return o, err
	}
	second := &drive.Player{World: &drive.World{}, Schemas: t.schemas}
	*second.World = *first.World
	second.Ledger = drive.Ledger{Begun: map[string]bool{}, Lines: map[string]bool{}}
	second.As("s2", t.clients.Second)
	var players sync.WaitGroup
	begun := [2]int{}
	for i, p := range []*drive.Player{first, second} {
		players.Add(1)
		go func() {
			defer players.Done()
			for range max(4, t.parallel/4) {
				p.NewPrompt()
				p.Prompt = fmt.Sprintf("%s-%s", p.Session, p.Prompt)
				results, err := drive.Race(p.World, []drive.Event{p.Enter("--loop --max-iterations 1000 --max-minutes 600")})
				if err != nil || !drive.Began(results[0]) {
					continue
				}
				begun[i]++
				if l := p.Disk().Lock; l == nil || l.SessionID != p.Session {
					p.Say("%s works under the lock %+v", p.Session, l)
				}
				_, err = drive.Race(p.World, []drive.Event{p.Report(`{"outcome":"ok"}`), p.Stop()})
				if err == nil {
					_, err = drive.Race(p.World, []drive.Event{p.Stop()})
				}
				if err != nil {
					p.Say("%v", err)
				}
			}
		}()
	}
	players.Wait()
	d := first.Disk()
	o.bad = slices.Concat(first.Bad, second.Bad, d.Faults)
	closed := slices.DeleteFunc(slices.Clone(d.Lines), func(l loop.Iteration) bool { return !l.Ran() })
	if len(closed) != begun[0]+begun[1] || begun[0] > 0 && begun[1] > 0 {
		o.bad = append(o.bad, fmt.Sprintf("%v iterations began, %d were closed: %s", begun, len(closed), strings.Join(d.Faults, "; ")))
	}
	o.done = fmt.Sprintf("%v iterations, %d skipped", begun, len(d.Lines)-len(closed))
	return o, nil
}
