package loop

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"

	"hooks/internal/attempt"
	"hooks/internal/codec"
	"hooks/internal/guard/effect"
)

// world is one project with its loops, and the clients, clocks, tracker and schedule around them.
// It does what the program does around the rules, and keeps everything in memory. Events reach the
// loop that was entered last.
type world struct {
	t        failer
	now      time.Time
	client   client
	headless bool
	dead     map[int]Liveness // processes that do not simply live
	signs    map[string]time.Time
	prompts  int
	prompt   string
	held     bool // a Stop of this prompt was held

	skill Skill
	files
	others map[Skill]files
	runs   int
	beside RunFile // the run on record, with another budget file
	rival  *Lock   // of a session that is faster at the next entry
	stale  bool    // the worker's context is an earlier one's
	tasks  Payload // of the next fresh run of a task loop

	entry   EntryFacts
	known   seen
	crons   []Scheduled
	dialogs int
	tools   int

	said []string
}

// seen is what there is to fetch, by the names of Known.
type seen struct {
	Redact   func(string) string
	Around   Around
	Count    Count
	Calls    []Result
	Marked   bool
	Dialogs  []Answers
	Begun    Begun
	Origin   Origin
	Sender   Sender
	Running  RunningNow
	Overrun  int
	Reading  Reading
	Merging  []Looked
	Worker   attempt.Worker
	Claim    attempt.Claim
	Evidence attempt.Evidence
	Check    attempt.CheckRun
	Before   attempt.CheckRun
	Prompt   string
	Owner    Owner
	Standing Standing
	Last     *Iteration
	Previous *Iteration
}

// give fills in the facts that are asked for, by their names in others, and returns those.
func give(k *Known, others any) (names []string) {
	to, from := reflect.ValueOf(k).Elem(), reflect.ValueOf(others)
	for i := range to.NumField() {
		if !to.Type().Field(i).IsExported() {
			continue
		}
		f, ok := to.Field(i).Addr().Interface().(interface{ Asked() bool })
		if !ok || !f.Asked() {
			continue
		}
		name, is := to.Type().Field(i).Name, to.Field(i).Field(0)
		is.Set(reflect.New(is.Type().Elem()))
		switch value := from.FieldByName(name); {
		case !value.IsValid():
		case value.Type() == is.Type().Elem():
			is.Elem().Set(value)
		case !value.Field(0).IsNil(): // of another Known
			is.Set(value.Field(0))
		}
		names = append(names, name)
	}
	return names
}

// files are what one loop has on disk.
type files struct {
	state State
	lock  *Lock
	lines []Iteration
}

// client is one session in one process.
type client struct {
	session string
	pid     int
}

// failer ends a test of a world that cannot continue: a test, or a draw of one.
type failer interface {
	Fatal(args ...any)
	Fatalf(format string, args ...any)
}

func newWorld(t failer) *world {
	w := &world{
		t: t, now: noon, client: client{"s1", 100}, skill: Work,
		dead: map[int]Liveness{}, signs: map[string]time.Time{}, others: map[Skill]files{},
	}
	w.newPrompt()
	return w
}

func (w *world) newPrompt() {
	w.prompts++
	w.prompt, w.held = fmt.Sprintf("p%d", w.prompts), false
}

func (w *world) say(format string, args ...any) {
	text := strings.TrimRight(fmt.Sprintf(format, args...), "\n")
	w.said = append(w.said, strings.Split(text, "\n")...)
}

// do carries a command out and returns its outcome.
func (w *world) do(line string) []string {
	verb, args, _ := strings.Cut(line, " ")
	args = strings.TrimSpace(args)
	act, known := verbs[verb]
	if !known {
		w.t.Fatalf("%q is no command", line)
	}
	w.said = nil
	act(w, args)
	if slices.Contains(signs, verb) {
		w.signs[w.client.session] = w.now
	}
	return w.said
}

// signs are the commands that leave a time in their session's transcript.
var signs = []string{"enter", "report", "answer", "result", "send", "merge", "stop", "prompt"}

