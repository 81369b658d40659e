package loop_test

import (
	"testing"
	"time"

	"pgregory.net/rapid"

	"hooks/internal/attempt"
	"hooks/internal/kind/tasks"
	. "hooks/internal/loop"
)

// A task loop whose worker, repository, check, person and client do anything: driven through Step,
// as the program does, with facts that are drawn at random.
type taskMachine struct {
	State
	now   time.Time
	turns int
}

// step takes an event until nothing is missing, and saves what it decides.
func (m *taskMachine) step(t *rapid.T, e Event, k Known) Outcome {
	for range 20 {
		o := Step(m.State, k, e)
		if o.Need == nil {
			m.save(o.Save)
			return o
		}
		k.Bare = true
	}
	t.Fatal("a Step never has enough")
	return Outcome{}
}

func (m *taskMachine) save(s Save) {
	switch {
	case s.Close != nil:
		m.Run, m.Tick = &s.Close.Budget, nil
		return
	case s.Run != nil:
		m.Run = s.Run
	}
	if s.Tick != nil {
		m.Tick = s.Tick
	}
}

func (m *taskMachine) turn() Turn {
	return Turn{Now: m.now, Session: "s1", Prompt: "p1", Attended: true}
}

// open begins the next iteration as an entry does.
func (m *taskMachine) open(t *rapid.T) {
	r := Request{Now: m.now, SessionID: "s1", PromptID: "p1", Attended: true, RunID: "r1"}
	run := *m.Run
	if run.Status != Active {
		run = Resume(run, r)
	}
	m.Run = &run
	m.turns++
	k := Known{Bare: true,
		Entry: Fetched(EntryFacts{Attempt: attempt.Attempt{Token: "-n", Head: "h0",
			Branch: "main"}})}
	m.step(t, Opens{Invocation: Invocation{Request: r}, Mode: NextTick}, k)
}

// answer plays a person who answers all that waits.
func (m *taskMachine) answer(t *rapid.T) {
	for m.Tick != nil && len(m.Tick.Pending) > 0 {
		g := m.Tick.Pending[0]
		var words []string
		for _, o := range g.Options {
			if o.Label != "hold" {
				words = append(words, o.Label)
			}
		}
		word := rapid.SampledFrom(append(words, "as I said before")).Draw(t, g.Name)
		s := CloneState(m.State)
		act := Answer(s.Run, s.Tick, 0, GateAnswer{Name: g.Name, Answer: word, Target: g.Target})
		StartBody(s.Run, s.Tick)
		if m.State = s; act == "hold" {
			return
		}
	}
}

// work plays a worker to its end: what it says, and what the repository and the check say.
func (m *taskMachine) work(t *rapid.T) {
	m.step(t, Call{Turn: m.turn(), Tool: "Agent", ID: "c", Input: "{}", Sends: &Task{}}, Known{})
	for range rapid.IntRange(0, 4).Draw(t, "ends") {
		flag := func(name string) bool { return rapid.Bool().Draw(t, name) }
		k := Known{
			Worker: Fetched(attempt.Worker{Ours: flag("ours"), Known: flag("known"), Fresh: true}),
		}
		claim := attempt.Claim{Done: flag("done"), Blocked: rapid.IntRange(0, 9).Draw(t, "b") == 0}
		e := attempt.Evidence{
			Head: rapid.SampledFrom([]string{"", "h0", "h1"}).Draw(t, "head"), Branch: "main",
			Same: flag("same"),
		}
		if flag("dropped") {
			e.Dropped = "h0"
		}
		claim.Blocked = claim.Blocked && !claim.Done
		if flag("dirty") {
			e.Dirty = []string{"x"}
		}
		check := attempt.CheckRun{Exit: rapid.IntRange(0, 1).Draw(t, "exit"), Head: "h1"}
		k.Claim, k.Evidence, k.Check = Fetched(claim), Fetched(e), Fetched(check)
		before := m.judgement()
		m.step(t, WorkerEnd{Turn: m.turn(), Agent: "w1"}, k)
		if j := m.judgement(); before == nil && j != nil && j.Verdict.Done() {
			sound := claim.Done && len(e.Dirty) == 0 && e.Dropped == "" && e.Head == "h1" &&
				!e.Same
			green := tasks.Of(m.Run).Check == "" || check.Exit == 0
			if !sound || !green {
				t.Fatalf("%s with %+v", j.Verdict, k)
			}
		}
	}
}

