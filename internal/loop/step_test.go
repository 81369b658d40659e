package loop

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"hooks/internal/guard/effect"
)

// A Step changes nothing that it is given, not even what lies behind the end of a list: outcomes of
// two Steps from one state share it. It decides the same twice, needs only what it does not have,
// says and saves nothing meanwhile, and comes to its end.
func TestStepIsPure(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s, all, e := someState(t), drawn[Known](t, "known"), someEvent(t)
		k := Known{Redact: strings.ToUpper}
		for range 5 {
			before := []any{whole(s), whole(e), whole(all)}
			o := Step(s, k, e)
			after := []any{whole(s), whole(e), whole(all)}
			if !reflect.DeepEqual(before, after) {
				t.Fatalf("%T changed its input: %s", e, cmp.Diff(before, after))
			}
			if twice := Step(s, k, e); !sameOutcome(o, twice) {
				t.Fatalf("%T decides %+v, then %+v", e, o, twice)
			}
			if o.Need == nil {
				return
			}
			if k = *o.Need; !onlyNeeds(o) || len(give(&k, all)) == 0 {
				t.Fatalf("%T needs facts and decides: %+v", e, o)
			}
			if found := k.Entry.or(); k.Entry.Value != nil {
				found.Mode = k.Mode
				k.Entry = Fetched(found)
			}
		}
		t.Fatalf("%T always needs more", e)
	})
}

// What has no loop, or is of another session, is nothing; so is what a part of the state is for
// that does not exist.
func TestStepWithoutALoop(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		e := someEvent(t)
		if _, entry := e.(Invocation); entry {
			return // it makes one
		}
		if o := Step(State{}, drawn[Known](t, "known"), e); !o.Nothing() {
			t.Fatalf("%T without a loop: %+v", e, o)
		}
	})
}

// words are what random texts are made of: those that the rules compare.
var words = []string{
	"", "s1", "p1", "p2", "a1", "#44", "PR #7", "#7", "d1", "main", "aaaaaaa1", "bbbbbbb2", "open",
	"merged", "closed", "ok", "errored", "issue", "pr", "x", "question?", "tbd", "stop", "skip",
	"/loop 1m /sdd:work --loop", "post-tool-use", BudgetEscalation, AmbiguousCriteria,
	RepeatedFailure,
	PostFeedbackMerge, ResumeDivergence, BacklogDrift,
}

// drawn is a random value of any of the package's types. Its lists have room behind their end.
func drawn[T any](t *rapid.T, label string) T {
	var v T
	draw(t, reflect.ValueOf(&v).Elem(), label)
	return v
}

func draw(t *rapid.T, v reflect.Value, label string) {
	switch at := v.Addr().Interface().(type) {
	case *time.Time:
		*at = noon.Add(time.Duration(rapid.IntRange(-5, 90).Draw(t, label)) * time.Minute)
		return
	case *Status:
		*at = rapid.SampledFrom([]Status{Active, Active, Active, Halted, Paused}).Draw(t, label)
		return
	case *Skill:
		*at = rapid.SampledFrom(skillNames()).Draw(t, label)
		return
	}
	switch v.Kind() {
	case reflect.Interface:
		if of := v.Addr().Interface(); rapid.Bool().Draw(t, label) {
			if own, ok := of.(*Payload); ok {
				*own = payload(rapid.SampledFrom([]Skill{"task", "audit"}).Draw(t, label))
				draw(t, reflect.ValueOf(*own).Elem(), label)
			}
		}
	case reflect.String:
		v.SetString(rapid.SampledFrom(words).Draw(t, label))
	case reflect.Bool:
		v.SetBool(rapid.IntRange(0, 3).Draw(t, label) == 0)
	case reflect.Int, reflect.Int64:
		v.SetInt(rapid.Int64Range(0, 9).Draw(t, label))
	case reflect.Uint8:
		v.SetUint(rapid.Uint64Range(0, 4).Draw(t, label))
	case reflect.Pointer:
		if rapid.Bool().Draw(t, label) {
			v.Set(reflect.New(v.Type().Elem()))
			draw(t, v.Elem(), label)
		}
	case reflect.Slice:
		n := rapid.IntRange(0, 2).Draw(t, label)
		v.Set(reflect.MakeSlice(v.Type(), n, n+3))
		for i := range n {
			draw(t, v.Index(i), label)
		}
	case reflect.Array:
		for i := range v.Len() {
			draw(t, v.Index(i), label)
		}
	case reflect.Map:
		v.Set(reflect.MakeMap(v.Type()))
		for range rapid.IntRange(0, 2).Draw(t, label) {
			key, value := reflect.New(v.Type().Key()).Elem(), reflect.New(v.Type().Elem()).Elem()
			draw(t, key, label)
			draw(t, value, label)
			v.SetMapIndex(key, value)
		}
	case reflect.Struct:
		for i := range v.NumField() {
			if f := v.Type().Field(i); f.IsExported() {
				draw(t, v.Field(i), f.Name)
			}
		}
	}
}