var verbs = map[string]func(w *world, args string){
	"enter":  func(w *world, args string) { w.enter(args, Request{}) },
	"again":  func(w *world, args string) { w.enterAgain(args, Request{}) },
	"fires":  func(w *world, args string) { w.enter(args, Request{Scheduled: true}) },
	"calls":  func(w *world, args string) { w.enter(args, Request{Model: true}) },
	"report": (*world).report,
	"dialog": (*world).dialog,
	"answer": (*world).answer,
	"afk":    (*world).afk,
	"empty": func(w *world, args string) {
		a := Answers{ID: args, Input: "{}"}
		w.step(Result{Turn: w.turn(), Event: afterTool, ID: a.ID, Input: a.Input, Answers: &a})
	},
	"heard":  (*world).heard,
	"result": func(w *world, args string) { w.step(w.result(args)) },
	"send":   (*world).send,
	"merge":  (*world).merge,
	"stop":   (*world).stop,
	"prompt": (*world).typed,
	"expand": (*world).expand,
	"fail":   func(w *world, args string) { w.step(TurnFailure{w.turn(), args}) },
	"end": func(w *world, args string) {
		w.step(SessionEnd{w.turn(), args})
		w.known.Count = Count{}
	},
	"worker": func(w *world, args string) { w.step(WorkerEnd{Turn: w.turn(), Agent: args}) },
	"person": (*world).person,
	"gate":   (*world).gate,
	"look":   func(w *world, args string) { w.step(CatchUp{w.turn(), args == "counts"}) },

	"as":        (*world).as,
	"dies":      func(w *world, args string) { w.dead[number1(args)] = Dead },
	"unclear":   func(w *world, args string) { w.dead[number1(args)] = Unclear },
	"headless":  func(w *world, args string) { w.headless = args != "off" },
	"advance":   func(w *world, args string) { w.now = w.now.Add(duration(args)) },
	"spend":     (*world).spend,
	"schedule":  (*world).schedule,
	"mark":      func(w *world, _ string) { w.known.Marked = true },
	"client":    func(w *world, _ string) { w.known.Sender = SenderClient },
	"typed":     func(w *world, args string) { w.known.Origin = Origin{"human", args} },
	"underloop": func(w *world, _ string) { w.known.Around.UnderLoop = true },
	"redact": func(w *world, args string) {
		w.known.Redact = func(s string) string { return strings.ReplaceAll(s, args, "<redacted>") }
	},
	"missed": func(w *world, args string) {
		w.known.Calls = append(w.known.Calls, w.result(args))
	},
	"tracker": func(w *world, args string) {
		w.entry.Asked = new(Asked)
		decode(w, args, w.entry.Asked)
	},
	"untracked": func(w *world, _ string) { w.entry.Asked = nil },
	"edges":     func(w *world, args string) { decode(w, args, &w.entry.Edges) },
	"heads": func(w *world, args string) {
		w.entry.Heads = nil
		decode(w, args, &w.entry.Heads)
		w.known.Around.Heads = w.entry.Heads
	},
	"worktrees": func(w *world, args string) {
		w.entry.Worktrees = nil
		decode(w, args, &w.entry.Worktrees)
		w.known.Around.Worktrees = w.entry.Worktrees
	},
	"before": func(w *world, args string) {
		w.entry.Worktrees = nil
		decode(w, args, &w.entry.Worktrees)
	},
	"branches": func(w *world, args string) { decode(w, args, &w.known.Begun.Branches) },
	"remote": func(w *world, args string) {
		w.known.Begun.Remote = nil
		decode(w, args, &w.known.Begun.Remote)
	},
	"settled": func(w *world, args string) { decode(w, args, &w.known.Around.PRs) },
	"receipt": func(w *world, args string) {
		w.state.Run.Receive(w.client.session, args, w.now, func() Program { return Program{} })
	},
	"review":  (*world).review,
	"comment": (*world).comment,
	"opens":   (*world).opens,
	"later": func(w *world, args string) {
		w.calls(Call{Tool: "CronCreate", ID: w.newCall(), Schedules: &args})
	},
	"helper": func(w *world, args string) {
		w.calls(Call{Tool: "Task", ID: w.newCall(), Agent: args, Sends: &Task{}})
	},
	"approve": (*world).approve,
	"unread": func(w *world, args string) {
		w.known.Reading = Reading{Opaque: args}
		w.calls(Call{Tool: "Bash", ID: w.newCall()})
		w.known.Reading = Reading{}
	},
	"running": func(w *world, args string) { decode(w, args, &w.known.Running) },
	"overrun": func(w *world, args string) { w.known.Overrun = number1(args) },
	"merging": (*world).merging,
	"counted": (*world).counted,
	"undated": (*world).undated,
	"sign":    func(w *world, _ string) { w.signs[w.client.session] = w.now },
	"locked":  func(w *world, args string) { w.lock = w.lockOf(args) },
	"rival":   func(w *world, args string) { w.rival = w.lockOf(args) },
	"moves": func(w *world, args string) {
		w.beside, w.state = RunFile{w.state.Run, args}, State{}
	},
	"lose":    (*world).lose,
	"show":    (*world).show,
	"explain": (*world).explain,

	"tasks":  (*world).list,
	"starts": func(w *world, args string) { decode(w, args, &w.entry) },
	"edited": func(w *world, args string) {
		w.entry.List = "- [ ] " + strings.ReplaceAll(args, ", ", "\n- [ ] ")
	},
	"tree":    func(w *world, args string) { decode(w, args, &w.known.Evidence) },
	"claim":   (*world).claim,
	"without": func(w *world, args string) { decode(w, args, &w.known.Before) },
	"check":   func(w *world, args string) { decode(w, args, &w.known.Check) },
	"stale":   func(w *world, _ string) { w.stale = true },
	"agent":   func(w *world, _ string) { w.calls(Call{Tool: "Agent", Sends: &Task{}}) },
	"uses":    func(w *world, args string) { w.calls(Call{Tool: args}) },
	"ends": func(w *world, args string) {
		failure, reset, named := strings.Cut(args, " until ")
		e := WorkerEnd{Turn: w.turn(), Agent: "w1", Failure: failure}
		if named {
			e.Reset = w.now.Add(duration(reset))
		}
		w.step(e)
	},
	"process": func(w *world, args string) {
		w.step(ProcessEnd{Turn: w.turn(), Why: args, Counts: args == "max turns"})
	},
	"driver": func(w *world, args string) { w.step(DriverStop{w.turn(), args, "no answer"}) },
}

func number1(text string) int {
	n, err := strconv.Atoi(text)
	if err != nil {
		panic(err)
	}
	return n
}

func duration(text string) time.Duration {
	d, err := time.ParseDuration(text)
	if err != nil {
		panic(err)
	}
	return d
}

func decode(w *world, text string, to any) {
	if err := json.Unmarshal([]byte(text), to); err != nil {
		w.t.Fatalf("%s: %v", text, err)
	}
}

