package model

import (
	"maps"
	"slices"
	"time"
)

// A claim is what a session that does not hold the lock has to do with it: it waits for it, its
// person is asked whether to force it, or its loop is over before it began. There is one a skill,
// and it keeps the places of the other sessions that wait.

func (c *claim) awaits() bool { return !c.stopped && !c.asks }

// awaiting are the sessions that wait for the lock, and since when.
func (c *claim) awaiting() map[string]time.Time {
	all := map[string]time.Time{}
	maps.Copy(all, c.waiters)
	if c.awaits() {
		all[c.session] = c.since
	}
	return all
}

// by is a session's own claim. Its place among those who wait goes along.
func (c *claim) by(ses *session, f flags, iteration int, now time.Time) *claim {
	n := &claim{session: ses.id, prompt: ses.prompt, flags: f, since: now, iteration: iteration}
	if c == nil {
		return n
	}
	n.waiters = c.awaiting()
	if since, known := n.waiters[ses.id]; known {
		n.since = since
		delete(n.waiters, ses.id)
	}
	return n
}

// left is what remains when a session claims nothing any more: another's stopped loop, or the first
// of those who wait.
func (c *claim) left(session string) *claim {
	if c == nil {
		return nil
	}
	waiters := c.awaiting()
	delete(waiters, session)
	if c.stopped && c.session != session {
		n := *c
		n.waiters = waiters
		return &n
	}
	if len(waiters) == 0 {
		return nil
	}
	first := slices.SortedFunc(maps.Keys(waiters), func(a, b string) int {
		if d := waiters[a].Compare(waiters[b]); d != 0 {
			return d
		}
		if a < b {
			return -1
		}
		return 1
	})[0]
	n := &claim{session: first, since: waiters[first], waiters: waiters}
	delete(waiters, first)
	return n
}

// word is the command that a schedule would fire for it.
func (c *claim) word(skill string) string { return command(skill, c.flags.pr) }
