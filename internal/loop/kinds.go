package loop

import "slices"

// Kind is what one kind of loop has of its own. Everything else is the core's, and the same for
// all.
type Kind struct {
	Name    Skill
	Backlog bool // it takes issues from a backlog: plan, drift, and workers that name their issue
	Reviews bool // it answers and approves PRs, each one round an iteration
	OnePR   bool // it takes --pr N
	Prompts bool // it takes a person's prompt behind --, and is of this plugin alone
	Scope   Scope
	// Report is a line of JSON to fill in, Fields what each field of a report takes. Tracked is
	// Fields where the tracker was asked for the backlog.
	Report, Fields, Tracked string
	// Owes is what the kind holds the turn for before its iteration ends, beyond the questions that
	// wait; nil for nothing. MaxHolds bounds all holds of one prompt; 0 is two.
	Owes     func(State) *Continue
	MaxHolds int
	// Commands begin its iterations, only in a namespace of ours and without --loop; nil where the
	// skill's own name does, with --loop.
	Commands []string
	// Ticks is the command of the kind's ticks in the drive schedule, which older versions had.
	Ticks    string
	Ceilings Ceilings // of a run whose command names none; zero for Defaults
	Endless  bool     // --max-iterations 0 is no ceiling (A66)
	Idles    bool     // it takes --max-idle N
	Alone    bool     // the model begins no other loop in its session (A68)
	// Driver is the command that starts one client an iteration, "" for a kind that has none.
	Driver string
	// None is what a person reads who asks for such a loop where none has run, "" for the words of
	// every kind.
	None string
	// Flags and Switches are its own flags, with and without a value.
	Flags, Switches []string
	// Lost reports that a file has lost what the kind keeps beyond the core's; nil for nothing.
	Lost func(*Budget) bool
}

// Invoked is the kind's own command.
func (k Kind) Invoked() string {
	switch {
	case k.Prompts:
		return "/hooks:" + k.Commands[0]
	case k.Commands != nil:
		return "/sdd:" + k.Commands[0]
	}
	return "/sdd:" + string(k.Name)
}

const planFields = `"plan":[],"failures":[{"kind":"issue|pr","number":1,"cause":"…"}],` +
	`"prs":[{"number":1,"state":"open","branch":"…","head_sha":"…","new":true}],` +
	`"outcome":"ok|errored","note":"…"}`

// Kinds are the kinds of loop, in the order in which they are looked at and listed (R1).
var Kinds = []Kind{
	{
		Name: Work, Backlog: true, Scope: WorkRun, Owes: owesFacts, Idles: true,
		Report: `{"skill":"work","backlog":{"unblocked":[],"blocked":[],"in_progress":[]},` +
			`"plan":[],"failures":[],"prs":[],"outcome":"ok"}`,
		Fields: `{"backlog":{"unblocked":[],"blocked":[],"in_progress":[]},` +
			`"edges":[[blocker,blocked]],"issues":[{"number":1,"criteria":"ok|missing|tbd"}],` +
			planFields,
		Tracked: `{` + planFields,
	},
	{
		Name: Review, Reviews: true, OnePR: true, Scope: ReviewRun, Owes: owesFacts,
		Report: `{"skill":"review","prs":[{"number":142,"state":"open","branch":"…",` +
			`"head_sha":"…","human_feedback":false}],"failures":[],"comments_pushed":0,"outcome":"ok"}`,
		Fields: `{"prs":[{"number":1,"state":"open|merged|closed|do-not-merge","branch":"…",` +
			`"head_sha":"…","human_feedback":true}],` +
			`"failures":[{"kind":"pr","number":1,"cause":"…"}],"comments_pushed":0,` +
			`"outcome":"ok|errored","note":"…"}`,
	},
	{
		Name: Tasks, Commands: []string{"go", "start"}, Ticks: "task", Scope: TaskLoop,
		MaxHolds: 6,
		Ceilings: Ceilings{Iterations: 50, PRs: 20, Minutes: 480, Dollars: 25 * Dollar},
		Driver:   "hooks go",
		None: "no task loop in this project; start one with /sdd:go SPEC in a session, " +
			"or with `hooks go SPEC` here; modes pair and swarm run no loop",
		Flags: []string{"--tasks", "--check", "--check-timeout", "--drive", "--mode", "--issue",
			"--untidy", "--max-task-iterations", "--max-task-dollars", "--require"},
		Lost:   func(b *Budget) bool { return b.Tasks == nil },
		Report: `{"outcome":"ok","note":"…"}`,
		Fields: `{"outcome":"ok|errored","note":"…"}`,
	},
	{
		Name: Audit, Commands: []string{"audit"}, Ticks: "turn", Scope: AuditLoop, MaxHolds: 6,
		Ceilings: Ceilings{Iterations: minDefault, PRs: 20, Minutes: 480, Dollars: 25 * Dollar},
		Endless:  true, Alone: true,
		Driver:   "hooks go audit",
		Flags:    []string{"--check", "--check-timeout", "--drive", "--untidy"},
		Switches: []string{"--restart"},
		Lost:     func(b *Budget) bool { return b.Audit == nil },
		Report:   `{"findings":[],"resolved":[],"verdict":"clean"}`,
		Fields: `{"findings":[{"file":"a.go","line":1,"severity":"bug|warning","description":"…",` +
			`"scenario":"…"}],"resolved":["F1"],"verdict":"clean|dirty","note":"…"}`,
	},
	{
		Name: Do, Commands: []string{"do"}, Prompts: true, Scope: PromptLoop, Idles: true,
		Ceilings: Ceilings{Iterations: 50, PRs: 20, Minutes: maxUnits, Dollars: 25 * Dollar},
		None: "no prompt loop in this project; start one with " +
			"/loop 10m /hooks:do -- PROMPT in a session",
		Report: `{"outcome":"ok","note":"…"}`,
		Fields: `{"outcome":"ok|errored","failures":[{"kind":"issue|pr","number":1,"cause":"…"}],` +
			`"note":"…"}`,
	},
}

// owesFacts asks for the skill's report, which only the model can give.
func owesFacts(s State) *Continue {
	if s.Tick.Reported {
		return nil
	}
	return &Continue{Name: "facts"}
}

// KindOf returns a kind by its skill; the zero Kind for a skill that has none.
func KindOf(skill Skill) Kind {
	i := slices.IndexFunc(Kinds, func(k Kind) bool { return k.Name == skill })
	if i < 0 {
		return Kind{}
	}
	return Kinds[i]
}

// Skills are the names of all kinds, in their order.
func Skills() []Skill {
	list := make([]Skill, len(Kinds))
	for i, k := range Kinds {
		list[i] = k.Name
	}
	return list
}

// CountsPRs reports whether the run has a ceiling of PRs. A run that watches a single PR, or that
// works on something else than PRs, has none.
func (b *Budget) CountsPRs() bool {
	return b.SinglePR == 0 && b.Kind().Scope&^(WorkRun|ReviewRun) == 0
}

// Kind is the kind of the run.
func (b *Budget) Kind() Kind { return KindOf(b.Skill) }

// Scope is the kind of run that conditions and gates apply to.
func (b *Budget) Scope() Scope {
	if b.SinglePR != 0 {
		return SinglePR
	}
	kind := b.Kind()
	if kind.Lost != nil && kind.Lost(b) {
		return 0 // only what holds for every run
	}
	return kind.Scope
}
