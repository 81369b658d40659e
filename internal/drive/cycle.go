// Package drive starts one client process for each iteration and watches it until its end (T92). It
// has no rules: before each process it asks a Run what to do, and afterwards it reports how the
// process ended. The state on disk decides; the process and its output only explain.
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

	"hooks/internal/loop"
)

// Run is the state of one run, as the driver needs it. The hook side implements it over the
// files of the run and holds every rule:
//
//   - Next reads the state and returns the next order. It is called before each process, and after
//     each wait. It closes an attempt that a process without a Stop has left open.
//   - Ended takes the verdict of the process that has just ended, before the following Next, and
//     returns the judgement of its attempt with the reason. said is empty if nothing judged it. The
//     state comes first: Kind matters only if no Stop closed the attempt (M5). Outage, Stalled,
//     Interrupted and Killed cost no retry (T59, T95).
//   - Halt ends or pauses the run for a cause that only the driver sees, records it, and returns
//     the order Finish: user_interrupt (a signal), api_unavailable (a pause, T95), stall_timeout
//     (A28). A run that has ended already keeps its own cause.
//
// An error of any of them ends the driver with exit code 1.
type Run interface {
	Next() (Order, error)
	Ended(Verdict) (said string, err error)
	Halt(cause, text string) (Order, error)
}

// Signals returns a channel that gets Ctrl-C, SIGTERM and SIGHUP until stop is called. SIGHUP stays
// ignored under nohup.
func Signals() (signals <-chan os.Signal, stop func()) {
	list := []os.Signal{os.Interrupt, syscall.SIGTERM}
	if !signal.Ignored(syscall.SIGHUP) {
		list = append(list, syscall.SIGHUP)
	}
	c := make(chan os.Signal, 2)
	signal.Notify(c, list...)
	return c, func() { signal.Stop(c) }
}

// Do is the verb of an order.
type Do int

// The three orders.
const (
	Again  Do = iota // start one process with Prompt
	Wait             // ask once more at Until
	Finish           // the run has ended, or waits for a person
)

// Order is the answer of a Run. Name is as in "task 1 of 3, attempt 1".
type Order struct {
	Do      Do
	Prompt  string
	Agent   string // of the client, which may have fewer tools; "" for its own
	Name    string
	Title   string
	Found   string // by the audits so far
	Done    int    // tasks or sections of Total
	Total   int
	Spent   loop.USD // by the run so far
	Ceiling loop.USD // none if 0
	Left    loop.USD // that the process may spend, no bound if 0
	Until   time.Time
	Cause   string
	Text    string // for people: of an end, or why there is a wait
	Resume  string // the command that continues the run, "" for none
	Code    int    // exit code, 0 or 1
	Limit   bool   // a ceiling that is near has ended the run
}

// maxStalls is the number of stalled attempts in a row that end a run (A28).
const maxStalls = 5

// Cycle drives a run to its end.
type Cycle struct {
	Run     Run
	Client  Client
	Screen  *Screen
	Signals <-chan os.Signal
	// Ask asks a person the questions for which the run waits, and reports whether all were
	// answered. It may be nil.
	Ask func() (answered bool, err error)

	began           time.Time // the first process
	before          int       // tasks that were done then
	outages, stalls int       // in a row
	waiting         string    // why it waited last, as it was said
	// Only tests set these.
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
		case <-c.Signals: // between two processes
			return c.Run.Halt(loop.CauseInterrupt, "")
		default:
		}
		o, err := c.Run.Next()
		switch {
		case err != nil:
			return Order{}, err
		case o.Do == Wait:
			until := c.now().Add(time.Second) // at least, or it would ask without a pause
			if o.Until.After(until) {
				until = o.Until
			}
			o, err = c.wait(until, o.Text)
		case o.Do == Again:
			c.waiting = ""
			o, err = c.attempt(o)
		case o.Cause == "gate_waiting" && c.Ask != nil:
			asked, answered := c.now(), false
			answered, err = c.Ask()
			if c.began = c.began.Add(c.now().Sub(asked)); answered {
				o = Order{}
			}
		}
		if err != nil || o.Do == Finish {
			return o, err
		}
	}
}

// attempt runs one process. The order that it returns has the verb Finish if the run is over.
func (c *Cycle) attempt(o Order) (Order, error) {
	began, client := c.now(), c.Client
	if c.began.IsZero() {
		c.began, c.before = began, o.Done
	}
	if c.Screen.Width == nil { // no bar shows it
		c.Screen.Say(began, join(o.Name, o.Title, o.Found, money(o)))
	}
	if o.Agent != "" {
		client.Flags = append([]string{"--agent", o.Agent}, client.Flags...) // a person's is later
	}
	client.Flags = within(o.Left, client.Flags)
	client.Tick = func(last string) {
		took := c.now().Sub(c.began).Truncate(time.Second)
		c.Screen.Show(join(bar(o), money(o), took.String(), c.left(o, began), o.Name, o.Title,
			o.Found), last)
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
	c.Screen.Say(now, join(o.Name, said, took, o.Title))
	if end.Interrupted {
		return c.Run.Halt(loop.CauseInterrupt, "")
	}
	return c.afterFailure(v)
}

// bar draws how much of the list or the plan is done. It returns "" if the order has no total.
func bar(o Order) string {
	const width = 10
	if o.Total == 0 {
		return ""
	}
	n := o.Done * width / o.Total
	return fmt.Sprintf("%s%s %d/%d", strings.Repeat("█", n), strings.Repeat("░", width-n), o.Done,
		o.Total)
}

// left estimates how long the rest takes, by the tasks that this driver has seen finished; ""
// before the first one. began is when the present attempt did.
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

// within bounds a process by the client's own flag, unless a person's flags bound it more.
func within(left loop.USD, flags []string) []string {
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

// afterFailure waits out an outage, and gives up on outages and stalls that do not end.
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
			why := fmt.Sprintf("%d attempts in a row fell silent", maxStalls)
			return c.Run.Halt(loop.CauseStall, why)
		}
	case Outage:
		if v.Final || c.outages == len(loop.Backoff) {
			return c.Run.Halt(loop.CauseOutage, v.Text)
		}
		until := c.now().Add(loop.Backoff[c.outages])
		c.outages++
		return c.wait(cmp.Or(v.Reset, until), v.Text)
	}
	return Order{}, nil
}

// wait waits by the wall clock, so that a suspended machine does not wait longer. A signal ends it.
func (c *Cycle) wait(until time.Time, why string) (Order, error) {
	head := "waiting until " + clock(until, c.now())
	if why == "" || why != c.waiting { // a run that somebody else works on is asked again and again
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

// money returns the spend against the ceiling.
func money(o Order) string {
	if o.Ceiling == 0 {
		return "$" + o.Spent.String()
	}
	return "$" + o.Spent.String() + " of $" + o.Ceiling.String()
}

// clock returns a time of day, with the date if it is another day.
func clock(at, now time.Time) string {
	if at = at.In(now.Location()); at.Format(time.DateOnly) == now.Format(time.DateOnly) {
		return at.Format("15:04")
	}
	return at.Format("Jan 2 15:04")
}
