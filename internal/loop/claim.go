package loop

import (
	"fmt"
	"maps"
	"reflect"
	"slices"
	"time"
)

// by returns a claim for the request's session that replaces c. That session stops waiting for the
// lock; the others keep waiting.
func (c *Claim) by(r Request, iteration int) Claim {
	own := Claim{
		Version: Version, SessionID: r.SessionID, Skill: r.Command.Skill, PromptID: r.PromptID,
		Command: r.Command.Name, Args: r.Command.Args, Since: r.Now, Iteration: iteration,
		EventsFrom: r.EventsFrom,
	}
	if c != nil {
		own.Waiters = c.waitersWithout(r.SessionID)
	}
	return own
}

// answer returns the dialog's answer to the question about the lock. It returns nil if the dialog
// timed out or did not show the question, or if its call already contained answers.
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
	return &GateAnswer{Name: g.Name, Question: g.Question, Answer: a.List[i].Text, At: now,
		Origin: OriginDialog}
}

func (c *Claim) waitersWithout(session string) map[string]time.Time {
	waiters := maps.Clone(c.Waiters)
	delete(waiters, session)
	return waiters
}

// wait returns the claim with the request's session added to the waiting sessions, and the time
// when that session began to wait (R47). It keeps another session's question or stop.
func (c *Claim) wait(r Request) (claim Claim, since time.Time) {
	claim = Claim{Version: Version, Skill: r.Command.Skill, Since: r.Now}
	waiters := map[string]time.Time{r.SessionID: r.Now}
	if c != nil {
		maps.Copy(waiters, c.Waiters)
		if c.SessionID != r.SessionID {
			claim = *c
		}
	}
	claim.Waiters = waiters
	return claim, waiters[r.SessionID]
}

// without returns the claim without session, or nil if nothing remains. It keeps the other waiting
// sessions and a stop in another session, but drops a question about the lock.
func (c *Claim) without(session string) *Claim {
	left := Claim{Version: Version, Skill: c.Skill, Since: c.Since}
	stops := c.Stopped && c.SessionID != session
	if stops {
		left = *c
	}
	if left.Waiters = c.waitersWithout(session); !stops && len(left.Waiters) == 0 {
		return nil
	}
	return &left
}

// contend handles a request that must not begin because another session holds the lock or the run.
// It skips the tick (R46), lets the request wait (R47), or asks a person first (R103, R104).
func (e Invocation) contend(at Standing, k *Known, a Admission) Outcome {
	switch {
	case a.Verdict == Wait:
		return e.waitForLock(at.Claim, a)
	case a.Verdict == AskForce && e.Attended:
		gate := AskForceUnlock()
		c := at.Claim.by(e.Request, a.Iteration)
		c.Gate = &gate
		return Outcome{Save: Save{Claim: &c}, Reply: Reply{Force: &a}}
	case a.Verdict == AskForce: // without a person there is no answer
		a.Text = contentionNote(a.Iteration, a.PID)
		a.Notes = append(a.Notes, "No one can answer the force-unlock gate in a headless session")
	}
	return e.passOver(at.Run, k, a)
}

// passOver records a skipped tick. The run does not advance (R128).
func (e Invocation) passOver(run *Budget, k *Known, a Admission) Outcome {
	k.Require(&k.Last)
	if run == nil {
		run = new(newRun(e.Request))
	}
	line := skipLine(*run, *k.Last.Value, e.Request, a)
	text := a.Text
	if e.answer != nil {
		line.Gates = append(line.Gates, *e.answer)
		text += ". End the turn now; the next tick tries again."
	}
	over := &PassedOver{Line: &line, Answer: e.answer, Text: text}
	return Outcome{Save: Save{Line: &line}, Reply: Reply{PassedOver: over}}
}

// waitForLock records when the session's wait began. When the wait reaches the minute ceiling, the
// loop ends. The run on disk belongs to another session and does not change.
func (e Invocation) waitForLock(old *Claim, a Admission) Outcome {
	c, since := old.wait(e.Request)
	out := Outcome{Wait: true}
	if old == nil || !reflect.DeepEqual(*old, c) {
		out.Save.Claim = &c
	}
	minutes := int(e.Now.Sub(since) / time.Minute)
	if minutes < e.Flags.Minutes {
		return out
	}
	own, fresh := old.by(e.Request, a.Iteration), newRun(e.Request)
	fresh.Status, fresh.StopCause, fresh.MinutesElapsed = Halted, "wall_clock_budget", minutes
	fresh.StopText = fmt.Sprintf("Wall-clock budget reached: %d / %d minutes, waiting for pid %d",
		minutes, e.Flags.Minutes, a.PID)
	own.StopText = fresh.StopCause + " — " + fresh.StopText
	return e.haltUnbegun(own, fresh, a)
}

// haltUnbegun ends a loop that found the lock held and may not take it. The claim stays, so that
// later scheduled ticks are refused.
func (e Invocation) haltUnbegun(claim Claim, run Budget, a Admission) Outcome {
	line := skipLine(run, nil, e.Request, a)
	line.Outcome, line.Fired, line.Notes = Stopped, []string{run.StopCause}, nil
	claim.Gate, claim.Stopped, claim.Blocked = nil, true, false
	over := &PassedOver{Line: &line, Run: &run, Answer: e.answer}
	if e.answer != nil {
		line.Gates = append(line.Gates, *e.answer)
		over.Text = run.StopText +
			". If the loop is scheduled, delete the schedule with CronDelete, then end the turn."
	}
	return Outcome{
		Save: Save{Line: &line, Claim: &claim}, Reply: Reply{PassedOver: over},
		Notify: []Notice{{Run: &run}},
	}
}

// decline handles every answer but yes to the force-unlock question. The answer stop ends the loop
// that asked (R49, R150), and any other answer skips the tick. The lock stays.
func (e Invocation) decline(at Standing, k *Known) Outcome {
	c := *at.Claim
	a := Admission{Iteration: c.Iteration, PID: lockPID(at, 0)}
	a.Text = contentionNote(a.Iteration, a.PID)
	if c.Gate.Act(e.answer.Answer) == "stop" {
		fresh := newRun(e.Request)
		fresh.halt(stoppedAt(*c.Gate, c.Iteration))
		return e.haltUnbegun(c, fresh, a)
	}
	out := e.passOver(at.Run, k, a)
	c.Gate = nil
	out.Save.Claim = &c
	return out
}
