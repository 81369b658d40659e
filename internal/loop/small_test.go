package loop

import "testing"

// A client that names no prompt: whatever comes while the iteration is open is its own.
func TestATurnWithoutAPromptIsTheIterations(t *testing.T) {
	s := State{Run: &Budget{Status: Active}, Tick: &Tick{SessionID: "s1", Prompts: []string{"p1"}}}
	for prompt, nothing := range map[string]bool{"": true, "p1": true, "p2": false} {
		e := Prompt{Turn: Turn{Session: "s1", Prompt: prompt}}
		if o := Step(s, Known{}, e); o.Nothing() != nothing {
			t.Errorf("prompt %q: %+v", prompt, o)
		}
	}
}

// T86: what a person names for a task loop has bounds, and is taken over by a run that continues.
func TestTaskFlagsHaveBounds(t *testing.T) {
	for args, ok := range map[string]bool{
		"--check-timeout 0": false, "--check-timeout 1": true, "--check-timeout 50m": true,
		"--check-timeout 51": false, "--max-task-iterations 1": false,
		"--max-task-iterations 2": true, "--check-timeout x": false,
	} {
		if _, _, err := ParseFlags(Tasks, args); (err == nil) != ok {
			t.Errorf("%s: %v", args, err)
		}
	}
	r := &TaskRun{MaxTries: 5, CheckMinutes: 10}
	changed := r.retune(TaskFlags{MaxTries: 7, Minutes: 20})
	if len(changed) != 2 || r.MaxTries != 7 || r.CheckMinutes != 20 {
		t.Errorf("%v: %+v", changed, r)
	}
}

// R80: only a label contests an issue, not another act whose branch has that name.
func TestOnlyALabelContestsAnIssue(t *testing.T) {
	tick := &Tick{SessionID: "s1", Report: Report{Backlog: &Backlog{InProgress: []int{6}}}}
	s := State{Run: &Budget{Skill: Work}, Tick: tick}
	for kind, passes := range map[ActKind]bool{ActLabel: false, ActComment: true, OtherAct: true} {
		acts := []Act{{Kind: kind, PR: 6, Ref: "in-progress"}}
		o := Call{Turn: Turn{Session: "s1"}}.contests(s, &Known{Has: NeedPrevious}, acts)
		if o.Nothing() != passes {
			t.Errorf("act %d: %+v", kind, o)
		}
	}
}

// A30: what is coded and audited is a section, what comes after all of them the plan.
func TestWhatAPhaseIsAbout(t *testing.T) {
	r := auditRun(2, Coding)
	r.Plan = "p.md"
	for phase, want := range map[Phase]string{
		Coding: "section 1", Auditing: "section 1", FinalAuditing: "p.md", Fixing: "p.md",
	} {
		if r.Phase = phase; r.About() != want || r.Clean() != map[string]int{"p.md": 2}[want] {
			t.Errorf("%s: %s, %d", phase, r.About(), r.Clean())
		}
	}
}
