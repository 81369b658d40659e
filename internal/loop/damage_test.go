package loop

import "testing"

// Only a person between two iterations takes up or replaces a run whose files changed; everything
// else stays shut (R131).
func TestMend(t *testing.T) {
	tests := []struct {
		name                               string
		scheduled, resume, open, lost, own bool
		gone                               bool
		want                               Mend
	}{
		{name: "typed, file gone", lost: true, own: true, want: Discards},
		{name: "--resume, file gone", lost: true, own: true, resume: true, want: Restores},
		{name: "typed, file changed", own: true, want: StaysShut},
		{name: "--resume, file changed", own: true, resume: true, want: StaysShut},
		{name: "scheduled, file gone", scheduled: true, lost: true, own: true, want: StaysShut},
		{name: "in an iteration", open: true, lost: true, own: true, want: StaysShut},
		{name: "another's that lives", lost: true, want: Discards},
		{name: "another's iteration that lives", lost: true, open: true, want: StaysShut},
		{name: "a dead client's, changed", gone: true, want: Discards},
		{name: "a dead client's iteration", gone: true, open: true, lost: true, want: Discards},
		{name: "a dead one, changed, --resume", gone: true, resume: true, want: StaysShut},
		{name: "a dead one, gone, --resume", gone: true, resume: true, lost: true, want: Restores},
		{name: "own, client gone", own: true, gone: true, want: StaysShut},
	}
	for _, tt := range tests {
		sealed := State{Run: &Budget{SessionID: "theirs"}}
		if tt.own {
			sealed.Run.SessionID = "ours"
		}
		if tt.open {
			sealed.Tick = &Tick{}
		}
		e := Invocation{Request: Request{SessionID: "ours", Scheduled: tt.scheduled}}
		e.Flags.Resume = tt.resume
		if got := e.Mend(sealed, tt.lost, tt.gone); got != tt.want {
			t.Errorf("%s: %v, want %v", tt.name, got, tt.want)
		}
	}
}

func TestFromSchedule(t *testing.T) {
	command, _ := ParsePrompt("/sdd:work --loop")
	e := Invocation{Request: Request{SessionID: "s", Command: command}}
	run := State{Run: &Budget{SessionID: "s", Scheduled: []string{"/sdd:work --loop"}}}
	other := State{Run: &Budget{SessionID: "t", Scheduled: []string{"/sdd:work --loop"}}}
	stopped := State{Claim: &Claim{SessionID: "s", Stopped: true,
		Scheduled: []string{"/sdd:work --loop"}}}
	tests := []struct {
		state  State
		origin string
		fired  bool
		want   bool
	}{
		{run, "", false, true},
		{run, "human", true, false},
		{run, "sdk", false, false},
		{State{}, "scheduled", false, true},
		{State{}, "", true, true},
		{State{}, "", false, false},
		{other, "", false, false},
		{stopped, "", false, true},
	}
	for _, tt := range tests {
		if got := e.FromSchedule(tt.state, tt.origin, tt.fired); got != tt.want {
			t.Errorf("%+v: %v", tt, got)
		}
	}
}