func (w *world) turn() Turn {
	return Turn{Now: w.now, Session: w.client.session, Prompt: w.prompt, Attended: !w.headless}
}

func (w *world) liveness(pid int) Liveness {
	if is, named := w.dead[pid]; named {
		return is
	}
	return Alive
}

// step steps until nothing is missing, and carries the outcome out.
func (w *world) step(e Event) Outcome {
	o := w.decide(e, &Known{Redact: w.known.Redact})
	w.carryOut(o)
	return o
}

// decide steps until nothing is missing but the facts that an iteration begins with. Every Step is
// also held against what every Step is: pure, the same twice, and silent while it lacks facts.
func (w *world) decide(e Event, k *Known) Outcome {
	if w.state.Run == nil || w.state.Run.Status == Active {
		w.state.Quiet = nil
	}
	for {
		before, known := frozen(w.state), frozen(*k)
		o := Step(w.state, *k, e)
		if !reflect.DeepEqual(before, w.state) || !sameKnown(known, *k) {
			w.t.Fatalf("%T changed its input", e)
		}
		if twice := Step(w.state, *k, e); !sameOutcome(o, twice) {
			w.t.Fatalf("%T decides %+v, then %+v", e, o, twice)
		}
		if o.Need == nil {
			return o
		}
		*k = *o.Need
		if k.Entry.Asked() {
			return o
		}
		if !onlyNeeds(o) {
			w.t.Fatalf("%T needs facts and decides: %+v", e, o)
		}
		if names := needs(w.fetch(k)); names != "" {
			w.say("needs %s", names)
		}
	}
}

// onlyNeeds reports whether an outcome that needs facts saves and says nothing.
func onlyNeeds(o Outcome) bool {
	return reflect.DeepEqual(o, Outcome{Need: o.Need})
}

// needs are the facts that a story shows, each by its name and its word.
func needs(facts []string) string {
	var list []string
	for _, of := range [][2]string{
		{"Around", "around"}, {"Count", "spent"}, {"Marked", "mark"}, {"Dialogs", "answers"},
		{"Begun", "branches"}, {"Owner", "owner"}, {"Origin", "origin"},
		{"Calls", "calls"}, {"Sender", "sender"}, {"Esc", "esc"}, {"Worker", "worker"},
		{"Claim", "claim"}, {"Evidence", "evidence"}, {"Check", "check"}, {"Before", "before"},
	} {
		if slices.Contains(facts, of[0]) &&
			(of[1] != "calls" || !slices.Contains(facts, "Count")) { // which brings them
			list = append(list, of[1])
		}
	}
	return strings.Join(list, " ")
}

// fetch gives a Step the facts that it asks for, and no others.
func (w *world) fetch(k *Known) (names []string) {
	run, f := w.state.Run, w.known
	f.Worker, f.Prompt = attempt.Worker{Ours: true, Known: true, Fresh: !w.stale}, "do it"
	f.Standing = w.standing()
	if run != nil {
		f.Running.From = run.DollarsEstimate
		f.Owner, f.Previous = w.owner(), w.previous()
		f.Last = w.last(func(l *Iteration) bool { return l.Ran() && l.Of(run.RunID) })
		f.Check.Command = run.Attempts().Check
		_, f.Before.Command = w.state.Unmeasured("")
	}
	if names = give(k, f); slices.Contains(names, "Count") {
		k.Calls = Fetched(f.Calls)
	}
	return names
}

func (w *world) owner() (o Owner) {
	run, session := w.state.Run, w.state.Run.SessionID
	dead := w.liveness(run.Owner.PID) == Dead
	if w.state.Tick != nil {
		session = w.state.Tick.SessionID
	}
	o.Gone = run.OwnerLeft || dead
	if o.Foreign = dead || session != w.client.session; o.Foreign {
		o.LastSign = w.signs[session]
	}
	return o
}

func (w *world) previous() *Iteration {
	return w.last(func(l *Iteration) bool { return w.state.Run.Worked(l) })
}

func (w *world) last(keep func(*Iteration) bool) *Iteration {
	for _, l := range slices.Backward(w.lines) {
		if keep(&l) {
			return &l
		}
	}
	return nil
}

// carryOut does what a Step decided, in its order, and says so.
func (w *world) carryOut(o Outcome) {
	if o.Nothing() {
		w.say("nothing")
		return
	}
	w.save(o.Save)
	w.reply(o.Reply)
	if o.Unlock {
		w.say("unlocks")
		w.lock = nil
	}
	for _, n := range o.Notify {
		w.say("notifies: %s %s", n.Run.Status, n.Run.StopCause)
	}
}

func (w *world) save(s Save) {
	var files []string
	switch {
	case s.DropClaim:
		w.state.Claim = nil
		files = append(files, "drops claim")
	case s.Claim != nil:
		w.state.Claim = s.Claim
		files = append(files, "saves claim")
	case s.Close != nil:
		w.close(s.Close)
	}
	if s.Close == nil && s.Run != nil {
		w.state.Run = s.Run
		files = append(files, "saves run")
	}
	if s.Close == nil && s.Tick != nil {
		w.state.Tick = s.Tick
		files = append(files, "saves tick")
	}
	switch {
	case s.Release:
		w.state.Quiet = nil
		files = append(files, "lets the session go")
	case s.Quiet != nil:
		w.state.Quiet = s.Quiet
		files = append(files, fmt.Sprintf("gate free %t, %d refused", s.Quiet.Free,
			len(s.Quiet.Refused)))
	case s.Close != nil:
		w.state.Quiet = &Quiet{}
	}
	if len(files) > 0 {
		w.say("%s", strings.Join(files, ", "))
	}
}