// someState is a random state, mostly one with an open iteration of the session that acts.
func someState(t *rapid.T) State {
	s := drawn[State](t, "state")
	if s.Run == nil {
		s.Tick = nil
		return s
	}
	s.Run.Ceilings = rapid.SampledFrom([]Ceilings{Defaults, {2, 2, 30, 2}, {}}).Draw(t, "ceilings")
	if rapid.IntRange(0, 9).Draw(t, "own run") > 0 {
		s.Run.SessionID = "s1"
	}
	if s.Tick != nil {
		s.Tick.RunID, s.Tick.Skill = s.Run.RunID, s.Run.Skill
		if rapid.IntRange(0, 9).Draw(t, "own tick") > 0 {
			s.Tick.SessionID = "s1"
		}
	}
	return s
}

func someEvent(t *rapid.T) Event {
	turn := Turn{
		Now: noon.Add(time.Hour), Session: "s1", Attended: rapid.Bool().Draw(t, "attended"),
		Prompt: rapid.SampledFrom([]string{"p1", "p2", ""}).Draw(t, "prompt"),
	}
	switch rapid.IntRange(0, 15).Draw(t, "event") {
	case 0, 1:
		e := drawn[TurnEnd](t, "stop")
		e.Turn = turn
		return e
	case 2:
		e := drawn[PromptSubmit](t, "prompt")
		e.Turn = turn
		return e
	case 3:
		return ClientStart{Turn: turn, Begins: true}
	case 4:
		return TurnFailure{turn, "rate_limit"}
	case 5:
		return SessionEnd{turn, rapid.SampledFrom([]string{"clear", "logout"}).Draw(t, "reason")}
	case 6:
		failure := rapid.SampledFrom([]string{"", "x"}).Draw(t, "failure")
		return WorkerEnd{Turn: turn, Agent: "a1", Failure: failure}
	case 7:
		return PersonStop{turn, "hooks loop stop"}
	case 14:
		return ProcessEnd{turn, "killed", rapid.Bool().Draw(t, "counts"),
			rapid.Bool().Draw(t, "person")}
	case 15:
		return DriverStop{turn, rapid.SampledFrom([]string{CauseInterrupt, CauseOutage,
			CauseStall}).Draw(t, "cause"), "why"}
	case 8:
		return Abandoned{turn}
	case 9:
		return CatchUp{turn, rapid.Bool().Draw(t, "counts")}
	case 10, 11:
		return someRequest(t, drawn[Invocation](t, "entry"), turn)
	case 12:
		e := drawn[Opens](t, "opens")
		e.Mode = rapid.SampledFrom([]Mode{NextTick, FreshRun, ResumeRun}).Draw(t, "mode")
		e.Invocation = someRequest(t, e.Invocation, turn)
		return e
	}
	e := drawn[Result](t, "result")
	e.Turn = turn
	return e
}

func someRequest(t *rapid.T, e Invocation, turn Turn) Invocation {
	e.Now, e.SessionID, e.PromptID, e.Attended = turn.Now, "s1", turn.Prompt, turn.Attended
	e.Command = Command{"sdd:work", Work, "--loop"}
	return e
}

// whole is a copy of a value that shares nothing with it, with every list up to its capacity.
func whole(v any) any {
	out := reflect.New(reflect.TypeOf(v)).Elem()
	out.Set(reflect.ValueOf(v))
	return wholeValue(out).Interface()
}

