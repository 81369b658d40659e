package loop

import (
	"maps"
	"time"
)

// By is the claim of a request's session from now on, in place of another one: who awaits the lock keeps its place in it.
func (c *Claim) By(r Request, iteration int) Claim {
	own := Claim{
		Version: Version, SessionID: r.SessionID, Skill: r.Command.Skill, PromptID: r.PromptID,
		Command: r.Command.Name, Args: r.Command.Args, Since: r.Now, Iteration: iteration,
		EventsFrom: r.EventsFrom,
	}
	if c == nil {
		return own
	}
	own.Waiters = c.awaiting()
	if since, known := own.Waiters[r.SessionID]; known {
		own.Since = since
		delete(own.Waiters, r.SessionID)
	}
	return own
}

// awaiting are the sessions that await the lock, and since when.
func (c *Claim) awaiting() map[string]time.Time {
	all := map[string]time.Time{}
	maps.Copy(all, c.Waiters)
	if !c.Stopped && c.Gate == nil {
		all[c.SessionID] = c.Since
	}
	return all
}

// Wait is the claim when a session awaits the lock, or goes on waiting, and since when it does (R47). What another session's
// person is asked, or has stopped, stays.
func (c *Claim) Wait(r Request, iteration int) (claim Claim, since time.Time) {
	awaits := c != nil && !c.Stopped && c.Gate == nil
	switch {
	case awaits && c.SessionID == r.SessionID:
		return *c, c.Since
	case c == nil, awaits, c.SessionID == r.SessionID:
		claim = c.By(r, iteration)
		return claim, claim.Since
	}
	claim = *c
	claim.Waiters = c.awaiting()
	if since, known := claim.Waiters[r.SessionID]; known {
		return claim, since
	}
	claim.Waiters[r.SessionID] = r.Now
	return claim, r.Now
}

// Left is what remains of a claim when its session claims nothing any more, or an iteration of another one begins: the
// places of those who wait, and the end of a loop that another session's person stopped; nil when that is nothing. The
// question about a lock that is gone goes with it.
func (c *Claim) Left(session string) *Claim {
	waiters := c.awaiting()
	delete(waiters, session)
	if c.Stopped && c.SessionID != session {
		left := *c
		left.Waiters = waiters
		return &left
	}
	first := ""
	for s, since := range waiters {
		if first == "" || since.Before(waiters[first]) || since.Equal(waiters[first]) && s < first {
			first = s
		}
	}
	if first == "" {
		return nil
	}
	left := &Claim{Version: Version, SessionID: first, Skill: c.Skill, Since: waiters[first], Waiters: waiters}
	delete(waiters, first)
	return left
}
