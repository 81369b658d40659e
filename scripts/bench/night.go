//go:build linux || darwin

package main

import (
	"bytes"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/tidwall/gjson"
	"github.com/tidwall/sjson"

	"hooks/internal/loop"
	"hooks/internal/usage"
	"hooks/scripts/driver"
)

// night is a long run that sends five workers in each iteration.
type night struct {
	*driver.World
	of   int        // total number of iterations
	dice *rand.Rand // if not nil, half of the calls are killed and repeated
}

// morning holds sizes after an iteration, in bytes. They are for the budget, the last history line
// and all state. line and state exclude the lists of R119, which grow with the PRs.
type morning struct{ budget, line, state int }

const workers, pullRequests = 5, 20

// night prints the file sizes of a long run, and the duration of calls after its first and its last
// iteration.
func (b *bench) night(iterations int) {
	late := &night{World: b.world("night"), of: iterations}
	mornings := late.play(iterations)
	counted, spent := late.dollars()
	if b.Errors = append(b.Errors, late.Errors...); len(b.Errors) > 0 {
		return
	}
	fmt.Println("\n| iteration | budget KB | history line KB | all files KB per iteration |")
	fmt.Println("|--:|--:|--:|--:|")
	for i, m := range mornings {
		if shown := []int{2, 10, 50, 100, iterations}; slices.Contains(shown, i+1) {
			fmt.Printf("| %d | %.1f | %.1f | %.1f |\n", i+1, float64(m.budget)/1000,
				float64(m.line)/1000, float64(m.state)/1000/float64(i+1))
		}
	}
	fmt.Printf("\nThe run counted $%s; a recount of all transcripts comes to $%s.\n",
		counted, spent)

	early := &night{World: b.world("evening"), of: iterations}
	early.play(1)
	rows := b.against(late.Stop())
	for _, n := range []*night{early, late} {
		i := len(n.lines())
		name := fmt.Sprintf(", iteration %d", i+1)
		last, agent := n.iterate(i), fmt.Sprintf("b%016x", i)
		n.WorkerSpends(agent, 9000, 400, true)
		at := n.Save()
		again := func() { n.Restore(at) }
		rows = append(rows, b.row("pre-tool-use"+name, n.World, n.Bash("go test ./..."), again),
			b.row("pre-tool-use, a worker's first"+name, n.World, n.calls(agent), again),
			b.row("stop"+name, n.World, last, again))
	}
	b.measure(rows, 5, b.n)
}

// play plays iterations and returns the sizes after each.
func (n *night) play(iterations int) (list []morning) {
	for i := range iterations {
		n.do(n.iterate(i))
		if len(n.Errors) > 0 {
			break
		}
		list = append(list, n.morning())
	}
	return list
}

func (n *night) do(e driver.Event) {
	if n.dice != nil && n.dice.IntN(2) == 0 {
		n.KillAfter = time.Duration(n.dice.IntN(6000)) * time.Microsecond
		n.Send(e)
		n.KillAfter = 0
	}
	r := n.Send(e)
	if r.Code != 0 || r.Err != "" {
		n.Errorf("%v: code %d, %s", e.Args, r.Code, r.Err)
	}
}