func (w *world) close(l *Iteration) {
	w.lines = append(w.lines, *l)
	w.state.Run, w.state.Tick = &l.Budget, nil
	w.known.Count, w.known.Calls, w.known.Dialogs = Count{}, nil, nil
	w.known.Marked, w.known.Around.PRs = false, nil
	w.known.Claim, w.known.Running, w.stale = attempt.Claim{}, RunningNow{}, false
	w.say("line %d: iteration %d %s, fired %v", l.Seq, l.Iteration, l.Outcome, l.Fired)
	for i, cause := range l.Fired {
		text, also := l.Budget.StopText, "Also: "+cause+" — "
		for _, note := range l.Notes {
			if after, ok := strings.CutPrefix(note, also); ok && i > 0 {
				text = after
			}
		}
		if c, _ := ConditionOf(cause); l.Budget.Status == Halted {
			w.say("  %s: %s", cmp.Or(c.Name, cause), text)
		}
	}
	if l.Own != nil {
		var own struct {
			Task, Try int
			Judgement attempt.Judgement
		}
		text, _ := codec.Encode(l.Own)
		decode(w, string(text), &own)
		w.say("  task %d.%d %s %s", own.Task, own.Try, own.Judgement.Verdict, own.Judgement.Why)
	}
	for _, text := range l.Notes {
		w.say("  note: %s", text)
	}
	for _, text := range l.Left {
		w.say("  left: %s", text)
	}
	w.say("run %s %s", l.Budget.Status, cmp.Or(l.Budget.StopText, "none"))
}

func (w *world) reply(r Reply) {
	if r.Refuse != "" {
		w.say("refuses: %s", r.Refuse)
	}
	var marks []string
	for name, on := range map[string]bool{
		"at its Stop": r.AtStop, "between iterations": r.Between, "draining": r.Draining,
		"wakes it again": r.Wakes,
	} {
		if on {
			marks = append(marks, name)
		}
	}
	if slices.Sort(marks); len(marks) > 0 {
		w.say("%s", strings.Join(marks, ", "))
	}
	if r.Answers != nil {
		w.answered(r.Answers)
	}
	if r.Deny != nil {
		w.say("refused: %s", r.Deny.Text)
		if r.Deny.Hint != "" {
			w.say("  hint: %s", r.Deny.Hint)
		}
		w.questions(r.Deny.Ask)
	}
	if r.Context != "" {
		w.say("for the model: %s", r.Context)
	}
	if r.Prompt != "" {
		w.say("sends the worker")
	}
	if c := r.Continue; c != nil {
		w.held = true
		w.say("holds the turn: %s", c.Name)
		if text, _, _ := strings.Cut(c.Text, "\n"); text != "" {
			w.say("  %s", text)
		}
		if !c.Until.IsZero() {
			w.say("  after %s", c.Until.Sub(w.now).Round(time.Second))
		}
		w.questions(c.Gates)
		for _, s := range c.Schedule {
			w.say("  remove: %s with %s", s.Prompt, s.End)
		}
	}
}

func (w *world) questions(gates []Gate) {
	for _, g := range gates {
		var options []string
		for _, o := range g.Options {
			options = append(options, o.Label)
		}
		w.say("  %s: %s (%s)", g.Name, g.Question, strings.Join(options, ", "))
	}
}

func (w *world) answered(a *Answered) {
	for _, one := range a.List {
		name := one.Gate.Name
		if name == "" {
			name = "a question of the skill's own"
		}
		w.say("%s: %q acts as %q", strings.TrimSpace(name+" "+one.Gate.Target), one.Text, one.As)
	}
	w.say("body begun: %v", a.Begun)
}

// enter asks for a tick in a prompt of its own, as "work --max-iterations 2".
func (w *world) enter(args string, r Request) {
	w.newPrompt()
	w.enterAgain(args, r)
}

// enterAgain asks in the prompt that is there.
func (w *world) enterAgain(args string, r Request) {
	skill, rest, _ := strings.Cut(args, " ")
	w.others[w.skill] = w.files
	w.skill = Skill(skill)
	w.files = w.others[w.skill]
	r.Command = Command{"sdd:" + skill, w.skill, strings.TrimSpace("--loop " + rest)}
	if w.skill == "task" {
		r.Command = Command{"sdd:go", w.skill, rest}
		if w.tasks != nil {
			r.Own, w.tasks = w.tasks, nil
		}
		w.entry.Attempt.Token = fmt.Sprintf("-n%d", w.prompts)
	}
	flags, _, err := ParseFlags(w.skill, r.Command.Args)
	if err != nil {
		w.say("error: %v", err)
		return
	}
	if w.skill == "task" && rest == "" && w.state.Run != nil &&
		!w.state.Run.Attempts().Done { // as the entry reads it
		flags.Resume = true
	}
	r.Now, r.SessionID, r.PromptID, r.Flags = w.now, w.client.session, w.prompt, flags
	r.Owner, r.Attended, r.Platform = Process{PID: w.client.pid}, !w.headless, "linux"
	r.RunID, r.Transcript = fmt.Sprintf("run%d", w.runs+1), w.client.session+".jsonl"
	r.UnderLoop = w.known.Around.UnderLoop
	r.Path, r.Other = "budget", w.beside
	if run := w.beside.Run; run != nil {
		r.OtherIs = w.liveness(run.Owner.PID)
	}
	w.invoke(Invocation{Request: r})
}

