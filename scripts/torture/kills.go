//go:build linux

package main

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"sync"
	"time"

	"hooks/scripts/driver"
)

// killed plays loop after loop. Most events die at a random moment. In the end nobody is killed
// any more and everything has to add up.
func (t *torture) killed(f *findings) (string, error) {
	var lock sync.Mutex
	var players sync.WaitGroup
	kills, loops := 0, 0
	for n := range t.workers {
		players.Go(func() {
			dice := rand.New(rand.NewPCG(uint64(t.seed), uint64(n)))
			for round := 0; ; round++ {
				k := &killer{player: t.player(fmt.Sprintf("loop-%d-%d", n, round), t.program)}
				k.dice = dice
				k.loop()
				f.end(k.player, fmt.Sprintf("loop %d of player %d", round, n))
				lock.Lock()
				kills, loops = kills+k.kills, loops+1
				done := kills >= t.kills || f.count() > 10
				lock.Unlock()
				if done {
					return
				}
			}
		})
	}
	players.Wait()
	return fmt.Sprintf("%d kills in %d events of %d loops", kills, f.starts, loops), nil
}

// killer plays events of which most die while they run.
type killer struct {
	*player
	dice  *rand.Rand
	kills int
}

// loop is one project's life: six iterations, some by another session after the client died.
func (k *killer) loop() {
	clients := []int{k.clients.First, k.clients.Second}
	for n := range 6 {
		args := flags
		if n > 0 && k.dice.IntN(3) == 0 {
			k.Bury(k.clients.Gone)
			k.As(fmt.Sprintf("s%d", n+1), clients[n%2])
			args += " --resume"
		}
		k.iteration(args)
	}
	k.Bury(k.clients.Gone)
	k.As("last", k.clients.First)
	k.iterate(flags+" --resume", 2)
	k.settle()
}

// mayDie plays one event and kills most within the few milliseconds that an event takes.
func (k *killer) mayDie(e driver.Event) driver.Result {
	if k.dice.IntN(4) > 0 {
		k.KillAfter = time.Duration(300+k.dice.IntN(8000)) * time.Microsecond
	}
	r := k.do(e)
	k.KillAfter = 0
	if r.Killed {
		k.kills++
	}
	return r
}

// iteration is played by a client that does not notice when a hook dies.
func (k *killer) iteration(args string) {
	k.mayDie(k.typed(args))
	open := k.ownTurn()
	k.mayDie(k.Report(`{"issues":[{"number":149,"criteria":"tbd"}],` +
		`"backlog":{"unblocked":[143],"blocked":[],"in_progress":[]},"outcome":"ok"}`))
	k.mayAnswer()
	r := k.mayDie(k.Agent(k.Call()))
	if open {
		k.Ledger.Agents.Add(!r.Killed && r.Out == "" && k.ownTurn())
	}
	if open && k.ownTurn() {
		k.mayDie(k.Ran("gh pr comment 7 --body fine",
			"https://github.com/o/r/pull/7#issuecomment-1\n"))
		k.Ledger.Comments.Add(true) // if the event dies, the transcript has it
		k.Ledger.PRs.Max = 100
	}
	if k.ownTurn() {
		k.Spend(1000, 2000, true)
	}
	for range 3 {
		if r := k.mayDie(k.Stop()); !strings.Contains(r.Out, `"decision":"block"`) {
			break
		}
		k.mayAnswer()
	}
}

// mayAnswer plays the dialog as far as the program lives.
func (k *killer) mayAnswer() {
	if !k.ownTurn() || !k.pending() {
		return
	}
	id := k.Call()
	if questions := driver.Questions(k.mayDie(k.Ask(id))); len(questions) > 0 {
		k.mayDie(k.given(id, questions))
	}
}
