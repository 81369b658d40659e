package loop

import (
	"slices"

	"hooks/internal/attempt"
)

// The registered kinds of loop, and the conditions and gates of this package and of those kinds.
var (
	// Kinds lists the kinds in the order in which they are checked and displayed (R1). Package kind
	// registers them; this package names no kind.
	Kinds []Kind
	// Conditions lists the conditions by number. The first that holds is recorded as the cause, but
	// a condition that completes the run comes before all others.
	Conditions []Condition
	// Gates lists the gates in the order in which they ask: the specification's seven, then those
	// of the kinds.
	Gates []GateKind
)

// Register sets Kinds to list, Conditions and Gates to match, and returns list.
func Register(list ...Kind) []Kind {
	Kinds = list
	Conditions, Gates = slices.Clone(conditions[:]), slices.Clone(gates[:])
	for _, k := range list {
		for _, c := range k.Conditions {
			if c.Applies == nil {
				c.Applies = k.Applies
			}
			Conditions = append(Conditions, c)
		}
		for _, g := range k.Gates {
			if g.Applies == nil {
				g.Applies = k.Applies
			}
			Gates = append(Gates, g)
		}
	}
	slices.SortFunc(Conditions, func(a, b Condition) int { return a.Number - b.Number })
	return list
}

// KindRun holds the fields that only the run's kind uses. Own is nil for a kind whose iterations
// are not attempts, and if the run's file has lost it.
type KindRun struct {
	Own Payload `json:"-"`
}

// KindLine holds the fields that only the run's kind uses in a history line. Own is nil if the
// iteration began no attempt.
type KindLine struct {
	Own Record `json:"-"`
}

// Record is an attempt's part of its history line. Its methods return the values that pages show.
type Record interface {
	Judged() *attempt.Judgement
	Context() string   // proof that its worker began with an empty context; see Attempt.Fresh
	Cells() []string   // its cells in the kind's Columns; nil if it belongs to no task or phase
	Changes() []string // the findings that it opened and resolved, in words
	// Cost returns the row of the cost table to which the attempt belongs: the number and title of
	// a task, or the name of a phase and its position among the kind's phases.
	Cost(of Payload) (number int, title, phase string)
}

// Shown holds the facts from which a kind draws its part of a page.
type Shown struct {
	Run   *Budget
	Tick  *Tick          // the open iteration, or nil
	Open  USD            // dollars that the open iteration has spent so far
	Head  string         // HEAD of the run's worktree; "" if unknown or not needed
	Tried map[int]Record // newest record by task number; a task may be missing
}

// Judged returns the judgement of the line's attempt, or nil if it has none. l may be nil.
func (l *Iteration) Judged() *attempt.Judgement {
	if l == nil || l.Own == nil {
		return nil
	}
	return l.Own.Judged()
}

// Finder is a Payload that keeps its findings in a separate file. Otherwise the end of an iteration
// would write every finding three times, even if there are 200 of them.
type Finder interface {
	Payload
	// Filed returns a pointer to the slice of findings, each a struct with the JSON field id, and
	// a pointer to the FilePart that the run uses.
	Filed() (findings any, part *FilePart)
}

// FilePart identifies the beginning of a file. After a crash the file may be longer.
type FilePart struct {
	Bytes int64  `json:"bytes,omitempty"`
	Sum   string `json:"sum,omitempty"` // hash of those bytes
}

// Confined holds the restrictions on programs in a run's current phase. The zero value has none.
// Any other value forbids pushing and opening PRs.
type Confined struct {
	During, Until string // names the phase and the end of the work in messages to people
	Reads         bool   // the phase only reads; git ignores settings that alter its output
	Writes        bool   // the phase may change the tree, but no branch except Branch
	Branch        string // "" if unknown
}

// RunOf returns the state that a kind adds to the run, or nil if b is nil or of another kind.
func RunOf[T any](b *Budget) (own *T) {
	if b != nil {
		own, _ = any(b.Own).(*T)
	}
	return own
}

// LineOf returns the fields that a kind adds to the line, or nil if l is nil or of another kind.
func LineOf[T any](l *Iteration) (own *T) {
	if l != nil {
		own, _ = any(l.Own).(*T)
	}
	return own
}

// Part is a field that a kind adds to a file: its name, and a nil pointer of its type.
type Part struct {
	Name string
	Of   any
}

