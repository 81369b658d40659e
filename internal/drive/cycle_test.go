//go:build !windows

package drive

import (
	"errors"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"hooks/internal/loop"
)

// script is a run whose tasks are the parts that a client plays. It notes how it is driven.
type script struct {
	orders []Order
	fails  error
	at     func() time.Time
	log    []string
}

func (s *script) note(words ...string) {
	s.log = append(s.log, s.at().Format("15:04 ")+strings.Join(words, " "))
}

func (s *script) Next() (o Order, err error) {
	if len(s.orders) == 0 {
		return Order{Do: Finish, Cause: "tasks_complete", Text: "all 3 tasks are done"}, s.fails
	}
	o, s.orders = s.orders[0], s.orders[1:]
	s.note("next", o.Prompt)
	return o, nil
}

func (s *script) Ended(v Verdict) (string, error) {
	s.note(string(v.Kind))
	return "verified", nil
}

func (s *script) Halt(cause, text string) (Order, error) {
	s.note("halt", cause)
	return Order{Do: Finish, Cause: cause, Text: text, Code: 1}, nil
}

// drive plays a script from half past one at night on, by a clock that only waits move.
func drive(t *testing.T, s *script, c *Cycle) (Order, string) {
	t.Helper()
	now := night
	c.now = func() time.Time { return now }
	c.after = func(d time.Duration) <-chan time.Time {
		now = now.Add(d)
		fired := make(chan time.Time, 1)
		fired <- now
		return fired
	}
	var out strings.Builder
	if c.Client.Stall == 0 {
		c.Client = client("prompt")
	}
	s.at, c.Run = c.now, s
	if c.Screen == nil {
		c.Screen = &Screen{Out: &out}
	}
	o, err := c.Drive()
	if !errors.Is(err, s.fails) {
		t.Errorf("%v, want %v", err, s.fails)
	}
	return o, out.String()
}

func tasks(parts ...string) *script {
	s := &script{}
	for i, p := range parts {
		s.orders = append(s.orders, Order{Prompt: p,
			Name:  fmt.Sprintf("task %d of %d, attempt 1", i+1, len(parts)),
			Title: "Parse it", Spent: loop.Dollar, Ceiling: 25 * loop.Dollar})
	}
	return s
}

