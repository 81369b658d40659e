package loop

import "testing"

// Only a person who types the command without --resume, between two iterations or after a client's
// death, makes room for a fresh run by deleting the budget file (R111).
func TestDiscards(t *testing.T) {
	tests := []struct {
		name                                     string
		scheduled, model, fed, resume, open, own bool
		gone, want                               bool
	}{
		{name: "typed", own: true, want: true},
		{name: "--resume", own: true, resume: true},
		{name: "scheduled", own: true, scheduled: true},
		{name: "by the model", own: true, model: true},
		{name: "a conductor's next attempt", own: true, fed: true},
		{name: "in an iteration", own: true, open: true},
		{name: "own, client gone, in an iteration", own: true, open: true, gone: true},
		{name: "another's that lives", want: true},
		{name: "another's iteration that lives", open: true},
		{name: "a dead client's iteration", gone: true, open: true, want: true},
		{name: "a dead one, --resume", gone: true, resume: true},
	}
	for _, tt := range tests {
		lost := State{Run: &Budget{SessionID: "theirs"}}
		if tt.own {
			lost.Run.SessionID = "ours"
		}
		if tt.open {
			lost.Tick = &Tick{}
		}
		e := Invocation{Request: Request{SessionID: "ours", Scheduled: tt.scheduled,
			Model: tt.model, Fed: tt.fed}}
		e.Flags.Resume = tt.resume
		if got := e.Discards(lost, tt.gone); got != tt.want {
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
