package loop

import (
	"fmt"
	"time"
)

// PassedOver is a tick that found the lock held and did not begin.
type PassedOver struct {
	Line *Iteration
	Run  *Budget // the loop that ends with it, before it began; nil where the next tick tries again
	// Answer is the person's at the force-unlock gate, nil where nobody was asked.
	Answer *GateAnswer
	Text   string // for the model after an answer, else for the person
}

// Contend decides about a request that another iteration keeps out: its tick is skipped (R46),
// waits (R47), or asks a person first (R103, R104). fresh is the run that it would start; last the
// last line of its run.
func Contend(r Request, s Standing, a Admission, fresh Budget, last *Iteration) Outcome {
	switch {
	case a.Verdict == Wait:
		return waitForLock(r, s.Claim, a, fresh)
	case a.Verdict == AskForce && r.Attended:
		gate := AskForceUnlock()
		c := s.Claim.By(r, a.Iteration)
		c.Gate = &gate
		return Outcome{Save: Save{Claim: &c}, Reply: Reply{Force: &a}}
	case a.Verdict == AskForce: // without a person there is no answer
		a.Text = ContentionNote(a.Iteration, a.PID)
		a.Notes = append(a.Notes, "No one can answer the force-unlock gate in a headless session")
	}
	return passOver(r, s.Run, a, fresh, last, nil)
}

// passOver records a skipped tick. Nothing of the run advances (R128).
func passOver(
	r Request, run *Budget, a Admission, fresh Budget, last *Iteration, answer *GateAnswer,
) Outcome {
	if run == nil {
		run = &fresh
	}
	line := SkipLine(*run, last, r, a)
	text := a.Text
	if answer != nil {
		line.Gates = append(line.Gates, *answer)
		text += ". End the turn now; the next tick tries again."
	}
	over := &PassedOver{Line: &line, Answer: answer, Text: text}
	return Outcome{Save: Save{Line: &line}, Reply: Reply{PassedOver: over}}
}

// waitForLock records since when the session waits. Past its minutes the wall-clock budget ends the
// loop; the run on disk is another session's and stays as it is.
func waitForLock(r Request, old *Claim, a Admission, fresh Budget) Outcome {
	c, since := old.Wait(r, a.Iteration)
	out := Outcome{Wait: true}
	if old == nil || old.SessionID != c.SessionID || old.Gate != c.Gate ||
		old.Stopped != c.Stopped ||
		len(old.Waiters) != len(c.Waiters) {
		out.Save.Claim = &c
	}
	minutes := int(r.Now.Sub(since) / time.Minute)
	if minutes < r.Flags.Minutes {
		return out
	}
	own := old.By(r, a.Iteration)
	fresh.Status, fresh.StopCause, fresh.MinutesElapsed = Halted, "wall_clock_budget", minutes
	fresh.StopText = fmt.Sprintf("Wall-clock budget reached: %d / %d minutes, waiting for pid %d",
		minutes, r.Flags.Minutes, a.PID)
	own.StopText = fresh.StopCause + " — " + fresh.StopText
	return neverBegan(r, a, &own, fresh, nil)
}

// neverBegan records the end of a loop that found the lock held and is not to take it. The claim
// refuses what its schedule still brings.
func neverBegan(r Request, a Admission, c *Claim, run Budget, answer *GateAnswer) Outcome {
	line := SkipLine(run, nil, r, a)
	line.Outcome, line.Fired, line.Notes = Stopped, []string{run.StopCause}, nil
	if answer != nil {
		line.Gates = append(line.Gates, *answer)
	}
	claim := *c
	claim.Gate, claim.Stopped, claim.Blocked = nil, true, false
	over := &PassedOver{Line: &line, Run: &run, Answer: answer}
	if answer != nil {
		over.Text = run.StopText +
			". End the turn now and delete its schedule with CronDelete, if it has one."
	}
	return Outcome{
		Save: Save{Line: &line, Claim: &claim}, Reply: Reply{PassedOver: over},
		Notify: []Notice{{Run: &run}},
	}
}

// Decline does what a person said of another iteration's lock where that was not yes: stop ends the
// loop that asked (R49, R150), anything else skips the tick. The lock stays.
func Decline(r Request, s Standing, fresh Budget, last *Iteration, answer GateAnswer) Outcome {
	c := *s.Claim
	a := Admission{Iteration: c.Iteration}
	if s.Lock != nil {
		a.PID = s.Lock.PID
	}
	a.Text = ContentionNote(a.Iteration, a.PID)
	if c.Gate.Act(answer.Answer) == "stop" {
		fresh.StopAt(*c.Gate, c.Iteration)
		return neverBegan(r, a, &c, fresh, &answer)
	}
	out := passOver(r, s.Run, a, fresh, last, &answer)
	c.Gate = nil
	out.Save.Claim = &c
	return out
}