// invoke steps an entry until it is settled.
func (w *world) invoke(e Invocation) {
	k := Known{Redact: w.known.Redact}
	for range 8 {
		o := w.decide(e, &k)
		if o.Need != nil {
			k.Entry = Fetched(w.found(k.Mode))
			continue
		}
		if o.Save.Force != nil && k.Entry.Value == nil {
			w.t.Fatal("a lock is taken before it is known how the iteration begins")
		}
		w.entered(e, o)
		if o.Save.Enter != nil && w.rival != nil {
			w.lock, w.rival, o.Again = w.rival, nil, true
		}
		if o.Again {
			e.Cleared, k = e.Answers != nil, Known{Redact: k.Redact, Entry: k.Entry}
			continue
		}
		if o.Save.Enter != nil {
			w.begin(o.Save.Enter, k)
		}
		return
	}
	w.t.Fatal("the open tick never ends")
}

// found are the facts that an iteration begins with.
func (w *world) found(m Mode) EntryFacts {
	facts := w.entry
	facts.Mode, facts.Notes, facts.Gates = m, nil, nil
	if m == ResumeRun && w.previous() != nil {
		facts.Reattach(w.previous())
	}
	return facts
}

func (w *world) standing() Standing {
	s := Standing{Lock: w.lock}
	if s.Lock != nil {
		s.LockIs = w.liveness(s.Lock.PID)
	}
	if w.state.Run != nil {
		s.OwnerIs = w.liveness(w.state.Run.Owner.PID)
	}
	return s
}

// entered carries out what an entry came to, and says so.
func (w *world) entered(e Invocation, o Outcome) {
	if o.Save.Line != nil {
		w.lines = append(w.lines, *o.Save.Line)
		for _, text := range o.Save.Line.Notes[min(1, len(o.Save.Line.Notes)):] {
			w.say("note: %s", text)
		}
	}
	if o.Save.Claim != nil {
		w.state.Claim = o.Save.Claim
	}
	if o.Save.Force != nil {
		w.lock = nil
	}
	switch r := o.Reply; {
	case o.Abandon:
		if e.Answers == nil {
			w.say("closes first")
		}
		w.step(Abandoned{w.turn()})
	case r.Refuse != "":
		w.say("refused: %s", r.Refuse)
	case r.PassedOver != nil && r.PassedOver.Run != nil:
		w.say("never began: %s", r.PassedOver.Run.StopText)
	case r.PassedOver != nil:
		w.say("skipped: %s", o.Save.Line.Notes[0])
	case o.Wait:
		at := w.standing()
		at.Run, at.Tick = w.state.Run, w.state.Tick
		a := admit(e.Request, at)
		_, since := w.state.Claim.wait(e.Request)
		w.say("waits for pid %d in iteration %d since %s", a.PID, a.Iteration,
			since.Format("15:04"))
	case r.Force != nil:
		w.say("asks about pid %d in iteration %d", r.Force.PID, r.Force.Iteration)
		w.questions([]Gate{*w.state.Claim.Gate})
	case r.Context != "":
		w.say("for the model: %s", r.Context)
	case o.Nothing() && e.Answers != nil:
		w.say("nothing")
	case o.Nothing():
		w.say("already open")
	}
	if o.Unlock && w.lock != nil && w.lock.SessionID == w.client.session {
		w.lock = nil
	}
}

var modes = map[Mode]string{
	NextTick: "next tick", FreshRun: "fresh run", ResumeRun: "resumed run",
}

// begin takes the lock and opens the iteration.
func (w *world) begin(in *Entering, k Known) {
	w.say("%s, reaps %v", modes[in.Opens.Mode], in.Reap != nil)
	if in.Archive != nil && in.Archive == w.beside.Run {
		w.say("archives %s", in.Archive.RunID)
		w.beside = RunFile{}
	}
	if in.Opens.Mode == FreshRun {
		w.runs++
	}
	w.state.Run, w.state.Tick, w.lock = in.Run, nil, &in.Lock
	o := w.decide(in.Opens, &k)
	if o.Save.DropClaim || o.Save.Claim != nil {
		w.state.Claim = o.Save.Claim
	}
	if o.Save.Close != nil {
		o.Save.Claim, o.Save.DropClaim = nil, false
		w.carryOut(o)
		return
	}
	w.state.Run, w.state.Tick = o.Save.Run, o.Save.Tick
	tick := w.state.Tick
	w.say("iteration %d/%d, body %v", tick.Iteration, w.state.Run.Ceilings.Iterations, tick.Started)
	for _, text := range tick.Notes {
		w.say("  note: %s", text)
	}
	w.questions(tick.Pending)
}

// report is the skill's own `hooks report`.
func (w *world) report(args string) {
	var r Report
	decode(w, args, &r)
	r.DoNotMerge("do-not-merge")
	previous := w.previous()
	f := Look(w.state.Run, w.state.Tick, previous, w.now)
	c := Take(f, r)
	for _, fired := range c.Fired {
		w.say("fires %s: %s", fired.Cause, fired.Text)
	}
	if len(c.Due) > 0 {
		w.say("asks")
		w.questions(c.Due)
	}
	if len(c.Deferred) > 0 {
		w.say("defers %v", c.Deferred)
	}
	if over := w.state.Tick.PassOver(w.state.Run); len(over) > 0 {
		w.say("passes over %v", over)
	}
	if len(w.said) == 0 {
		w.say("taken")
	}
}