// Variants yields the names and types that Own can have in a file.
func (KindRun) Variants(yield func(name string, of any) bool) {
	for _, k := range Kinds {
		if k.Run.Of != nil && !yield(k.Run.Name, k.Run.Of) {
			return
		}
	}
}

// Variants yields the names and types that Own can have in a file.
func (KindLine) Variants(yield func(name string, of any) bool) {
	for _, k := range Kinds {
		if k.Line.Of != nil && !yield(k.Line.Name, k.Line.Of) {
			return
		}
	}
}

// Kind holds everything that is specific to one kind of loop.
type Kind struct {
	Name    Skill
	Backlog bool // takes issues from a backlog by a plan, and each worker's task names its issue
	Reviews bool // answers and approves PRs, with one round for each PR in an iteration
	OnePR   bool // accepts --pr N
	Prompts bool // repeats a person's prompt after --; its command is in the namespace hooks only
	PRs     bool // works on PRs, so its runs have a ceiling of PRs
	Adopts  bool // may govern a person's own skill
	// Report is a JSON report to fill in, and Fields describes its values. Tracked replaces Fields
	// if the tracker was asked for the backlog.
	Report, Fields, Tracked string
	// Owes returns a reason, other than waiting questions, to keep the turn open before its
	// iteration ends, or nil. Owes itself may be nil. MaxHolds bounds how often the turn of one
	// prompt may be kept open; values below two mean two.
	Owes     func(State) *Continue
	MaxHolds int
	// Commands begin the kind's iterations without --loop, but only in the namespaces that
	// ParseCommand accepts. If it is nil, the skill's name with --loop begins them.
	Commands []string
	Ceilings Ceilings // default ceilings of the kind; the zero value means Defaults
	Endless  bool     // --max-iterations 0 means no ceiling (A66)
	Idles    bool     // accepts --max-idle N
	Linked   bool     // runs only in a linked worktree, which its client treats as its project
	Alone    bool     // in its session, the model may not begin another loop (A68)
	// Silent forbids the conducting thread to ask a person or to report; only its worker reports.
	Silent bool
	// Driver is the command that starts one client for each iteration; empty if the kind has no
	// driver.
	Driver string
	// None is the message for a person who asks about a loop of this kind before any has run; ""
	// for the message that all kinds share.
	None string
	// Flags and Switches are the kind's additional flags, with and without a value.
	Flags, Switches []string
	// Conditions and Gates are the kind's rows in the tables of those names. A row without Applies
	// uses the kind's Applies. Completes is the cause recorded when a run has done all its work.
	Conditions []Condition
	Gates      []GateKind
	Applies    func(*Budget) bool
	Completes  string
	// Enter prepares a fresh run, or lets the command resume the existing one; it is nil for a kind
	// whose iterations are not attempts. If no run starts and that is not an error, said explains
	// why.
	Enter func(*Setup) (fresh Fresh, said string, err error)
	// Steer applies a person's command from a terminal, such as `hooks tasks add`, and describes
	// the result. The run may be nil. On error, nothing changes. InAgent is the error for a call
	// from inside the agent. Both are zero if the kind has no such commands.
	Steer   func(State, Steering) (said string, err error)
	InAgent string
	// Reported describes the changes made by a report that only the kind's own workers may send. It
	// returns "" for any other report, and an error if the open iteration may not send it. sum is
	// the digest of the report's text. Reported is nil if the kind's workers send no such report.
	Reported func(s State, r Report, sum string) (said string, err error)
	// Run and Line name the fields that the kind adds to a run and to a line; they are zero if it
	// adds none.
	Run, Line Part
	// Columns names the cells that an attempt's record has in the history. The first one also names
	// the grouping of costs by attempts.
	Columns []string
	// Rule checks a tool call against the restrictions of the kind's iterations; nil if there are
	// no restrictions.
	Rule func(Call, State, *Known) Outcome
	// Confine returns the restrictions on programs in a run's current phase; nil if the kind has
	// none. field looks up a path, such as "phase", in the kind's part of the run's file.
	Confine func(field func(path string) string) Confined
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

// KindOf returns the kind of a skill, or the zero Kind if the skill does not loop.
func KindOf(skill Skill) Kind {
	if k := first(Kinds, func(k Kind) bool { return k.Name == skill }); k != nil {
		return *k
	}
	return Kind{}
}

func (b *Budget) Kind() Kind { return KindOf(b.Skill) }
