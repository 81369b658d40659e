package drive

import (
	"fmt"
	"io"
	"os/exec"
	"strings"
	"sync"

	"github.com/tidwall/gjson"
)

// Race starts one session each for every event at the same moment, as near as a machine can, and returns what became of
// each. All have started and wait for their input before the first gets it.
func Race(w *World, events []Event) ([]Result, error) {
	results := make([]Result, len(events))
	inputs := make([]io.WriteCloser, len(events))
	running := make([]*exec.Cmd, len(events))
	outs := make([]strings.Builder, 2*len(events))
	for i, e := range events {
		cmd := exec.Command(w.Program, e.Args...)
		cmd.Dir, cmd.Env = w.Project(), append(w.environ(), e.Env...)
		cmd.Stdout, cmd.Stderr = &outs[2*i], &outs[2*i+1]
		in, err := cmd.StdinPipe()
		if err == nil {
			err = cmd.Start()
		}
		if err != nil {
			return nil, fmt.Errorf("start: %w", err)
		}
		inputs[i], running[i] = in, cmd
	}
	var done sync.WaitGroup
	for i := range events {
		done.Add(1)
		go func() {
			defer done.Done()
			_, _ = io.WriteString(inputs[i], events[i].Stdin)
			_ = inputs[i].Close()
			_ = running[i].Wait()
			results[i] = Result{Out: outs[2*i].String(), Err: outs[2*i+1].String(), Code: running[i].ProcessState.ExitCode()}
		}()
	}
	done.Wait()
	return results, nil
}

// Began says whether an entry's reply lets an iteration begin.
func Began(r Result) bool {
	return strings.Contains(gjson.Get(r.Out, "hookSpecificOutput.additionalContext").String(), "## Loop Iteration")
}

// RaceForLock lets as many sessions as said enter at once, and says what is wrong with who won: one has to, unless the
// file system's locks are false, where all may have met each other.
func (p *Player) RaceForLock(sessions int, args string, mayBeNone bool) error {
	events := make([]Event, sessions)
	own := p.Session
	for i := range events {
		p.Session = fmt.Sprintf("r%d", i)
		events[i] = p.Enter(args)
	}
	p.Session = own
	results, err := Race(p.World, events)
	if err != nil {
		return err
	}
	winner := ""
	for i, r := range results {
		if r.Code != 0 || !oneObject(r.Out) {
			p.Say("a racing entry: code %d, %q, %s", r.Code, r.Out, r.Err)
		}
		if !Began(r) {
			continue
		}
		if winner != "" {
			p.Say("two sessions hold the lock: %s and r%d", winner, i)
		}
		winner = fmt.Sprintf("r%d", i)
	}
	d := p.Disk()
	p.Bad = append(p.Bad, d.Faults...)
	switch {
	case winner == "" && !mayBeNone:
		p.Say("nobody of %d got the lock: %s", sessions, results[0].Out)
	case mayBeNone: // two may overwrite each other's counters, but never both work
	case winner != "" && (d.Lock == nil || d.Lock.SessionID != winner || d.Tick == nil || d.Tick.SessionID != winner):
		p.Say("%s won, and the lock is %+v", winner, d.Lock)
	}
	return nil
}
