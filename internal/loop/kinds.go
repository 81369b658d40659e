package loop

import "slices"

// The looping skills (R1, T1, A1).
const (
	Work   Skill = "work"
	Review Skill = "review"
	Tasks  Skill = "task"
	Audit  Skill = "audit"
	Do     Skill = "prompt"
)

// Kinds are the kinds of loop, in the order in which they are looked at and listed (R1). Only this
// file names them; each one has its own files beside it.
var Kinds = []Kind{workKind, reviewKind, taskKind, auditKind, promptKind}

// KindRun is what a run has beyond what every run has. At most one field is not nil.
type KindRun struct {
	Tasks *TaskRun  `json:"tasks,omitempty"`
	Audit *AuditRun `json:"audit,omitempty"`
}

// KindLine is what a history line has beyond what every line has. At most one field is not nil.
type KindLine struct {
	Task  *TaskLine  `json:"task,omitempty"`
	Audit *AuditLine `json:"audit,omitempty"`
}

// payload is nil for a kind whose iterations are no attempts, and for a run whose file has lost it.
func (k KindRun) payload() payload {
	switch {
	case k.Tasks != nil:
		return k.Tasks
	case k.Audit != nil:
		return k.Audit
	}
	return nil
}

// clone copies what a Step may change in place.
func (k KindRun) clone() KindRun {
	switch {
	case k.Tasks != nil:
		return KindRun{Tasks: k.Tasks.clone()}
	case k.Audit != nil:
		return KindRun{Audit: k.Audit.clone()}
	}
	return k
}

// Kind is what one kind of loop has of its own. Everything else is the core's, and the same for
// all.
type Kind struct {
	Name    Skill
	Backlog bool // it takes issues from a backlog: plan, drift, and workers that name their issue
	Reviews bool // it answers and approves PRs, each one round an iteration
	OnePR   bool // it takes --pr N
	Prompts bool // it takes a person's prompt behind --, and is of this plugin alone
	PRs     bool // it works on PRs, so that its runs have a ceiling of them
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
	// Silent says that a thread which conducts asks no person, and that only its worker reports.
	Silent bool
	// Driver is the command that starts one client an iteration, "" for a kind that has none.
	Driver string
	// None is what a person reads who asks for such a loop where none has run, "" for the words of
	// every kind.
	None string
	// Flags and Switches are its own flags, with and without a value.
	Flags, Switches []string
	// Conditions and Gates are its own rows of the two tables. Completes is the cause by which a
	// run that has done all of its work ends.
	Conditions []Condition
	Gates      []GateKind
	Completes  string
	// Rule holds a tool call against what an iteration of the kind may not do; nil for nothing.
	Rule func(Call, State, *Known) Outcome
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

// KindOf returns a kind by its skill; the zero Kind for a skill that has none.
func KindOf(skill Skill) Kind {
	i := slices.IndexFunc(Kinds, func(k Kind) bool { return k.Name == skill })
	if i < 0 {
		return Kind{}
	}
	return Kinds[i]
}

// Kind is the kind of the run.
func (b *Budget) Kind() Kind { return KindOf(b.Skill) }

// Skills are the names of all kinds, in their order.
func Skills() []Skill {
	list := make([]Skill, len(Kinds))
	for i, k := range Kinds {
		list[i] = k.Name
	}
	return list
}
