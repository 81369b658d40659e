//go:build linux

package main

import (
	"fmt"
	"math/rand/v2"
	"os"
	"strings"
	"sync"
	"time"

	"hooks/scripts/drive"
)

const flags = "--loop --max-iterations 20"

// loops plays loop after loop; in each, most events are killed at a random moment, and in the end nobody is killed any
// more and everything has to add up.
func (t *trial) loops() (outcome, error) {
	var o outcome
	var lock sync.Mutex
	var players sync.WaitGroup
	killed, events, rounds := 0, 0, 0
	var failed error
	for n := range t.workers {
		players.Add(1)
		go func() {
			defer players.Done()
			dice := rand.New(rand.NewPCG(uint64(t.seed), uint64(n)))
			for round := 0; ; round++ {
				p, err := t.stage(fmt.Sprintf("loops-%d-%d", n, round), t.program)
				var k int
				if err == nil {
					k = t.loop(p, dice)
					err = os.RemoveAll(p.Dir)
				}
				lock.Lock()
				killed, events, rounds = killed+k, events+len(p.Trace), rounds+1
				if len(p.Bad) > 0 {
					o.bad = append(o.bad, fmt.Sprintf("loop %d of player %d: %s\n%s", round, n, strings.Join(p.Bad, "\n"), strings.Join(p.Trace, "\n")))
				}
				if err != nil {
					failed = err
				}
				done := killed >= t.kills || failed != nil || len(o.bad) > 10
				lock.Unlock()
				if done {
					return
				}
			}
		}()
	}
	players.Wait()
	o.done = fmt.Sprintf("%d kills in %d events of %d loops", killed, events, rounds)
	return o, failed
}

// loop is one project's life: six iterations, some of them of another session after the client died.
func (t *trial) loop(p *drive.Player, dice *rand.Rand) (killed int) {
	k := &killer{Player: p, dice: dice}
	for n := range 6 {
		args := flags
		if n > 0 && dice.IntN(3) == 0 {
			if err := p.Bury(t.clients.Gone); err != nil {
				p.Say("%v", err)
			}
			p.As(fmt.Sprintf("s%d", n+1), []int{t.clients.First, t.clients.Second}[n%2])
			args += " --resume"
		}
		k.iterate(args)
	}
	k.calm = true
	if err := p.Bury(t.clients.Gone); err != nil {
		p.Say("%v", err)
	}
	p.As("last", t.clients.First)
	p.Iterate(flags+" --resume", 2)
	p.Settle()
	return k.killed
}

// killer plays events of which most die at some moment of their work.
type killer struct {
	*drive.Player
	dice   *rand.Rand
	calm   bool
	killed int
}

// do plays one event, and kills it within the few milliseconds it takes.
func (k *killer) do(e drive.Event) drive.Result {
	k.KillAfter = 0
	if k.dice.IntN(4) > 0 {
		k.KillAfter = time.Duration(300+k.dice.IntN(8000)) * time.Microsecond
	}
	r := k.Do(e)
	k.KillAfter = 0
	if r.Killed {
		k.killed++
	}
	return r
}

// iterate plays one iteration as a client that does not notice when a hook dies.
func (k *killer) iterate(args string) {
	k.NewPrompt()
	if err := k.Prompted("/sdd:work " + args); err != nil {
		k.Say("%v", err)
	}
	k.do(k.Enter(args))
	open := k.open()
	k.do(k.Report(`{"issues":[{"number":149,"criteria":"tbd"}],"backlog":{"unblocked":[143],"blocked":[],"in_progress":[]},"outcome":"ok"}`))
	k.answer()
	r := k.do(k.Agent(k.Call()))
	if open && k.open() && (r.Killed || r.Out == "") {
		k.Ledger.Agents.Add(!r.Killed)
	} else if open {
		k.Ledger.Agents.Add(false)
	}
	if open && k.open() {
		k.do(k.Did("gh pr comment 7 --body fine", "https://github.com/o/r/pull/7#issuecomment-1\n"))
		k.Ledger.Comments.Add(true) // where the event dies, the transcript tells of it
		k.Ledger.PRs.Max = 100
	}
	if k.open() {
		if err := k.Spend(1000, 2000, true); err != nil {
			k.Say("%v", err)
		}
	}
	for range 3 {
		if r := k.do(k.Stop()); !strings.Contains(r.Out, `"decision":"block"`) {
			break
		}
		k.answer()
	}
}

// open: this turn's iteration is.
func (k *killer) open() bool {
	d := k.Disk()
	return d.Tick != nil && d.Tick.SessionID == k.Session && strings.Contains(strings.Join(d.Tick.Prompts, " ")+" ", k.Prompt+" ")
}

// answer plays the dialog as far as the program gets.
func (k *killer) answer() {
	d := k.Disk()
	if !k.open() || len(d.Tick.Pending) == 0 {
		return
	}
	id := k.Call()
	if questions := drive.Questions(k.do(k.Ask(id))); len(questions) > 0 {
		k.do(k.Given(id, questions))
	}
}