func wholeValue(v reflect.Value) reflect.Value {
	if v.Kind() != reflect.Slice || v.IsNil() {
		return mapped(v, wholeValue)
	}
	return mapped(v.Slice3(0, v.Cap(), v.Cap()), wholeValue)
}

// A loop of any events counts forward only, begins nothing past a ceiling, leaves no iteration open
// that it has closed, numbers its lines without a gap, and holds no prompt more than twice.
func TestAnyStoryKeepsTheLedger(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		w := newWorld(t)
		skill := rapid.SampledFrom([]string{"work", "review", "review --pr 7"}).Draw(t, "loop")
		command := fmt.Sprintf("%s --max-iterations %d --max-minutes %d --max-prs %d", skill,
			rapid.IntRange(1, 4).Draw(t, "iterations"), rapid.IntRange(10, 60).Draw(t, "minutes"),
			rapid.IntRange(1, 4).Draw(t, "PRs"))
		w.do("enter " + command)
		for range rapid.IntRange(1, 40).Draw(t, "events") {
			c := rapid.SampledFrom(happenings).Draw(t, "event")
			c = strings.ReplaceAll(c, "LOOP", command)
			if needsTick(c) && (w.state.Tick == nil || w.state.Tick.SessionID != w.client.session) {
				continue
			}
			before, lines := frozen(w.state), len(w.lines)
			w.do(c)
			ledger(t, c, before, w, lines)
		}
	})
}

// happenings are the commands of which random stories are made. Each is as likely as the others.
var happenings = []string{
	"enter LOOP", "enter LOOP", "enter LOOP", "fires LOOP", "enter LOOP --resume", "calls LOOP",
	"stop", "stop", "stop", "stop", "stop workers", "stop twice", "stop dontask",
	"prompt hello", "prompt /loop stop", "prompt <task-notification>",
	"expand /loop 1m /sdd:work --loop",
	"fail rate_limit", "end logout", "end clear", "person", "mark", "worker a1",
	"report {}", `report {"outcome":"ok"}`, `report {"qmd":{"unreachable":true}}`,
	`report {"failures":[{"kind":"issue","number":44,"cause":"x"}]}`,
	`report {"failures":[{"kind":"issue","number":44,"cause":"x"}]}`,
	`report {"backlog":{"unblocked":[1,2],"blocked":[],"in_progress":[]}}`,
	`report {"backlog":{"unblocked":[2],"blocked":[],"in_progress":[]}}`,
	`report {"issues":[{"number":1,"criteria":"tbd"}]}`, `report {"edges":[[1,2],[2,1]]}`,
	`report {"prs":[{"number":7,"state":"merged"}]}`, `report {"comments_pushed":2}`,
	"result c1 opened#12", "result c2 commented#13 label#4=in-progress", "result c3 worker=a1",
	"result c4 qmd=down", "result c5 landed#7", "missed c6 opened#14", "look counts",
	"send 44", "merge 7", "dialog", "headless", "headless off",
	"answer budget-escalation raise", "answer ambiguous-criteria skip", "answer backlog-drift stop",
	"answer repeated-failure retry", "answer post-feedback-merge merge",
	"heard backlog-drift continue",
	"advance 1m", "advance 7m", "spend $4", "as s2 pid 200",
	"as s1 pid 100",
	"dies 100", "schedule /loop 1m /sdd:work --loop", "schedule none", "lose lock",
}

func needsTick(command string) bool {
	verb, _, _ := strings.Cut(command, " ")
	return slices.Contains([]string{"report", "send", "merge", "dialog", "answer", "heard"}, verb)
}

