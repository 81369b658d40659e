//go:build linux

package torture

import (
	"fmt"
	"math/rand/v2"
	"sync"
)

// killed plays loops in which most events are killed at a random moment. At the end of a loop
// nothing is killed, and all counts must agree.
func (t *torture) killed(f *findings) string {
	var lock sync.Mutex
	var players sync.WaitGroup
	kills, loops := 0, 0
	for n := range t.workers {
		players.Go(func() {
			dice := rand.New(rand.NewPCG(uint64(t.seed), uint64(n)))
			for round := 0; ; round++ {
				p := t.player(fmt.Sprintf("loop-%d-%d", n, round), t.program)
				p.dice = dice
				[]func(*player){(*player).life, taskLife, (*player).life, auditLife}[round%4](p)
				f.end(p, fmt.Sprintf("loop %d of player %d", round, n))
				lock.Lock()
				kills, loops = kills+p.kills, loops+1
				done := kills >= t.kills || f.count() > 10
				lock.Unlock()
				if done {
					return
				}
			}
		})
	}
	players.Wait()
	return fmt.Sprintf("%d kills in %d events of %d loops", kills, f.starts, loops)
}

// life plays six iterations in which most events are killed, some in another session after the
// client died, and then two iterations without kills.
func (p *player) life() {
	for n := range 6 {
		args := flags
		if n > 0 && p.dice.IntN(3) == 0 {
			p.Bury(p.clients.Gone)
			p.As(fmt.Sprintf("s%d", n+1), []int{p.clients.First, p.clients.Second}[n%2])
			args += " --resume"
		}
		p.tryIteration(args)
	}
	p.dice = nil
	p.Bury(p.clients.Gone)
	p.As("last", p.clients.First)
	p.iterate(flags+" --resume", 2)
	p.settle()
}

// taskLife plays a whole task loop in which most events are killed, and sometimes the client.
func taskLife(p *player) { taskProject(more)(p); p.dies(goArgs + " --max-task-iterations 90") }

// auditLife does the same with an audit loop.
func auditLife(p *player) {
	auditProject(long, post)(p)
	p.dies(auditArgs + " --max-iterations 300")
}

func (p *player) dies(args string) {
	for n := range 4 {
		if p.disk().budget != nil {
			args = "--resume"
		}
		p.turn(args)
		p.conduct(nil)
		if p.dice.IntN(3) == 0 {
			p.Bury(p.clients.Gone)
			p.As(fmt.Sprintf("s%d", n+2), []int{p.clients.First, p.clients.Second}[n%2])
			p.forget()
		}
	}
	p.dice = nil
	p.complete()
	p.settle()
}

// tryIteration plays an iteration as a client that does not notice killed hooks.
func (p *player) tryIteration(args string) {
	p.turn(args)
	open := p.ownTurn()
	p.do(p.Report(`{"issues":[{"number":149,"criteria":"tbd"}],` +
		`"backlog":{"unblocked":[143],"blocked":[],"in_progress":[]},"outcome":"ok"}`))
	p.answer()
	r := p.do(p.Agent(p.Call()))
	if open {
		p.Ledger.Agents.Add(!r.Killed && r.Out == "" && p.ownTurn())
	}
	if open && p.ownTurn() {
		p.do(p.Ran("gh pr comment 7 --body fine", "https://github.com/o/r/pull/7#issuecomment-1\n"))
		p.Ledger.Comments.Add(true) // if the event dies, the transcript has it
		p.Ledger.PRs.Max = 100
	}
	if p.ownTurn() {
		p.spend()
	}
	p.end()
}
