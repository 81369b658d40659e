package loop

import "testing"

// A worker is judged, and the end of a session is recorded, without the history: a line of it that
// cannot be read holds neither back.
func TestTheHistoryIsAskedForWhereItDecides(t *testing.T) {
	turn := Turn{Now: noon, Session: "s", Prompt: "p", Attended: true}
	run := newRun(Request{Now: noon, SessionID: "s", Command: Command{Skill: Work}})
	tick := Tick{SessionID: "s", Skill: Work, Prompts: []string{"p"}, Started: true, Iteration: 1}
	worker := Call{Turn: turn, Sends: &Task{Issues: []int{1}}}
	open, between := State{Run: &run, Tick: &tick}, State{Run: &run}
	for name, c := range map[string]struct {
		state State
		event Event
		want  bool
	}{
		"a worker":                        {open, worker, false},
		"a session's end between two":     {between, SessionEnd{Turn: turn}, false},
		"a session's end in an iteration": {open, SessionEnd{Turn: turn}, true},
		"a Stop":                          {open, TurnEnd{Turn: turn}, true},
	} {
		var got bool
		for k := (Known{}); ; {
			o := Step(c.state, k, c.event)
			if o.Need == nil {
				break
			}
			k = *o.Need
			got = got || k.Previous.Asked()
			give(&k, Known{})
		}
		if got != c.want {
			t.Errorf("%s asks for the history: %v", name, got)
		}
	}
}

// After a crash between the line and the run, the run is what its last line says: also that its
// session is gone.
func TestTheLineOfASessionsEndHasItsRun(t *testing.T) {
	turn := Turn{Now: noon, Session: "s", Prompt: "p", Attended: true}
	run := newRun(Request{Now: noon, SessionID: "s", Command: Command{Skill: Work}})
	run.Scheduled = []string{"/loop /sdd:work --loop"}
	tick := Tick{SessionID: "s", Skill: Work, Prompts: []string{"p"}, Started: true, Iteration: 1}
	for _, reason := range []string{"clear", "logout"} {
		c := Step(State{Run: &run, Tick: &tick}, Known{Bare: true},
			SessionEnd{Turn: turn, Reason: reason}).Save.Close
		if c == nil || !c.Budget.OwnerLeft {
			t.Fatalf("%s: %+v", reason, c)
		}
	}
}
