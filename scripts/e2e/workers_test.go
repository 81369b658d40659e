//go:build e2e && linux

package e2e

import (
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// withWorkers is a script with two parts: a task that begins with WORKER is played by work, every
// other one by the main worker. begun is true once the tools of work's first answer have run.
func withWorkers(main Worker, work func(task string, begun bool) Turn) Script {
	return func(r Request) Turn {
		prompt := r.Prompt()
		at := strings.Index(prompt, "WORKER ")
		if at < 0 || at > 0 && prompt[at-1] != '\n' || skillPattern.MatchString(prompt) {
			return main.Say(r)
		}
		task, _, _ := strings.Cut(prompt[at:], "\n")
		return work(task, len(r.Calls()) > 0)
	}
}

// quickly is a worker's whole work.
func quickly(string, bool) Turn { return Turn{Text: "worked"} }

// prScript replaces a gh that opens the PR whose number is its title.
const prScript = `#!/bin/sh
echo "$*" >>'%s'
case "$1 $2" in
"pr create") echo "https://github.com/acme/shop/pull/$4" ;;
esac
`

// Workers run at the same time, in the background, and one inside another, each with several calls
// at once. Every dispatch and every PR is counted, no worker merges, and the spend of the innermost
// ends the loop at the iteration's exit (E; R27–R33, R58–R63, R99, R150).
func TestWorkersAtOnceAreAllCounted(t *testing.T) {
	main := Worker{AtOnce: true, Work: func(int) (calls []Call) {
		for i := range 6 {
			calls = append(calls, dispatch(fmt.Sprint("WORKER ", i), "opus", i%2 == 0))
		}
		return calls
	}}
	var rest sync.WaitGroup // all but the last and the one that sent it: once it has spent the
	rest.Add(6)             // dollars of the loop, no worker is sent any more
	w := newWorld(t, withWorkers(main, func(task string, begun bool) Turn {
		i := int(task[len(task)-1] - '0')
		switch {
		case !begun:
			return Turn{Calls: opensTwo(i)}
		case i == 7:
			over := make(chan struct{})
			go func() { rest.Wait(); close(over) }()
			return Turn{Text: "worked", Usage: Usage{Input: 1, Output: 100_000}, Hold: over}
		case i != 5:
			rest.Done()
		}
		return Turn{Text: "worked"}
	}))
	w.write(w.Bin+"/gh", fmt.Sprintf(prScript, w.ghLog()), 0o755)
	w.Headless("/sdd:work --loop --max-prs 50 --max-dollars 1")

	b := w.Budget("work")
	var want []string
	for i := range 8 {
		want = append(want, fmt.Sprintf("#2%d0", i), fmt.Sprintf("#2%d1", i))
	}
	slices.Sort(b.PRsTouched)
	if diff := cmp.Diff(want, b.PRsTouched); diff != "" {
		t.Errorf("PRs touched (-want +got):\n%s", diff)
	}
	lines := w.History("work")
	if len(lines) != 1 || lines[0].Agents != 8 || b.Agents != 8 {
		t.Errorf("%d agents counted, want 8; history %+v", b.Agents, lines)
	}
	if len(w.Merges()) != 0 {
		t.Errorf("workers merged: %v", w.Merges())
	}
	if b.Status != "halted" || b.StopCause != "cost_budget" || b.Dollars < 2 {
		t.Errorf("the run is %+v, want halted by what a worker spent", b)
	}
}

// opensTwo is what worker i does at once: it opens two PRs and tries to merge one; the last two
// send off another each.
func opensTwo(i int) []Call {
	calls := []Call{
		bash(fmt.Sprintf("gh pr create --title 2%d0 --body x", i)),
		bash(fmt.Sprintf("gh pr create --title 2%d1 --body x", i)),
		bash(fmt.Sprintf("gh pr merge 2%d0 --admin", i)),
	}
	if i == 4 || i == 5 {
		calls = append(calls, dispatch(fmt.Sprint("WORKER ", i+2), "opus", false))
	}
	return calls
}

// A worker's merge waits for a person's word as the main thread's does (E; R99–R102).
func TestWorkersMergeNeedsAPersonsWord(t *testing.T) {
	main := Worker{Work: func(int) []Call {
		return []Call{dispatch("WORKER merge it", "haiku",
			false)}
	}}
	w := newWorld(t, withWorkers(main, func(_ string, begun bool) Turn {
		if begun {
			return Turn{Text: "worked"}
		}
		return Turn{Calls: []Call{bash("gh pr merge 201 --squash")}}
	}))
	w.Headless("/sdd:work --loop")
	if len(w.Merges()) != 0 ||
		!w.Model.Told("Not merged yet: gh pr merge 201 --squash needs a person's approval") {
		t.Errorf("merges %v; the worker was told of the question: %v", w.Merges(),
			w.Model.Told("Not merged yet"))
	}
	if b := w.Budget("work"); b.Status != "paused" || b.Agents != 1 {
		t.Errorf("the run is %+v, want paused with one worker", b)
	}
}