func check(t *testing.T, s *script, want ...string) {
	t.Helper()
	for i := range s.log {
		s.log[i] = strings.TrimSpace(s.log[i])
	}
	if diff := cmp.Diff(want, s.log); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// Every task gets a process, and every outcome is handed over before the next order.
func TestTasksAreDriven(t *testing.T) {
	t.Parallel()
	s := tasks("record completed 0", "record max-turns 1", "in-use")
	o, out := drive(t, s, &Cycle{})
	check(t, s, "01:30 next record completed 0", "01:30 ended", "01:30 next record max-turns 1",
		"01:30 max turns", "01:30 next in-use", "01:30 failed")
	if o.Cause != "tasks_complete" || o.Code != 0 {
		t.Errorf("%+v", o)
	}
	for _, want := range []string{
		"01:30:00  task 1 of 3, attempt 1 · Parse it · $1.00 of $25.00\n",
		"01:30:00  task 1 of 3, attempt 1 · verified · 0s · Parse it\n",
		"01:30:00  task 2 of 3, attempt 1 · max turns · Reached maximum number of turns (2) · " +
			"0s · Parse it\n",
	} {
		if !strings.Contains(out, want) {
			t.Errorf("%s\nlacks %s", out, want)
		}
	}
}

// The rest takes as long for each task as those that were finished, but for the time already spent.
func TestTheRestIsEstimated(t *testing.T) {
	t.Parallel()
	now := func() time.Time { return night.Add(12 * time.Minute) }
	c := &Cycle{began: night, before: 1, now: now}
	began := night.Add(10 * time.Minute)
	for done, want := range map[int]string{1: "", 3: "about 18m left", 6: "about 1m left", 7: ""} {
		if got := c.left(Order{Done: done, Total: 7}, began); got != want {
			t.Errorf("%d done: %q, want %q", done, got, want)
		}
	}
	if got, want := bar(Order{Done: 3, Total: 7}), "████░░░░░░ 3/7"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

// Outages are waited out for 1, 5 and 15 minutes, then the run pauses (T95).
func TestOutagesAreWaitedOut(t *testing.T) {
	t.Parallel()
	down := "record overloaded 1"
	s := tasks(down, down, down, down, down)
	o, out := drive(t, s, &Cycle{})
	check(t, s, "01:30 next "+down, "01:30 outage", "01:31 next "+down, "01:31 outage",
		"01:36 next "+down, "01:36 outage", "01:51 next "+down, "01:51 outage",
		"01:51 halt api_unavailable")
	if o.Code != 1 || !strings.Contains(o.Text, "529 Overloaded") {
		t.Errorf("%+v", o)
	}
	if want := "01:36:00  waiting until 01:51 · API Error: 529"; !strings.Contains(out, want) {
		t.Errorf("%s\nlacks %s", out, want)
	}
}

// A limit that names its reset is waited for. A turn that ends makes the next outage the first.
func TestResetIsWaitedFor(t *testing.T) {
	t.Parallel()
	down, good := "record overloaded 1", "record completed 0"
	s := tasks(down, down, down, good, "limit 3am (UTC)", down)
	drive(t, s, &Cycle{})
	check(t, s, "01:30 next "+down, "01:30 outage", "01:31 next "+down, "01:31 outage",
		"01:36 next "+down, "01:36 outage", "01:51 next "+good, "01:51 ended",
		"01:51 next limit 3am (UTC)", "01:51 outage", "03:00 next "+down, "03:00 outage")
}

// No one waits for a wrong key to become right.
func TestWrongKeyPausesAtOnce(t *testing.T) {
	t.Parallel()
	s := tasks("record wrong-key 1", "record completed 0")
	drive(t, s, &Cycle{})
	check(t, s, "01:30 next record wrong-key 1", "01:30 outage", "01:30 halt api_unavailable")
}

// Five silent attempts in a row end the run (A28). A turn that ends makes the next one the first.
func TestStallsEndTheRun(t *testing.T) {
	t.Parallel()
	mute, good := "tool", "record completed 0"
	s := tasks(mute, mute, good, mute, mute, mute, mute, mute, good)
	c := &Cycle{Client: client("prompt")}
	c.Client.Stall = time.Second
	o, _ := drive(t, s, c)
	last := s.log[len(s.log)-1]
	if o.Cause != loop.CauseStall || len(s.orders) != 1 || last != "01:30 halt "+loop.CauseStall {
		t.Errorf("%+v after %q", o, s.log)
	}
}

// An interrupt ends the attempt, then the run, whether the client ends itself or is killed.
func TestInterruptEndsTheRun(t *testing.T) {
	t.Parallel()
	for part, words := range map[string][]string{
		"polite": {"ready"}, "deaf": {"ready", "deaf"},
	} {
		s := tasks(part, "record completed 0")
		signals := make(chan os.Signal, len(words))
		c := &Cycle{Signals: signals}
		c.Screen = &Screen{Out: &listener{words, signals}}
		drive(t, s, c)
		check(t, s, "01:30 next "+part, "01:30 interrupted", "01:30 halt user_interrupt")
	}
}

// listener is a person who presses Ctrl-C at each of the words that come on the screen.
type listener struct {
	words   []string
	signals chan<- os.Signal
}

func (l *listener) Write(p []byte) (int, error) {
	if len(l.words) > 0 && string(p) == "  "+l.words[0]+"\n" {
		l.signals <- os.Interrupt
		l.words = l.words[1:]
	}
	return len(p), nil
}

// A signal between two processes or in a wait starts nothing more.
func TestInterruptEndsAWait(t *testing.T) {
	t.Parallel()
	signals := make(chan os.Signal, 1)
	s := tasks("")
	s.orders[0] = Order{Do: Wait, Text: "a question waits"}
	c := &Cycle{Signals: signals}
	signals <- os.Interrupt
	drive(t, s, c)
	check(t, s, "01:30 halt user_interrupt")

	s.log = nil
	now := night
	c.now = func() time.Time { return now }
	c.after = func(time.Duration) <-chan time.Time { signals <- os.Interrupt; return nil }
	if o, err := c.Drive(); err != nil || o.Cause != loop.CauseInterrupt {
		t.Errorf("%+v, %v", o, err)
	}
}

// The state is asked again after each wait that it orders, and an error of it ends the driver.
func TestStateOrdersAWait(t *testing.T) {
	t.Parallel()
	s := tasks("", "", "record completed 0")
	s.orders[0] = Order{Do: Wait, Text: "a question waits"}
	s.orders[1] = Order{Do: Wait, Prompt: "again"}
	s.fails = errors.New("budget.json is damaged")
	c := &Cycle{}
	o, out := drive(t, s, c)
	check(t, s, "01:30 next", "01:30 next again", "01:30 next record completed 0", "01:30 ended")
	if at := c.now(); at.Before(night.Add(2 * pollTime)) {
		t.Errorf("the waits took no time: %v", at)
	}
	if o != (Order{}) {
		t.Errorf("%+v", o)
	}
	if want := "01:30:00  waiting until 01:30 · a question waits\n"; !strings.Contains(out, want) {
		t.Errorf("%s\nlacks %s", out, want)
	}
}

// A wait is said once for one reason.
func TestAWaitIsSaidOnce(t *testing.T) {
	t.Parallel()
	s := tasks("", "", "", "", "record completed 0")
	for i, why := range []string{"another driver works", "another driver works", "a question waits",
		"another driver works"} {
		s.orders[i] = Order{Do: Wait, Text: why}
	}
	s.orders[4] = Order{Do: Finish}
	_, out := drive(t, s, &Cycle{})
	if n := strings.Count(out, "waiting until"); n != 3 {
		t.Errorf("said %d times:\n%s", n, out)
	}
}