// dialog is a call of AskUserQuestion: it shows the questions that wait.
func (w *world) dialog(args string) {
	w.dialogs++
	d := Dialog{ID: fmt.Sprintf("d%d", w.dialogs), Forged: args == "forged"}
	gates := w.waiting()
	for _, g := range gates[:min(4, len(gates))] {
		if !d.Forged {
			d.Shown = append(d.Shown, g.Question)
		}
	}
	w.say("%s shows %d", d.ID, len(d.Shown))
	if w.forcing() {
		w.state.Claim.Dialogs = append(w.state.Claim.Dialogs, d)
		return
	}
	w.state.Tick.Dialogs = append(w.state.Tick.Dialogs, d)
}

func (w *world) forcing() bool { return w.state.Claim != nil && w.state.Claim.Gate != nil }

func (w *world) waiting() []Gate {
	if w.forcing() {
		return []Gate{*w.state.Claim.Gate}
	}
	return w.state.Tick.Pending
}

// answers reads "d1 GATE TEXT & GATE:TARGET TEXT". Without a dialog's id one is shown first; what
// is no gate's name is a question of the skill's own.
func (w *world) answers(args string) Answers {
	if first, rest, _ := strings.Cut(args, " "); strings.HasPrefix(first, "d") && len(first) == 2 {
		return w.given(first, rest)
	}
	w.dialog("")
	w.said = nil
	return w.given(fmt.Sprintf("d%d", w.dialogs), args)
}

func (w *world) given(id, args string) Answers {
	a := Answers{ID: id, Input: "{}"}
	for _, part := range strings.Split(args, " & ") {
		gate, text, _ := strings.Cut(part, " ")
		name, target, _ := strings.Cut(gate, ":")
		question := strings.ReplaceAll(name, "_", " ")
		for _, g := range w.waiting() {
			if g.Name == name && (target == "" || strings.ReplaceAll(g.Target, " ", "") == target) {
				question = g.Question
			}
		}
		a.List = append(a.List, DialogAnswer{question, text})
	}
	return a
}

func (w *world) answer(args string) {
	a := w.answers(args)
	if w.forcing() {
		w.force(a)
		return
	}
	w.step(Result{Turn: w.turn(), Event: afterTool, ID: a.ID, Input: a.Input, Answers: &a})
}

// afk is a dialog that ended by itself.
func (w *world) afk(args string) {
	a := w.answers(args)
	a.AFK = true
	if w.forcing() {
		w.force(a)
		return
	}
	w.step(Result{Turn: w.turn(), Event: afterTool, ID: a.ID, Input: a.Input, Answers: &a})
}

// heard is an answer that the transcript alone has.
func (w *world) heard(args string) {
	w.known.Dialogs = append(w.known.Dialogs, w.answers(args))
}

// force does what a person said of another iteration's lock.
func (w *world) force(a Answers) {
	c := w.state.Claim
	w.say("%q acts as %q", a.List[0].Text, c.Gate.Act(a.List[0].Text))
	flags, _, _ := ParseFlags(c.Skill, c.Args)
	r := Request{
		Now: w.now, SessionID: w.client.session, PromptID: w.prompt,
		Owner: Process{PID: w.client.pid}, Command: Command{c.Command, c.Skill, c.Args},
		Flags: flags, RunID: fmt.Sprintf("run%d", w.runs+1), Attended: !w.headless,
		Platform: "linux",
	}
	w.invoke(Invocation{Request: r, Answers: &a})
}

// result reads what a call brought, as "c1 failed worker=a1 opened#12 label#44=in-progress".
func (w *world) result(args string) Result {
	words := strings.Fields(args)
	r := Result{Turn: w.turn(), Event: afterTool, ID: words[0], Input: "{}"}
	for _, word := range words[1:] {
		name, value, _ := strings.Cut(word, "=")
		name, n, _ := strings.Cut(name, "#")
		pr, _ := strconv.Atoi(n)
		switch name {
		case "failed":
			r.Failed = true
		case "input":
			r.Input = value
		case "sent":
			r.Sent = true
		case "worker":
			r.Sent, r.Worker = true, value
		case "qmd":
			r.Qmd = value
		case "at":
			r.Now = w.now.Add(duration(value))
		default:
			e := Effect{PR: pr, Label: value}
			kinds := map[string]effect.Kind{
				"opened": effect.OpenPR, "commented": effect.Comment, "merged": effect.MergePR,
				"label": effect.SetLabel, "unlabel": effect.DropLabel,
			}
			switch kind, plain := kinds[name]; {
			case plain:
				e.Kind = kind
			case name == "landed":
				e.Kind, e.Landed = effect.MergePR, true
			case name == "replied":
				e.Kind, e.Issue = effect.Comment, true
			default:
				w.t.Fatalf("%q is no effect", word)
			}
			r.Effects = append(r.Effects, e)
		}
	}
	return r
}

// send is the call that sends a worker, as "44 45" names the issues of its task.
func (w *world) send(args string) {
	var issues []int
	for _, word := range strings.Fields(args) {
		issues = append(issues, number1(word))
	}
	w.calls(Call{Tool: "Task", ID: w.newCall(), Sends: &Task{Issues: issues}})
}

// merge is a call that merges a PR, as "142", "142 sha=def5678", "142 alone" or "142 id=c1".
func (w *world) merge(args string) {
	number, more, _ := strings.Cut(args, " ")
	act := effect.Act{Kind: effect.MergePR, PR: number1(number), Command: "gh pr merge " + number}
	w.acts(more, act)
}

