// Package app joins the packages into straight lines, one per event: read, load, look, decide,
// save, reply.
//
// Rules of order: what a reply promises is saved before it is printed, a lock is released after.
// When the program itself fails, a Stop lets go and says why; merges, dispatch, scheduling and the
// state's own files stay shut while a loop is or may be active.
package app

import (
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"hooks/internal/event"
	"hooks/internal/loop"
	"hooks/internal/proc"
	"hooks/internal/seal"
)

// App is the program for one call. Tests and the demo replace Now, Clock, Wait, Rest and RunID; the
// zero value of each is the real thing.
type App struct {
	Env   func(string) string
	Now   func() time.Time
	Clock func() loop.Clock // but for the wall clock; with only Now set nothing is known of it
	RunID func() string
	// Inside reports whether a run's client started this process.
	Inside func(loop.Process) bool
	// how long one entry hook polls for a lock; default 45 s, below the hook's timeout
	Wait      time.Duration
	CheckTime time.Duration // bounds one run of a check command, whatever its run has
	// Rest waits before a reply is printed, and reports whether the reply is still wanted.
	Rest func(time.Duration) bool
}

// Answer is what a hook call prints, and what is done once it is printed.
type Answer struct {
	Reply event.Reply
	Name  string // the event, whose form the reply takes
	// After releases the lock, once the reply is printed and flushed; nil when there is nothing to
	// release.
	After func() error
	// Until is when the reply is printed, zero for at once. A person who does not want to wait
	// ends this process, and there is no reply (T95).
	Until time.Time
	// Notify runs the person's own command, once the reply is printed and the lock released. It
	// is nil when there is nothing to notify of, and does not wait for the command.
	Notify func() error
	// Err is what went wrong; the reply is already the safe one. It is for stderr.
	Err error
}

// Handle answers one hook call. It never panics on any input and always returns the safe answer.
func (a *App) Handle(word string, stdin io.Reader) (answer Answer) {
	began := time.Now()
	answer.Name = event.NameOf(word)
	var h *handler
	defer func() {
		switch p := recover(); {
		case p != nil && h == nil:
			answer = a.unreadable(answer.Name, fmt.Errorf("internal error: %v", p))
		case p != nil:
			answer = h.failed(fmt.Errorf("internal error: %v", p))
		}
	}()
	ev, err := event.Read(word, stdin)
	if err != nil {
		return a.unreadable(answer.Name, err)
	}
	h = &handler{App: a, ev: ev, now: a.now(), began: began}
	reply, err := h.answer()
	if err != nil {
		answer = h.failed(err)
		answer.Reply = answer.Reply.Say(strings.Join(h.healed(), "\n"))
		return answer
	}
	reply = h.sayRewired(reply)
	h.keepReceipt()
	reply = reply.Say(strings.Join(h.healed(), "\n"))
	answer = Answer{Reply: reply, Name: ev.Name, After: h.after, Err: h.slips,
		Until: h.until}
	h.notify(&answer)
	return answer
}

// LoopOn reports whether a loop of the session that started this process is on, by the session's
// switch alone.
func (a *App) LoopOn() bool {
	session := a.Env("CLAUDE_CODE_SESSION_ID")
	if session == "" {
		return false
	}
	_, err := os.Stat(seal.SwitchPath(seal.Home(a.Env), session))
	return err == nil
}

func (a *App) now() time.Time {
	if a.Now != nil {
		return a.Now().UTC()
	}
	return time.Now().UTC().Truncate(time.Second)
}

// Present is the present in the reader's time zone.
func (a *App) Present() time.Time { return a.now().Local() }

// clock is what the clocks say of the moment that is now.
func (a *App) clock(now time.Time) loop.Clock {
	var c loop.Clock
	switch {
	case a.Clock != nil:
		c = a.Clock()
	case a.Now == nil:
		c = proc.Clock()
	}
	c.Wall = now
	return c
}

func (a *App) runID() string {
	if a.RunID != nil {
		return a.RunID()
	}
	return fmt.Sprintf("%s-%d", a.now().Format("20060102T150405"), os.Getpid())
}
