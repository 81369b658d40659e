package loop

import (
	"slices"
	"testing"
	"time"
)

// A run of work or review has no payload, and a payload answers for its own kind.
func TestPayloads(t *testing.T) {
	none := Budget{Skill: Work}
	if command, minutes := none.Check(); none.Drive() != "" || none.tip() != "" || command != "" ||
		minutes != 0 || none.begin(EntryFacts{}) != nil {
		t.Errorf("work has a payload: %+v", none)
	}
	list := []TaskItem{{Title: "one"}}
	for _, b := range []Budget{
		{Skill: Tasks, KindRun: ofTasks(&TaskRun{Drive: DriveStop, Check: "make", CheckMinutes: 7,
			Tip: "t", List: list})},
		{Skill: Audit, KindRun: ofAudit(&AuditRun{Drive: DriveStop, Check: "make", CheckMinutes: 7,
			Tip: "t", Sections: []string{"one"}, Phase: Coding})},
	} {
		if command, minutes := b.Check(); b.Drive() != DriveStop || b.tip() != "t" ||
			command != "make" || minutes != 7 {
			t.Errorf("%s: %s, %s, %s, %d", b.Skill, b.Drive(), b.tip(), command, minutes)
		}
		for _, files := range []string{"before", "after"} {
			if b.begin(EntryFacts{Ignores: files}) == nil || b.Ignores != "before" {
				t.Errorf("%s: the files that leave others out are %q", b.Skill, b.Ignores)
			}
		}
	}
}

// What a person's resume changes in an audit, and a schedule's does not (A10, A20).
func TestResumedAudit(t *testing.T) {
	before := AuditRun{Check: "old", Tip: "t", Branch: "b", Retries: 2, Outages: 1}
	r := Request{Flags: Flags{Task: TaskFlags{Check: "new"}}}
	a := before.clone()
	if a.Resume(nil, r); a.Check != "new" || a.Tip+a.Branch != "" || a.Retries+a.Outages != 0 {
		t.Errorf("by a person: %+v", a)
	}
	r.Scheduled = true
	a = before.clone()
	if a.Resume(nil, r); a.Check != "old" || a.Tip+a.Branch != "tb" {
		t.Errorf("by a schedule: %+v", a)
	}
	for _, c := range []struct {
		ceiling, named, want int
	}{{10, 0, 12}, {10, 3, 8}, {MaxUnits, 0, MaxUnits}, {MaxUnits, 3, 8}} {
		b := Budget{IterationsUsed: 5, Ceilings: Ceilings{Iterations: c.ceiling},
			KindRun: ofAudit(&AuditRun{Before: 3})}
		r := Request{Flags: Flags{Ceilings: Ceilings{Iterations: c.named}}}
		if c.named > 0 {
			r.Flags.explicit = []string{"--max-iterations"}
		}
		if b.restart(r); b.Ceilings.Iterations != c.want || AuditOf(&b).Before != 5 {
			t.Errorf("%+v: up to iteration %d", c, b.Ceilings.Iterations)
		}
	}
}

// A judged attempt has the commit that it left; a run file without its list sends no worker.
func TestJudgedAttempt(t *testing.T) {
	s := State{Run: &Budget{Skill: Tasks, KindRun: ofTasks(&TaskRun{List: []TaskItem{{}}})},
		Tick: &Tick{Started: true, Attempt: &Attempt{Task: 1}}}
	k := &Known{Claim: Fetched(ClaimSeen{Blocked: true}),
		Evidence: Fetched(Evidence{Head: "h", Tree: "t"})}
	if need, hold := s.judged(k); need || hold != nil || s.Tick.Attempt.EndHead != "h" {
		t.Errorf("%v, %v, %+v", need, hold, s.Tick.Attempt)
	}
	s.Run.Status = Active
	e := Call{Sends: &Task{}}
	if d := e.refuseWorker(s); d != nil {
		t.Errorf("refused: %+v", d)
	}
	if s.Run.Own = nil; e.refuseWorker(s) == nil {
		t.Error("a worker is sent for nothing")
	}
}

// The reading of a call without its words: what a waiting merge gate adds, and which approval a
// merge takes with it.
func TestCallsAtAMergeGate(t *testing.T) {
	gate := Gate{Name: PostFeedbackMerge, Target: prTarget(142)}
	tick := &Tick{Pending: []Gate{gate}, Approvals: []Approval{{PR: 142, HeadSHA: "abc"},
		{PR: 143, HeadSHA: "def"}}}
	s := State{Run: &Budget{Skill: Review, Status: Active}, Tick: tick}
	opaque := Reading{Opaque: "x is computed"}
	if d := (Call{}).unread(s, opaque); d == nil {
		t.Error("text that cannot be read passes while a merge gate waits")
	}
	if tick.Pending = nil; (Call{}).unread(s, opaque) != nil {
		t.Error("text that cannot reach a forge is refused")
	}
	Call{ID: "t1"}.pass(tick, []Act{{Kind: ActMerge, PR: 142}, {Kind: ActMerge, PR: 7},
		{Kind: ActMerge, PR: 143}, {Kind: ActMerge, PR: 142}})
	if slices.ContainsFunc(tick.Passed, func(p Passed) bool { return p.Allows(142, "0123456") }) {
		t.Errorf("PR 142, named twice, passes at any commit: %+v", tick.Passed)
	}
	for _, want := range []struct {
		pr  int
		sha string
	}{{142, "abc"}, {7, "fed"}, {143, "def"}} {
		if !slices.ContainsFunc(tick.Passed, func(p Passed) bool {
			return p.Allows(want.pr, want.sha)
		}) {
			t.Errorf("PR %d at %s does not pass: %+v", want.pr, want.sha, tick.Passed)
		}
	}
	tick = &Tick{StartedAt: time.Now()}
	s = State{Run: &Budget{Skill: Work, Status: Active}, Tick: tick}
	e := Call{ID: "t2", Input: "i", Sends: &Task{}}
	if !e.mustName(s) {
		t.Error("a worker without an issue goes at once")
	}
	tick.Denied = []Denial{{Rule: UnnamedRule}}
	if e.mustName(s) {
		t.Error("it is refused twice")
	}
	plain := Flags{Ceilings: Defaults}
	for prompt, want := range map[string]bool{
		"/loop 1m /sdd:work --loop": true, "/sdd:work --loop --max-prs 3": false,
		"/sdd:work --loop --max-prs x": false,
	} {
		if Typed(prompt, Command{Name: "sdd:work", Skill: Work}, plain) != want {
			t.Errorf("%s is the plain command: %v", prompt, !want)
		}
	}
}

func ofTasks(r *TaskRun) KindRun  { return KindRun{Own: r} }
func ofAudit(r *AuditRun) KindRun { return KindRun{Own: r} }

func in(p Phase) PhaseAttempt { return PhaseAttempt{Phase: p} }

func told(r AuditReport) Report { return Report{AuditReport: r} }
