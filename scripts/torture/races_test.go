//go:build linux

package torture

import (
	"fmt"
	"strings"
	"sync"

	"hooks/internal/kind/audit"
	"hooks/scripts/driver"
)

// races lets sessions enter at once. Exactly one must begin, with or without file locks. On a file
// system whose locks have no effect, at most one may begin.
func (t *torture) races(f *findings) string {
	noLocks := t.build(f, readVariant("variants/no-locks.txt"), false)
	falseLocks := t.build(f, readVariant("variants/false-locks.txt"), false)
	dead := func(p *player) { p.turn(flags); p.Bury(t.clients.Gone) }
	kinds := []struct {
		name, program string
		before        func(*player)
	}{
		{"an empty project", t.program, nothing},
		{"the lock of a dead iteration", t.program, dead},
		{"a run that has ended", t.program, halted},
		{"no locks", noLocks, nothing},
		{"no locks, and the lock of a dead iteration", noLocks, dead},
		{"false locks", falseLocks, nothing},
		{"false locks, and the lock of a dead iteration", falseLocks, dead},
		{"a task loop", t.program, taskProject(spec)},
		{"an audit loop that died", t.program, func(p *player) {
			auditProject(plan, "")(p)
			p.turn(auditArgs)
			p.Bury(t.clients.Gone)
		}},
	}
	won, rounds := 0, 0
	for n := range t.rounds {
		for _, k := range kinds {
			if !strings.Contains(k.name, t.name) {
				continue
			}
			rounds++
			p := t.player(fmt.Sprintf("race-%d", n), k.program)
			k.before(p)
			args, sessions := flags, t.sessions
			if p.Skill != "work" { // each session runs git
				args, sessions = map[string]string{"task": goArgs, "audit": "--resume"}[p.Skill],
					t.sessions/4
			}
			p.raceForLock(sessions, args, k.program == falseLocks)
			if d := p.disk(); d.lock != nil {
				won++
			} else if d.budget == nil || !p.takesOver(d.budget.SessionID) {
				// With false locks two sessions may overwrite each other, and both undo their
				// entry.
				trace := strings.Join(p.trace, "\n")
				if k.program != falseLocks || !strings.Contains(trace, "as hooks") {
					p.Errorf("no one got the lock, and the run's own session cannot begin")
				}
			}
			f.end(p, fmt.Sprintf("round %d, %s", n, k.name))
		}
	}
	return fmt.Sprintf("%d rounds of %d sessions, %d won by one of them",
		rounds, t.sessions, won)
}

// takesOver reports whether a session of the same client can begin an iteration.
func (p *player) takesOver(session string) bool {
	p.As(session, p.Client)
	return p.turn(flags)
}

// atOnce runs hooks of one session at the same time, as a client with workers does. Each fact must
// count once.
func (t *torture) atOnce(f *findings) string {
	const each = 8
	for n := range t.parallel {
		p := t.player(fmt.Sprintf("at-once-%d", n), t.program)
		p.turn("--loop --max-iterations 20 --max-prs 100")
		var events []driver.Event
		for i := range each {
			url := fmt.Sprintf("https://github.com/o/r/pull/%d\n", i+1)
			events = append(events, p.Agent(p.Call()), p.Ran("gh pr create --fill", url))
		}
		events = append(events, p.Report(
			`{"backlog":{"unblocked":[1],"blocked":[],"in_progress":[]},"outcome":"ok"}`))
		for i, r := range p.Race(events) {
			agent := i < 2*each && i%2 == 0
			if r.Code != 0 || r.Err != "" || agent && r.Out != "" {
				p.Errorf("a hook among others: code %d, %q, %s", r.Code, r.Out, r.Err)
			}
		}
		p.Ledger.Agents = driver.Range{Min: each, Max: each}
		p.Ledger.PRs = p.Ledger.Agents
		if tick := p.disk().tick; tick == nil || !tick.Reported {
			p.Errorf("a report among other hooks is lost")
		}
		p.end()
		p.settle()
		f.end(p, fmt.Sprintf("round %d", n))
	}
	for n := range max(1, t.parallel/4) {
		for _, play := range []func(*player){conductedAtOnce, reportedAtOnce} {
			p := t.player(fmt.Sprintf("loop-at-once-%d", n), t.program)
			play(p)
			p.complete()
			p.settle()
			f.end(p, fmt.Sprintf("round %d of a task and an audit loop", n))
		}
	}
	return fmt.Sprintf("%d times %d hooks", t.parallel, 2*each+1)
}

// conductedAtOnce sends each event of an attempt three times at once, as a client with several
// registrations of the hooks does. The attempt must begin, count and end once.
func conductedAtOnce(p *player) {
	claimed(more)(p)
	p.thrice(p.Stop())
	p.thrice(agent(p))
	if d := p.disk(); d.tick == nil || d.tick.Attempt == nil || d.tick.Attempt.Task != 2 ||
		len(d.closed("")) != 1 {
		p.Errorf("three Stops and three calls leave %+v after %d lines", d.tick, len(d.closed("")))
	}
	p.code()
	p.thrice(p.WorkerEnds(claim))
}

// reportedAtOnce sends several reports of an auditor at once. No finding may be lost.
func reportedAtOnce(p *player) {
	audited(looks)(p)
	var events []driver.Event
	for i := range 6 {
		events = append(events, p.Audits(fmt.Sprintf(`{"findings":[{"file":"%d.go",`+
			`"severity":"warning","description":"breaks"}],"verdict":"dirty"}`, i)))
	}
	p.Race(events)
	if b := p.disk().budget; len(audit.Of(b).Findings) != len(events) {
		p.Errorf("%d findings were reported at once, %d are there", len(events),
			len(audit.Of(b).Findings))
	}
}

func (p *player) thrice(e driver.Event) {
	for _, r := range p.Race([]driver.Event{e, e, e}) {
		if r.Code != 0 || r.Err != "" || !oneObject(r.Out) {
			p.Errorf("%s among others: code %d, %q, %s", e.Args[0], r.Code, r.Out, r.Err)
		}
	}
	if t := p.disk().tick; t != nil && t.Started {
		p.Ledger.Begun[iterationKey(t.RunID, t.Iteration)] = true
	}
}

// pair lets two sessions with live clients use one project repeatedly. Only one may work at a time.
func (t *torture) pair(f *findings) string {
	players := []*player{t.player("pair", t.program), t.player("pair", t.program)}
	players[1].As("s2", t.clients.Second)
	var both sync.WaitGroup
	begun := [2]int{}
	for i, p := range players {
		both.Go(func() {
			for range max(4, t.parallel/4) {
				p.NewPrompt()
				p.Prompt = p.Session + "-" + p.Prompt
				if !began(p.Send(p.Enter("--loop --max-iterations 1000 --max-minutes 600"))) {
					continue
				}
				begun[i]++
				if l := p.disk().lock; l == nil || l.SessionID != p.Session {
					p.Errorf("%s works under the lock %+v", p.Session, l)
				}
				p.Race([]driver.Event{p.Report(`{"outcome":"ok"}`), p.Stop()})
				p.Send(p.Stop())
			}
		})
	}
	both.Wait()
	d := players[0].disk()
	closed := len(d.closed(""))
	if closed != begun[0]+begun[1] || begun[0] > 0 && begun[1] > 0 || len(d.faults) > 0 {
		players[0].Errorf("%v iterations began, %d were closed: %s",
			begun, closed, strings.Join(d.faults, "; "))
	}
	for _, p := range players {
		f.take(p, p.Session)
	}
	return fmt.Sprintf("%v iterations, %d skipped", begun, len(d.lines)-closed)
}
