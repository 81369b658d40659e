package store

import "hooks/internal/loop"

// A nil list is written as null, which the SPEC's readers do not expect where it says list (R109, R119). So these
// return copies in which every required list is one.

func filled[T any](list []T) []T {
	if list == nil {
		return []T{}
	}
	return list
}

func wholeBudget(b loop.Budget) loop.Budget {
	b.Version = loop.Version
	b.PRsTouched = filled(b.PRsTouched)
	b.Pending = wholeGates(b.Pending)
	return b
}

func wholeTick(t loop.Tick) loop.Tick {
	t.Version = loop.Version
	t.Prompts = filled(t.Prompts)
	t.Pending = wholeGates(t.Pending)
	t.Report.Backlog = wholeBacklog(t.Report.Backlog)
	if t.Asked != nil {
		asked := *t.Asked
		asked.Backlog = wholeBacklog(asked.Backlog)
		t.Asked = &asked
	}
	return t
}

func wholeClaim(c loop.Claim) loop.Claim {
	c.Version = loop.Version
	if c.Gate != nil {
		c.Gate = &wholeGates([]loop.Gate{*c.Gate})[0]
	}
	return c
}

func wholeLine(it loop.Iteration) loop.Iteration {
	it.Version = loop.Version
	it.Budget = wholeBudget(it.Budget)
	it.PRsTouched = filled(it.PRsTouched)
	it.TrackedPRs = filled(it.TrackedPRs)
	it.Worktrees = filled(it.Worktrees)
	it.Gates = filled(it.Gates)
	it.Fired = filled(it.Fired)
	it.Failures = filled(it.Failures)
	it.Backlog = wholeBacklog(it.Backlog)
	return it
}

func wholeGates(gates []loop.Gate) []loop.Gate {
	if gates == nil {
		return nil
	}
	out := make([]loop.Gate, len(gates))
	for i, g := range gates {
		g.Options = filled(g.Options)
		out[i] = g
	}
	return out
}

func wholeBacklog(b *loop.Backlog) *loop.Backlog {
	if b == nil {
		return nil
	}
	return &loop.Backlog{
		Unblocked: filled(b.Unblocked), Blocked: filled(b.Blocked), InProgress: filled(b.InProgress),
	}
}
