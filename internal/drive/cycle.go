// Package drive starts one client process for each iteration and watches it until it exits (T92). A
// Run decides from the state on disk whether to start a process, and records the result of each.
// The process's output only explains the result.
package drive

import (
	"cmp"
	"fmt"
	"os"
	"os/signal"
	"slices"
	"strings"
	"syscall"
	"time"

	"hooks/internal/attempt"
	"hooks/internal/loop"
)

// Run is the driver's view of a run. Its implementation reads the run's files and applies all
// rules.
//
//   - Next reads the state and returns the next order. The driver calls it before each process and
//     after each wait.
//   - Ended records the verdict on the process that has just exited and closes its attempt if no
//     Stop did. It returns how the attempt was judged and why, or "" if it was not judged. A Stop's
//     judgement takes precedence over Kind (M5). Outage, Stalled, Interrupted and Killed cost no
//     retry (T59, T95).
//   - Halt ends or pauses the run for a cause that only the driver sees, and returns a Finish
//     order. The causes are user_interrupt (a signal), api_unavailable (a pause, T95) and
//     stall_timeout (A28). A run that has already ended keeps its own cause.
//
// If any of them returns an error, the driver exits with code 1.
type Run interface {
	Next() (Order, error)
	Ended(Verdict) (said string, err error)
	Halt(cause, text string) (Order, error)
}

// Signals returns a channel that receives Ctrl-C, SIGTERM and SIGHUP until stop is called. Under
// nohup, SIGHUP stays ignored.
func Signals() (signals <-chan os.Signal, stop func()) {
	list := []os.Signal{os.Interrupt, syscall.SIGTERM}
	if !signal.Ignored(syscall.SIGHUP) {
		list = append(list, syscall.SIGHUP)
	}
	c := make(chan os.Signal, 2)
	signal.Notify(c, list...)
	return c, func() { signal.Stop(c) }
}

// Do is a kind of order.
type Do int

// Kinds of orders.
const (
	Again  Do = iota // start one process with Prompt
	Wait             // call Next again after pollTime
	Finish           // the run has ended or waits for a person
)

// Order is a Run's instruction. Name describes the attempt, such as "task 1 of 3, attempt 1".
type Order struct {
	Do      Do
	Prompt  string
	Agent   string // the client's agent, which may have fewer tools; "" for the default
	Name    string
	Title   string
	Found   string // findings so far
	Done    int    // finished tasks or sections out of Total
	Total   int
	Spent   loop.USD // spent by the run so far
	Ceiling loop.USD // ceiling for Spent; 0 if there is none
	Left    loop.USD // how much the process may spend; 0 if unlimited
	Cause   string
	Text    string // explains the end or the wait to people
	Resume  string // command that resumes the run, or ""
	Code    int    // exit code
}

// pollTime is how often a waiting driver checks the state.
const pollTime = 5 * time.Second

// maxStalls is the number of consecutive stalled attempts that end a run (A28).
const maxStalls = 5

// Cycle drives a run to its end.
type Cycle struct {
	Run     Run
	Client  Client
	Screen  *Screen
	Signals <-chan os.Signal
	// Ask asks a person the run's open questions and reports whether all were answered. It may be
	// nil.
	Ask func() (answered bool, err error)

	began           time.Time // start of the first process
	before          int       // finished tasks at that time
	outages, stalls int       // consecutive
	waiting         string    // last reason shown for waiting
	// Only tests replace these.
	now   func() time.Time
	after func(time.Duration) <-chan time.Time
}

// Drive starts processes until an order or a signal ends the run, and returns the last order.
func (c *Cycle) Drive() (Order, error) {
	if c.now == nil {
		c.now, c.after = time.Now, time.After
	}
	defer c.Screen.Close()
	for {
		select {
		case <-c.Signals: // a signal between two processes
			return c.Run.Halt(loop.CauseInterrupt, "")
		default:
		}
		o, err := c.Run.Next()
		switch {
		case err != nil:
			return Order{}, err
		case o.Do == Wait:
			o, err = c.wait(c.now().Add(pollTime), o.Text)
		case o.Do == Again:
			c.waiting = ""
			o, err = c.attempt(o)
		case o.Cause == "gate_waiting" && c.Ask != nil:
			var answered bool
			if answered, err = c.Ask(); answered {
				o = Order{}
			}
		}
		if err != nil || o.Do == Finish {
			return o, err
		}
	}
}

