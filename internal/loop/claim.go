package loop

import (
	"maps"
	"slices"
	"time"
)

// by is the claim of a request's session, in place of another one. A session that waits for the
// lock keeps its place.
func (c *Claim) by(r Request, iteration int) Claim {
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

// answer is what a dialog brought for the question about the lock; nil where it did not show the
// question, came with answers in it, or ended by itself.
func (c *Claim) answer(now time.Time, a Answers) *GateAnswer {
	if c == nil || c.Gate == nil || a.AFK {
		return nil
	}
	g := c.Gate
	shown := func(d Dialog) bool { return d.ID == a.ID && d.shows(g.Question) }
	forged := func(d Dialog) bool { return d.ID == a.ID && d.Forged }
	i := slices.IndexFunc(a.List, func(d DialogAnswer) bool { return d.Question == g.Question })
	if i < 0 || !slices.ContainsFunc(c.Dialogs, shown) || slices.ContainsFunc(c.Dialogs, forged) {
		return nil
	}
	return &GateAnswer{Name: g.Name, Question: g.Question, Answer: a.List[i].Text, At: now}
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

// wait is the claim of a session that waits for the lock, and since when it waits (R47). Another
// session's question or stop stays.
func (c *Claim) wait(r Request, iteration int) (claim Claim, since time.Time) {
	awaits := c != nil && !c.Stopped && c.Gate == nil
	switch {
	case awaits && c.SessionID == r.SessionID:
		return *c, c.Since
	case c == nil, awaits, c.SessionID == r.SessionID:
		claim = c.by(r, iteration)
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

// without is the claim without a session. Those who wait keep their places, and a loop that
// another session's person stopped stays stopped; the question about a lock that is gone goes. It
// is nil when nothing remains.
func (c *Claim) without(session string) *Claim {
	waiters := c.awaiting()
	delete(waiters, session)
	if c.Stopped && c.SessionID != session {
		left := *c
		left.Waiters = waiters
		return &left
	}
	first, found := "", false
	for s, since := range waiters {
		if !found || since.Before(waiters[first]) || since.Equal(waiters[first]) && s < first {
			first, found = s, true
		}
	}
	if !found {
		return nil
	}
	left := &Claim{Version: Version, SessionID: first, Skill: c.Skill, Since: waiters[first],
		Waiters: waiters}
	delete(waiters, first)
	return left
}