// iterate plays one iteration and returns its last event, which it does not send. The turn ends
// while the workers are running, and each worker wakes the session when it ends. A worker from the
// previous iteration continues.
func (n *night) iterate(i int) (last driver.Event) {
	const args = "--loop --max-iterations 9999 --max-prs 999 --max-minutes 9999 --max-dollars 9999"
	n.NewPrompt()
	n.Prompted(n.Command(args))
	n.do(n.Enter(args))
	n.Spend(20_000, 500, true)
	var running []string
	for k := range workers {
		call, agent := n.Call(), fmt.Sprintf("a%016x", i*workers+k)
		n.do(n.Agent(call))
		n.do(n.Launched(call, agent))
		running = append(running, agent)
		n.Spend(3000, 200, true)
	}
	if every := max(1, n.of/pullRequests); i%every == 0 {
		n.do(n.Ran("gh pr create --fill", fmt.Sprintf("https://github.com/o/r/pull/%d\n", i+1)))
	}
	if i > 0 {
		n.works(fmt.Sprintf("a%016x", (i-1)*workers))
	}
	n.do(n.ends(running))
	for k, agent := range running {
		n.works(agent)
		n.NewPrompt()
		n.do(n.Typed("<task-notification>\n<task-id>" + agent + "</task-id>\n" +
			"<status>completed</status>\n</task-notification>"))
		n.Spend(3000, 200, true)
		n.do(n.Bash("go test ./..."))
		if k+1 < workers {
			n.do(n.ends(running[k+1:]))
		}
	}
	n.do(n.Report(`{"outcome":"ok","plan":[143,150,151,152,153],"backlog":{"unblocked":` +
		`[143,150,151,152,153,154,155,156,157,158,159,160],"blocked":[161,162,163],` +
		`"in_progress":[]}}`))
	return n.ends(nil)
}

// ends returns the event at the end of a turn while the given workers are still running.
func (n *night) ends(running []string) driver.Event {
	tasks := "[]"
	for _, agent := range running {
		tasks, _ = sjson.Set(tasks, "-1", map[string]string{
			"id": agent, "type": "subagent", "status": "running"})
	}
	return n.Stop("stop_hook_active", false, "background_tasks", tasks)
}

// works plays a worker's turn with three requests. A call precedes each request except the first.
func (n *night) works(agent string) {
	for call := range 3 {
		if call > 0 {
			n.do(n.calls(agent))
		}
		n.WorkerSpends(agent, 9000, 400, true)
	}
	n.do(n.Worker(agent))
}

// calls returns the event before a worker's shell call.
func (n *night) calls(agent string) driver.Event {
	e := n.Bash("go vet ./...")
	e.Stdin, _ = sjson.Set(e.Stdin, "agent_id", agent)
	e.Stdin, _ = sjson.Set(e.Stdin, "agent_type", "general-purpose")
	return e
}

// lines returns the history lines.
func (n *night) lines() [][]byte {
	history, err := os.ReadFile(filepath.Join(n.State(), "work.history.jsonl"))
	n.Check(err)
	return bytes.Split(bytes.TrimSpace(history), []byte("\n"))
}

// morning returns the sizes of the budget, the last history line and all state files, in bytes.
func (n *night) morning() (m morning) {
	budget, err := os.ReadFile(filepath.Join(n.State(), "work.budget.json"))
	n.Check(err)
	m.budget = len(budget)
	for _, line := range n.lines() {
		all := len(line)
		for _, list := range []string{"prs_touched_this_iter", "tracked_prs", "active_worktrees",
			"gates", "stop_conditions_fired", "budget_snapshot.prs_touched"} {
			line, err = sjson.DeleteBytes(line, list)
			n.Check(err)
		}
		m.line = len(line)
		m.state -= 2 * (all - m.line) // the history and its copy
	}
	for _, dir := range []string{n.State(), filepath.Join(n.Dir, "home", ".local", "state")} {
		n.Check(filepath.WalkDir(dir, func(_ string, d fs.DirEntry, err error) error {
			if err == nil && d.Type().IsRegular() {
				info, err := d.Info()
				n.Check(err)
				m.state += int(info.Size())
			}
			return err
		}))
	}
	return m
}

// dollars returns the amount that the run has counted, and the amount from a fresh count of all
// transcripts.
func (n *night) dollars() (counted, spent loop.USD) {
	budget, err := os.ReadFile(filepath.Join(n.State(), "work.budget.json"))
	n.Check(err)
	n.Check(counted.UnmarshalJSON([]byte(gjson.GetBytes(budget, "dollars_estimate").Raw)))
	all, err := usage.Count(n.Transcript(), nil, usage.NewTable(nil))
	n.Check(err)
	return counted, loop.Sum(all.ByModel).Dollars
}
