package loop

import (
	"testing"

	"hooks/internal/guard/effect"
)

// A client that names no prompt: whatever comes while the iteration is open is its own.
func TestATurnWithoutAPromptIsTheIterations(t *testing.T) {
	s := State{Run: &Budget{Status: Active}, Tick: &Tick{SessionID: "s1", Prompts: []string{"p1"}}}
	for prompt, nothing := range map[string]bool{"": true, "p1": true, "p2": false} {
		e := PromptSubmit{Turn: Turn{Session: "s1", Prompt: prompt}}
		if o := Step(s, Known{}, e); o.Nothing() != nothing {
			t.Errorf("prompt %q: %+v", prompt, o)
		}
	}
}

// R80: only a label contests an issue, not another act whose branch has that name.
func TestOnlyALabelContestsAnIssue(t *testing.T) {
	tick := &Tick{SessionID: "s1", Report: Report{Backlog: &Backlog{InProgress: []int{6}}}}
	s := State{Run: &Budget{Skill: Work}, Tick: tick}
	for kind, passes := range map[effect.Kind]bool{
		effect.SetLabel: false, effect.Comment: true, effect.WriteState: true,
	} {
		acts := []effect.Act{{Kind: kind, PR: 6, Ref: "in-progress"}}
		o := Call{Turn: Turn{Session: "s1"}}.contests(s, &Known{Bare: true}, acts)
		if o.Nothing() != passes {
			t.Errorf("act %s: %+v", kind, o)
		}
	}
}

// R80: a label that the iteration has set, or an issue that the one before had planned, is its own.
func TestAnOwnLabelIsNotContested(t *testing.T) {
	acts := []effect.Act{{Kind: effect.SetLabel, PR: 6, Ref: "in-progress"}}
	for _, c := range []struct {
		labels  []string
		planned []int
		passes  bool
	}{{nil, nil, false}, {[]string{"#6 in-progress"}, nil, true}, {nil, []int{6}, true}} {
		tick := &Tick{SessionID: "s1", Labels: c.labels,
			Report: Report{Backlog: &Backlog{InProgress: []int{6}}}}
		before := &Iteration{Plan: c.planned}
		k := &Known{Previous: Fetched(before)}
		s := State{Run: &Budget{Skill: Work}, Tick: tick}
		if o := (Call{Turn: Turn{Session: "s1"}}).contests(s, k, acts); o.Nothing() != c.passes {
			t.Errorf("%+v: %+v", c, o)
		}
	}
}

// R103: only a question about the lock has an answer, and only a person who was there gives it.
func TestAnswersOfAClaim(t *testing.T) {
	gate := AskForceUnlock()
	a := Answers{ID: "d", List: []DialogAnswer{{gate.Question, "yes"}}}
	shown := []Dialog{{ID: "d", Shown: []string{gate.Question}}}
	away := a
	away.AFK = true
	for _, c := range []struct {
		claim *Claim
		given Answers
		want  bool
	}{
		{nil, a, false}, {&Claim{Dialogs: shown}, a, false},
		{&Claim{Gate: &gate, Dialogs: shown}, a, true},
		{&Claim{Gate: &gate, Dialogs: shown}, away, false}, {&Claim{Gate: &gate}, a, false},
	} {
		if got := c.claim.answer(noon, c.given); (got != nil) != c.want {
			t.Errorf("%+v: %+v", c, got)
		}
	}
}

// A run of this session, or of a client that lives, is not believed without its seal.
func TestWhichRunNeedsItsSeal(t *testing.T) {
	e := Invocation{Request: Request{SessionID: "s1"}}
	for _, c := range []struct {
		session string
		owner   Liveness
		want    bool
	}{{"s1", Dead, true}, {"s2", Dead, false}, {"s2", Unclear, false}, {"s2", Alive, true}} {
		if got := e.NeedsSeal(&Budget{SessionID: c.session}, c.owner); got != c.want {
			t.Errorf("%+v: %v", c, got)
		}
	}
	if e.NeedsSeal(nil, Alive) {
		t.Error("no run needs a seal")
	}
}

// T86: what a person names for a task loop has bounds, and is taken over by a run that continues.
func TestTaskFlagsHaveBounds(t *testing.T) {
	for args, ok := range map[string]bool{
		"--check-timeout 0": false, "--check-timeout 1": true, "--check-timeout 50m": true,
		"--check-timeout 51": false, "--max-task-iterations 1": false,
		"--max-task-iterations 2": true, "--check-timeout x": false,
	} {
		if _, _, err := ParseFlags("task", args); (err == nil) != ok {
			t.Errorf("%s: %v", args, err)
		}
	}
}