// ledger holds what a command did to a loop against what none may do.
func ledger(t *rapid.T, command string, before State, w *world, lines int) {
	run, tick := w.state.Run, w.state.Tick
	for _, l := range w.lines[lines:] {
		if l.Ran() && (l.Budget.Seq != l.Seq || l.Iteration > l.Budget.IterationsUsed+1) {
			t.Fatalf("%s: line %d of %d: %+v", command, l.Seq, l.Budget.Seq, l)
		}
	}
	if run == nil || before.Run == nil || run.RunID != before.Run.RunID {
		return
	}
	was := before.Run
	forward := run.IterationsUsed >= was.IterationsUsed && run.Seq >= was.Seq &&
		len(run.PRsTouched) >= len(was.PRsTouched) && run.CommentsPushed >= was.CommentsPushed &&
		run.MergesAttempted >= was.MergesAttempted && run.MinutesElapsed >= was.MinutesElapsed &&
		run.TokensIn >= was.TokensIn && run.TokensOut >= was.TokensOut &&
		run.AgentsDispatched >= was.AgentsDispatched && run.DollarsEstimate >= was.DollarsEstimate
	if !forward {
		t.Fatalf("%s: a counter went back: %+v after %+v", command, run, was)
	}
	began := tick != nil && tick.Started &&
		(before.Tick == nil || !before.Tick.Started || before.Tick.Iteration != tick.Iteration)
	if c := run.Ceilings; began &&
		(tick.Iteration > c.Iterations || run.MinutesElapsed >= c.Minutes ||
			run.SinglePR == 0 && len(run.PRsTouched) >= c.PRs || run.DollarsEstimate >= c.Dollars) {
		t.Fatalf("%s: iteration %d began past a ceiling: %+v", command, tick.Iteration, run)
	}
	ran := 0
	for _, l := range w.lines[lines:] {
		if l.Ran() {
			ran++
		}
	}
	if run.Seq != was.Seq+ran || tick == nil && before.Tick != nil && (ran == 0 || w.lock != nil) {
		t.Fatalf("%s: %d lines, from %d to %d, lock %v", command, ran, was.Seq, run.Seq, w.lock)
	}
	if tick != nil && run.Status != Active {
		t.Fatalf("%s: an iteration is open in a run that is %s", command, run.Status)
	}
	if len(run.Blocks.Reasons) > 2 {
		t.Fatalf("%s: held for %v", command, run.Blocks.Reasons)
	}
	if (run.Status == Halted) != (run.StopCause != "" && run.StopCause != "gate_waiting") {
		t.Fatalf("%s: %s because of %q", command, run.Status, run.StopCause)
	}
}

// What an answer or an effect adds to a list is not written behind the end of the given one.
func TestStepWritesBehindNoList(t *testing.T) {
	question := Gate{Name: RepeatedFailure, Question: "q", Target: "#44"}
	question.Options = gates[len(gates)-1].Options
	tick := &Tick{
		SessionID: "s1", Pending: []Gate{question},
		Dialogs: []Dialog{{ID: "d", Shown: []string{"q"}}},
		Fired:   make([]Fired, 0, 3), Answered: make([]GateAnswer, 0, 3),
	}
	tick.Prompts = append(make([]string, 0, 3), "p1")
	tick.Observed.PRs, tick.Observed.Merged = make([]int, 0, 3), make([]int, 0, 3)
	s := State{Run: &Budget{DeferredTargets: make([]string, 0, 3)}, Tick: tick}
	for _, text := range []string{"skip", "stop", ""} {
		e := Result{Turn: Turn{Session: "s1"}, Event: afterTool, ID: "d"}
		e.Effects = []Effect{{Kind: effect.MergePR, PR: 7, Landed: true}}
		if text != "" {
			e.Answers = &Answers{ID: "d", List: []DialogAnswer{{"q", text}}}
		}
		before := whole(s)
		if o := Step(s, Known{}, e); o.Nothing() || !reflect.DeepEqual(before, whole(s)) {
			t.Errorf("%q changed its input, or nothing: %+v", text, o)
		}
	}
	before := whole(s)
	waits := TurnEnd{Turn: Turn{Session: "s1", Prompt: "p1"}, Working: []string{"a1"}}
	Step(s, Known{}, waits)
	tick.Draining, waits.Prompt = true, "p2"
	if o := Step(s, Known{}, waits); len(o.Save.Tick.Prompts) != 2 {
		t.Errorf("a later turn is not the iteration's: %+v", o)
	}
	if tick.Draining = false; !reflect.DeepEqual(before, whole(s)) {
		t.Error("a turn that waits for workers changed its input")
	}
}