func (m *taskMachine) judgement() *attempt.Judgement {
	if m.Tick == nil || m.Tick.Attempt == nil {
		return nil
	}
	return m.Tick.Attempt.Judged
}

// The index never goes back and never skips a task, no task is tried more often than the run
// allows, a done verdict has its claim and its evidence, and money only grows.
func TestTaskRules(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		start := time.Unix(1e9, 0).UTC()
		run := Budget{RunID: "r1", StartedAt: start, SessionID: "s1", Skill: tasks.Name,
			Status: Active, Ceilings: KindOf(tasks.Name).Ceilings, KindRun: ofTasks(&tasks.Run{
				List:   []tasks.Item{{Title: "a", Checkpoint: true}, {Title: "b"}, {Title: "c"}},
				Passed: []int{1, 2}, Drive: DriveStop,
				Try: 1, MaxTries: rapid.IntRange(2, 5).Draw(t, "max"),
				Mode:  rapid.SampledFrom([]string{"quick", "checkpoint"}).Draw(t, "mode"),
				Check: rapid.SampledFrom([]string{"", "make test"}).Draw(t, "check"),
			})}
		m := &taskMachine{State: State{Run: &run}, now: start}
		for range rapid.IntRange(1, 25).Draw(t, "events") {
			before := *tasks.Of(m.Run)
			spent := m.Run.DollarsEstimate
			resumed := m.Tick == nil && m.Run.Status != Active
			switch what := rapid.IntRange(0, 9).Draw(t, "event"); {
			case m.Tick == nil && before.Complete():
				return
			case m.Tick == nil:
				m.open(t)
				m.answer(t)
			case what < 5:
				m.work(t)
			case what < 8:
				k := Known{}
				spent := Spent{ByModel: map[string]Tokens{"m": {Output: 1, Dollars: 7}}}
				k.Count = Fetched(Count{Spent: spent})
				m.step(t, TurnEnd{Turn: m.turn(), First: what == 5, Wall: m.now}, k)
				m.answer(t)
			case what == 8:
				m.step(t, TurnFailure{Turn: m.turn(), Failure: "overloaded"}, Known{})
			default:
				m.step(t, Abandoned{Turn: m.turn()}, Known{})
			}
			m.now = m.now.Add(time.Second)
			now := tasks.Of(m.Run)
			switch {
			case now.Index < before.Index || now.Index > before.Index+1:
				t.Fatalf("from task %d to %d", before.Index, now.Index)
			case now.Index > before.Index && !now.List[before.Index].Result.Done():
				t.Fatalf("task %d was skipped: %+v", before.Index, now.List[before.Index])
			case now.Try > now.MaxTries,
				m.Tick != nil && m.Tick.Started && now.Try >= now.MaxTries:
				t.Fatalf("attempt %d of %d", now.Try, now.MaxTries-1)
			case m.Run.DollarsEstimate < spent:
				t.Fatalf("spent %s after %s", m.Run.DollarsEstimate, spent)
			case now.Index == before.Index && now.Try < before.Try && !resumed &&
				now.Words == before.Words && !personRetried(m):
				t.Fatalf("attempt %d after %d, and no person asked for it", now.Try, before.Try)
			}
		}
	})
}

// personRetried reports whether the last answer gave the task a new set of attempts.
func personRetried(m *taskMachine) bool {
	list := m.Run.Carried
	if m.Tick != nil {
		list = append(m.Tick.DeferredAnswers, m.Tick.Answered...)
	}
	for _, a := range list {
		if a.Name == tasks.FlaggedGate {
			return true
		}
	}
	return false
}