// merging is what the tracker and the remote tell of PRs that are about to be merged, as
// "7 def5678 commented" or "7 def5678 quiet, 8 - gh failed": the number, the head, and who
// commented, or why that is not known.
func (w *world) merging(args string) {
	w.known.Merging = nil
	for one := range strings.SplitSeq(args, ", ") {
		words := append(strings.SplitN(one, " ", 3), "", "")
		p := Looked{PR: PR{Number: number1(words[0]), HeadSHA: strings.Trim(words[1], "-")}}
		switch said := words[2]; said {
		case "commented", "quiet":
			p.HumanFeedback = new(said == "commented")
		default:
			p.Unknown = said
		}
		w.known.Merging = append(w.known.Merging, p)
	}
}

// review is a call that posts a review, as "7" or "7 id=c1"; comment is one that posts less, and
// approve one that approves. The PR 0 is one that the call does not name.
func (w *world) review(args string) {
	number, more, _ := strings.Cut(args, " ")
	w.acts(more, effect.Act{Kind: effect.Comment, PR: number1(number), Review: true})
}

func (w *world) comment(args string) {
	number, more, _ := strings.Cut(args, " ")
	w.acts(more, effect.Act{Kind: effect.Comment, PR: number1(number)})
}

func (w *world) approve(args string) {
	number, more, _ := strings.Cut(args, " ")
	w.acts(more, effect.Act{Kind: effect.ApprovePR, PR: number1(number)})
}

// opens is a call that opens so many PRs, as "2" or "1 background".
func (w *world) opens(args string) {
	number, more, _ := strings.Cut(args, " ")
	for range number1(number) {
		w.known.Reading.Acts = append(w.known.Reading.Acts, effect.Act{Kind: effect.OpenPR})
	}
	w.calls(Call{Tool: "Bash", ID: w.newCall(), Background: more != ""})
	w.known.Reading = Reading{}
}

// acts is a call of the shell that does one thing.
func (w *world) acts(more string, act effect.Act) {
	e := Call{Tool: "Bash", ID: w.newCall()}
	for _, word := range strings.Fields(more) {
		switch name, value, _ := strings.Cut(word, "="); name {
		case "id":
			e.ID = value
		case "sha":
			act.SHA = value
		case "alone":
			e.Tool, act.Command = "merge", "merge("+act.Command+")"
		}
	}
	w.known.Reading = Reading{Acts: []effect.Act{act}}
	w.calls(e)
	w.known.Reading = Reading{}
}

func (w *world) newCall() string {
	w.tools++
	return fmt.Sprintf("call%d", w.tools)
}

// counted are notes of the count of what was spent.
func (w *world) counted(args string) { w.known.Count.Notes = strings.Split(args, " & ") }

// stop is the end of a turn. "twice" began before the last one was answered; "workers" leaves some
// behind; "dontask" is in a session that asks nothing.
func (w *world) stop(args string) {
	e := TurnEnd{
		Turn: w.turn(), First: !w.held, Began: w.now, Wall: w.now.Add(time.Second),
		Schedule: w.crons, DontAsk: args == "dontask",
	}
	if args == "workers" {
		if e.Working = []string{"a1"}; w.state.Tick != nil && len(w.state.Tick.Workers) > 0 {
			e.Working = w.state.Tick.Workers
		}
	}
	if args == "twice" {
		e.First, e.Began = true, w.now
	} else {
		w.now = w.now.Add(2 * time.Second)
		e.Began, e.Wall = w.now, w.now.Add(time.Second)
	}
	w.step(e)
}

func (w *world) typed(args string) {
	w.newPrompt()
	c, _ := ParsePrompt(args)
	e := PromptSubmit{
		Turn: w.turn(), Text: args, Stops: args == StopWord, Invokes: c.Skill, Expands: true,
	}
	if strings.HasPrefix(args, "<task-notification>") {
		e.Wakes = &Wakeup{}
	}
	w.step(e)
}

// expand is the second event of a prompt that is a command.
func (w *world) expand(args string) {
	defer func() { w.known.Sender = SenderPerson }()
	c, _ := ParsePrompt(args)
	w.step(PromptSubmit{Turn: w.turn(), Text: args, Stops: args == StopWord, Invokes: c.Skill})
}

// person is `hooks loop stop` in a terminal.
func (w *world) person(string) {
	turn := w.turn()
	if w.state.Run != nil {
		turn.Session = w.state.Run.SessionID
	}
	turn.Prompt = ""
	was := w.client
	w.client.session = turn.Session
	w.step(PersonStop{turn, "hooks loop stop"})
	w.client = was
}

// gate is `hooks gate answer` in a terminal, for a paused run.
func (w *world) gate(args string) {
	name, text, _ := strings.Cut(args, " ")
	name, target, _ := strings.Cut(name, ":")
	for i := range w.state.Run.Pending {
		g := &w.state.Run.Pending[i]
		if g.Name == name && (target == "" || strings.ReplaceAll(g.Target, " ", "") == target) {
			at := w.now
			g.Answer, g.At = text, &at
			w.say("recorded, understood %v", g.Understands(text))
			return
		}
	}
	w.say("no such gate waits")
}

// as turns to another session, as "s2 pid 200".
func (w *world) as(args string) {
	words := strings.Fields(args)
	w.client.session = words[0]
	if len(words) == 3 {
		w.client.pid = number1(words[2])
	}
	w.newPrompt()
}

