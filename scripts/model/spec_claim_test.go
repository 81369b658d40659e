package model

import (
	"maps"
	"time"
)

// A claim is what a session that does not hold the lock has to do with it: it waits for it, its
// person is asked whether to force it, or its loop is over before it began. There is one a skill,
// and it keeps the places of the other sessions that wait.

// by is a session's own claim. Others keep waiting.
func (c *claim) by(ses *session, f flags, iteration int, now time.Time) *claim {
	n := &claim{session: ses.id, prompt: ses.prompt, flags: f, since: now, iteration: iteration}
	if c != nil {
		n.waiters = maps.Clone(c.waiters)
		delete(n.waiters, ses.id)
	}
	return n
}

// left is what remains when a session claims nothing any more: another's stopped loop, and those
// who wait.
func (c *claim) left(session string) *claim {
	if c == nil {
		return nil
	}
	n := claim{since: c.since}
	if c.stopped && c.session != session {
		n = *c
	}
	n.waiters = maps.Clone(c.waiters)
	delete(n.waiters, session)
	if !n.stopped && len(n.waiters) == 0 {
		return nil
	}
	return &n
}

// word is the command that a schedule would fire for it.
func (c *claim) word(skill string) string { return command(skill, c.flags.pr) }
