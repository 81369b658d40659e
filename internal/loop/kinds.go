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

// KindRun holds what only the kind of a run adds to it. Own is nil for a kind whose iterations are
// no attempts, and for a run whose file has lost it.
type KindRun struct {
	Own Payload `json:"-"`
}

// KindLine holds what only the kind of a run adds to a line of its history. Own is nil for an
// iteration that began no attempt.
type KindLine struct {
	Own any `json:"-"`
}

// Part is a field that a kind adds to a file: its name, and a nil pointer of its type.
type Part struct {
	Name string
	Of   any
}

// Variants lists the names and types that Own has in a file.
func (KindRun) Variants(yield func(name string, of any) bool) {
	for _, k := range Kinds {
		if k.Run.Of != nil && !yield(k.Run.Name, k.Run.Of) {
			return
		}
	}
}

// Variants lists the names and types that Own has in a file.
func (KindLine) Variants(yield func(name string, of any) bool) {
	for _, k := range Kinds {
		if k.Line.Of != nil && !yield(k.Line.Name, k.Line.Of) {
			return
		}
	}
}

// clone copies what a Step may change in place.
func (k KindRun) clone() KindRun {
	if k.Own != nil {
		k.Own = k.Own.Clone()
	}
	return k
}

// Stored is the part as the run's file has it.
func (k KindRun) Stored() KindRun {
	if k.Own != nil {
		k.Own = k.Own.Stored()
	}
	return k
}

// Kind holds everything that is special to one kind of loop. The rest is the core's, and the same
// for all kinds.
type Kind struct {
	Name    Skill
	Backlog bool // it takes issues from a backlog: plan, drift, and workers that name their issue
	Reviews bool // it answers and approves PRs, each one round an iteration
	OnePR   bool // it takes --pr N
	Prompts bool // it takes a person's prompt behind --, and is of this plugin alone
	PRs     bool // it works on PRs, so that its runs have a ceiling of them
	// Report is a line of JSON to fill in; Fields describes the values of its fields. Tracked
	// replaces Fields if the tracker was asked for the backlog.
	Report, Fields, Tracked string
	// Owes returns the reason to hold the turn before its iteration ends, beyond waiting questions;
	// it is nil if the kind has no such reason. MaxHolds bounds all holds of a prompt; 0 means two.
	Owes     func(State) *Continue
	MaxHolds int
	// Commands begin its iterations, only in a namespace of ours and without --loop. It is nil if
	// the skill's own name begins them, with --loop.
	Commands []string
	Ceilings Ceilings // of a run whose command names none; zero for Defaults
	Endless  bool     // --max-iterations 0 is no ceiling (A66)
	Idles    bool     // it takes --max-idle N
	Alone    bool     // the model begins no other loop in its session (A68)
	// Silent says that a thread which conducts asks no person, and that only its worker reports.
	Silent bool
	// Driver is the command that starts one client for each iteration; empty if the kind has no
	// driver.
	Driver string
	// None is the message for a person who asks about such a loop before any has run; empty for the
	// message that all kinds share.
	None string
	// Flags and Switches are its own flags, with and without a value.
	Flags, Switches []string
	// Conditions and Gates are its own rows of the two tables. Those without an Applies of their
	// own take that of the kind. Completes is the cause by which a run that has done all of its
	// work ends.
	Conditions []Condition
	Gates      []GateKind
	Applies    func(*Budget) bool
	Completes  string
	// Run and Line are what it adds to a run and to a line; zero for nothing.
	Run, Line Part
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

// KindOf returns the kind of a skill, or the zero Kind if the skill has no loop.
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