// spend adds to what the transcripts have, as "$3 of opus".
func (w *world) spend(args string) {
	words := strings.Fields(args)
	amount, err := ParseUSD(strings.TrimPrefix(words[0], "$"))
	if err != nil {
		w.t.Fatal(err)
	}
	model := "opus"
	if len(words) == 3 {
		model = words[2]
	}
	s := &w.known.Count.Spent
	if s.ByModel = maps.Clone(s.ByModel); s.ByModel == nil {
		s.ByModel = map[string]Tokens{}
	}
	more := Tokens{
		Input: 10, Output: 5, CacheRead: 3, CacheWrite5m: 2, CacheWrite1h: 1, Dollars: amount,
	}
	s.ByModel[model] = s.ByModel[model].Add(more)
	s.Source = "built-in default"
	s.By = []Spender{{"main thread", model, amount}}
}

func (w *world) schedule(args string) {
	w.crons = nil
	for i, prompt := range strings.Split(args, " & ") {
		if prompt != "none" {
			next := w.now.Add([]time.Duration{10, 9, 11}[i] * time.Minute)
			w.crons = append(w.crons, Scheduled{prompt, next, fmt.Sprintf("CronDelete %d", i+1)})
		}
	}
}

// undated is a schedule whose first prompt has no time.
func (w *world) undated(args string) {
	w.schedule(args)
	w.crons[0].Next = time.Time{}
}

// lockOf is a lock of somebody, as "s9 pid 900 iteration 3", or of a run as "… run1".
func (w *world) lockOf(args string) *Lock {
	words := strings.Fields(args)
	lock := &Lock{
		SessionID: words[0], RunID: "run of " + words[0], Iteration: number1(words[4]),
		StartedAt: w.now, Skill: w.skill, Process: Process{PID: number1(words[2])},
	}
	if len(words) == 6 {
		lock.RunID = words[5]
	}
	return lock
}

// lose takes a file away: a run that is read from its last line, a lock, or a tick.
func (w *world) lose(args string) {
	switch args {
	case "run":
		b := w.lines[len(w.lines)-1].Budget
		w.state.Run = &b
	case "lock":
		w.lock = nil
	case "tick":
		w.state.Tick = nil
	}
}

// show gives fields of a file, as "run status pending_gates.0.name".
func (w *world) show(args string) {
	words := strings.Fields(args)
	var of any
	switch words[0] {
	case "run":
		of = w.state.Run
	case "tick":
		of = w.state.Tick
	case "claim":
		of = w.state.Claim
	case "lock":
		of = w.lock
	case "line":
		of = w.lines[len(w.lines)-1]
	}
	text, err := codec.Encode(of)
	if err != nil {
		w.t.Fatal(err)
	}
	if len(words) == 1 {
		w.say("%s", text)
	}
	for _, path := range words[1:] {
		var v any
		decode(w, string(text), &v)
		for _, key := range strings.Split(path, ".") {
			switch at := v.(type) {
			case map[string]any:
				v = at[key]
			case []any:
				if v = nil; number1(key) < len(at) {
					v = at[number1(key)]
				}
			}
		}
		value, _ := json.Marshal(v)
		w.say("%s %s", path, value)
	}
}

// explain is what `hooks explain` gives of every condition and gate that applies.
func (w *world) explain(args string) {
	f := Look(w.state.Run, w.state.Tick, w.previous(), w.now)
	for _, s := range slices.Concat(States(f), GateStates(f)) {
		switch {
		case args != "" && !slices.Contains(strings.Fields(args), s.Name):
		case !s.Applies:
			w.say("%s: does not apply", s.Name)
		case s.Holds != "":
			w.say("%s: holds: %s | %s", s.Name, s.Holds, s.Now)
		default:
			w.say("%s: %s", s.Name, s.Now)
		}
	}
}

// frozen is a copy that shares nothing with what it copies.
func frozen[T any](v T) T {
	return frozenValue(reflect.ValueOf(&v).Elem()).Interface().(T)
}

func frozenValue(v reflect.Value) reflect.Value { return mapped(v, frozenValue) }

// mapped is a copy of a value with its parts put through by.
func mapped(v reflect.Value, by func(reflect.Value) reflect.Value) reflect.Value {
	out := reflect.New(v.Type()).Elem()
	out.Set(v)
	switch kind := v.Kind(); {
	case kind == reflect.Pointer && !v.IsNil():
		out.Set(reflect.New(v.Type().Elem()))
		out.Elem().Set(by(v.Elem()))
	case kind == reflect.Interface && !v.IsNil():
		out.Set(by(v.Elem()))
	case kind == reflect.Slice && !v.IsNil():
		out.Set(reflect.MakeSlice(v.Type(), v.Len(), v.Len()))
		for i := range v.Len() {
			out.Index(i).Set(by(v.Index(i)))
		}
	case kind == reflect.Map && !v.IsNil():
		out.Set(reflect.MakeMap(v.Type()))
		for _, key := range v.MapKeys() {
			out.SetMapIndex(key, by(v.MapIndex(key)))
		}
	case kind == reflect.Struct:
		for i := range v.NumField() {
			if v.Type().Field(i).IsExported() {
				out.Field(i).Set(by(v.Field(i)))
			}
		}
	}
	return out
}

// sameKnown compares facts, of which a function cannot be compared.
func sameOutcome(a, b Outcome) bool {
	if a.Need == nil || b.Need == nil {
		return reflect.DeepEqual(a, b)
	}
	return sameKnown(*a.Need, *b.Need)
}

func sameKnown(a, b Known) bool {
	a.Redact, b.Redact = nil, nil
	return reflect.DeepEqual(a, b)
}
