package loop

import "slices"

// Kinds lists the kinds of loop in the order in which they are looked at and listed (R1). This
// package names none of them; package kind registers them.
var Kinds []Kind

// allConditions and allGates are the rows of this package and those of the registered kinds.
var (
	allConditions []Condition
	allGates      []GateKind
)

// Register makes list the kinds of loop, and returns it.
func Register(list ...Kind) []Kind {
	Kinds = list
	allConditions, allGates = slices.Clone(conditions[:]), slices.Clone(gates[:])
	for _, k := range list {
		for _, c := range k.Conditions {
			if c.Applies == nil {
				c.Applies = k.Applies
			}
			allConditions = append(allConditions, c)
		}
		for _, g := range k.Gates {
			if g.Applies == nil {
				g.Applies = k.Applies
			}
			allGates = append(allGates, g)
		}
	}
	slices.SortFunc(allConditions, func(a, b Condition) int { return a.Number - b.Number })
	return list
}

// KindRun holds the fields that only the kind of a run adds to it. Own is nil for a kind whose
// iterations are not attempts, and if the run's file has lost it.
type KindRun struct {
	Own Payload `json:"-"`
}

// KindLine holds the fields that only the kind of a run adds to a history line. Own is nil if the
// iteration began no attempt.
type KindLine struct {
	Own any `json:"-"`
}

// RunOf returns the state that a kind adds to the run, or nil for a run of another kind or none.
func RunOf[T any](b *Budget) (own *T) {
	if b != nil {
		own, _ = any(b.Own).(*T)
	}
	return own
}

// LineOf returns the fields that a kind adds to the line, or nil for a line of another kind or
// none.
func LineOf[T any](l *Iteration) (own *T) {
	if l != nil {
		own, _ = l.Own.(*T)
	}
	return own
}

// Part is a field that a kind adds to a file: its name, and a nil pointer of its type.
type Part struct {
	Name string
	Of   any
}

// Variants lists the names and types that Own has in a file.
func (KindRun) Variants(yield func(name string, of any) bool) {
	eachPart(func(k Kind) Part { return k.Run }, yield)
}

// Variants lists the names and types that Own has in a file.
func (KindLine) Variants(yield func(name string, of any) bool) {
	eachPart(func(k Kind) Part { return k.Line }, yield)
}

func eachPart(of func(Kind) Part, yield func(name string, of any) bool) {
	for _, k := range Kinds {
		if p := of(k); p.Of != nil && !yield(p.Name, p.Of) {
			return
		}
	}
}

// clone copies everything that a Step may change in place.
func (k KindRun) clone() KindRun {
	if k.Own != nil {
		k.Own = k.Own.Clone()
	}
	return k
}

// Stored returns the part as the run's file holds it.
func (k KindRun) Stored() KindRun {
	if k.Own != nil {
		k.Own = k.Own.Stored()
	}
	return k
}

// Kind holds everything that is specific to one kind of loop. Everything else is shared by all
// kinds.
type Kind struct {
	Name    Skill
	Backlog bool // it takes issues from a backlog: plan, drift, and workers that name their issue
	Reviews bool // it answers and approves PRs, each one round an iteration
	OnePR   bool // it takes --pr N
	Prompts bool // it takes a person's prompt behind --, and only in the namespace hooks
	PRs     bool // it works on PRs, so its runs have a ceiling of PRs
	Adopts  bool // it may govern a person's own skill
	// Report is a JSON report to fill in, and Fields describes its values. Tracked replaces Fields
	// if the tracker was asked for the backlog.
	Report, Fields, Tracked string
	// Owes returns the reason to hold the turn before its iteration ends, apart from waiting
	// questions, or nil. It is nil if the kind has no such reason. MaxHolds bounds all holds of a
	// prompt; 0 means two.
	Owes     func(State) *Continue
	MaxHolds int
	// Commands begin its iterations without --loop, but only in one of our namespaces. If it is
	// nil, the skill's own name with --loop begins them.
	Commands []string
	Ceilings Ceilings // of a run whose command names none; the zero value means Defaults
	Endless  bool     // --max-iterations 0 means no ceiling (A66)
	Idles    bool     // it takes --max-idle N
	Alone    bool     // the model may not begin another loop in its session (A68)
	// Silent reports whether a conducting thread asks no person and only its worker reports.
	Silent bool
	// Driver is the command that starts one client for each iteration; empty if the kind has no
	// driver.
	Driver string
	// None is the message for a person who asks about such a loop before one has run; "" for the
	// message that all kinds share.
	None string
	// Flags and Switches are its own flags, with and without a value.
	Flags, Switches []string
	// Conditions and Gates are its own rows of the two tables. Rows without an Applies take that of
	// the kind. Completes is the cause recorded when a run has done all of its work.
	Conditions []Condition
	Gates      []GateKind
	Applies    func(*Budget) bool
	Completes  string
	// Run and Line name the fields that it adds to a run and to a line; zero if it adds none.
	Run, Line Part
	// Rule checks a tool call against the restrictions of the kind's iterations; nil if there are
	// none.
	Rule func(Call, State, *Known) Outcome
}

// Invoked returns the kind's own command, as in "/sdd:work".
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
	return KindWith(func(k Kind) bool { return k.Name == skill })
}

// KindWith returns the first kind that is as asked for, or the zero Kind.
func KindWith(is func(Kind) bool) Kind {
	if k := first(Kinds, is); k != nil {
		return *k
	}
	return Kind{}
}

// Kind returns the kind of the run.
func (b *Budget) Kind() Kind { return KindOf(b.Skill) }