// attempt runs one process. It returns a Finish order if the run is over, otherwise the zero Order.
func (c *Cycle) attempt(o Order) (Order, error) {
	began, client := c.now(), c.Client
	if c.began.IsZero() {
		c.began, c.before = began, o.Done
	}
	c.Screen.Say(began, join(o.Name, o.Title, o.Found, money(o)))
	if o.Agent != "" {
		client.Flags = append([]string{"--agent", o.Agent}, client.Flags...) // a person's flag wins
	}
	client.Flags = withBudget(o.Left, client.Flags)
	client.Tick = func(last string) {
		took := c.now().Sub(c.began).Truncate(time.Second)
		c.Screen.Show(join(bar(o), money(o), took.String(), c.left(o, began)), last)
	}
	client.Tick("")
	end, err := client.Run(o.Prompt, c.Signals)
	if err != nil {
		return Order{}, err
	}
	now := c.now()
	v := Judge(end, now)
	said, err := c.Run.Ended(v)
	if err != nil {
		return Order{}, err
	}
	if said == "" || v.Kind != Ended {
		said = join(string(v.Kind), v.Text)
	}
	took := now.Sub(began).Truncate(time.Second).String()
	c.Screen.Close() // a question may follow
	c.Screen.Say(now, join(o.Name, said, took, o.Title))
	if end.Interrupted {
		return c.Run.Halt(loop.CauseInterrupt, "")
	}
	return c.afterFailure(v)
}

// bar draws the finished share of the list or plan. It returns "" if o.Total is 0.
func bar(o Order) string {
	const width = 10
	if o.Total == 0 {
		return ""
	}
	n := o.Done * width / o.Total
	return fmt.Sprintf("%s%s %d/%d", strings.Repeat("█", n), strings.Repeat("░", width-n), o.Done,
		o.Total)
}

// left estimates the remaining time from the tasks finished under this driver. It returns "" if
// none has finished or none remains. began is the start of the current attempt.
func (c *Cycle) left(o Order, began time.Time) string {
	finished := o.Done - c.before
	if finished <= 0 || o.Done >= o.Total {
		return ""
	}
	rest := began.Sub(c.began)/time.Duration(finished)*time.Duration(o.Total-o.Done) -
		c.now().Sub(began)
	minutes := max(rest, time.Minute).Round(time.Minute).String()
	return "about " + strings.TrimSuffix(minutes, "0s") + " left"
}

// withBudget sets the client's budget flag to left. It returns flags unchanged if left is 0 or the
// person's own limit is no higher.
func withBudget(left loop.USD, flags []string) []string {
	const name = "--max-budget-usd"
	if left == 0 {
		return flags
	}
	for i, f := range flags {
		key, value, joined := strings.Cut(f, "=")
		if !joined && i+1 < len(flags) {
			value = flags[i+1]
		}
		if own, err := loop.ParseUSD(value); key == name && err == nil && own <= left {
			return flags
		}
	}
	return append(slices.Clip(flags), name, left.Decimal())
}

// afterFailure waits out an outage. It halts the run if waiting cannot end the outage, or after too
// many consecutive outages or stalls.
func (c *Cycle) afterFailure(v Verdict) (Order, error) {
	if v.Kind != Outage {
		c.outages = 0
	}
	if v.Kind != Stalled {
		c.stalls = 0
	}
	switch v.Kind {
	case Stalled:
		if c.stalls++; c.stalls == maxStalls {
			why := fmt.Sprintf("the client went silent in %d attempts in a row", maxStalls)
			return c.Run.Halt(loop.CauseStall, why)
		}
	case Outage:
		if v.Final || c.outages == len(attempt.Backoff) {
			return c.Run.Halt(loop.CauseOutage, v.Text)
		}
		until := c.now().Add(attempt.Backoff[c.outages])
		c.outages++
		return c.wait(cmp.Or(v.Reset, until), v.Text)
	}
	return Order{}, nil
}

// wait waits until the wall clock reaches until, because a timer would stop while the machine is
// suspended. A signal halts the run.
func (c *Cycle) wait(until time.Time, why string) (Order, error) {
	head := "waiting until " + clock(until, c.now())
	if why == "" || why != c.waiting { // print a repeated reason only once
		c.Screen.Say(c.now(), join(head, why))
	}
	c.waiting = why
	for {
		left := until.Round(0).Sub(c.now().Round(0))
		if left <= 0 {
			return Order{}, nil
		}
		c.Screen.Show(join(head, left.Truncate(time.Second).String()), "")
		select {
		case <-c.Signals:
			return c.Run.Halt(loop.CauseInterrupt, "")
		case <-c.after(min(left, time.Second)):
		}
	}
}

// money formats the amount spent, and the ceiling if there is one.
func money(o Order) string {
	if o.Ceiling == 0 {
		return "$" + o.Spent.String()
	}
	return "$" + o.Spent.String() + " of $" + o.Ceiling.String()
}

// clock formats a time of day, with the date if it is on another day.
func clock(at, now time.Time) string {
	if at = at.In(now.Location()); at.Format(time.DateOnly) == now.Format(time.DateOnly) {
		return at.Format("15:04")
	}
	return at.Format("Jan 2 15:04")
}
