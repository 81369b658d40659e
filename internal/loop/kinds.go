package loop

import (
	"slices"

	"hooks/internal/attempt"
)

// The registered kinds of loop, and all conditions and gates of this package and the kinds.
var (
	// Kinds lists the kinds in the order they are checked and displayed (R1). Package kind
	// registers them; this package does not refer to any kind by name.
	Kinds []Kind
	// Conditions is sorted by number. The first condition that holds is recorded as the cause, but
	// one that completes the run takes precedence.
	Conditions []Condition
	// Gates lists the gates in the order they ask: the specification's seven, then the kinds' own.
	Gates []GateKind
)

// Register sets Kinds to list, updates Conditions and Gates to match, and returns list.
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

// KindRun holds the run's kind-specific fields. Own is nil if the kind's iterations are not
// attempts, or if the run file has lost it.
type KindRun struct {
	Own Payload `json:"-"`
}

// KindLine holds the kind-specific fields of a history line. Own is nil if the iteration did not
// begin an attempt.
type KindLine struct {
	Own Record `json:"-"`
}

// Record is the part of a history line that describes the attempt, for display on pages.
type Record interface {
	Judged() *attempt.Judgement
	Context() string   // proof that its worker began with an empty context; see Attempt.Fresh
	Cells() []string   // values for the kind's Columns; nil without a task or phase
	Changes() []string // describes the findings that it opened and resolved
	// Cost identifies the attempt's row in the cost table by a task's number and title, or by a
	// phase's position among the kind's phases and its name.
	Cost(of Payload) (number int, title, phase string)
}

// Shown holds the facts that a kind needs to render its part of a page.
type Shown struct {
	Run   *Budget
	Tick  *Tick          // the open iteration, or nil
	Open  USD            // dollars spent in the open iteration so far
	Head  string         // HEAD in the run's worktree; empty if unknown or not needed
	Tried map[int]Record // each task's newest record by task number, if it has one
}

// Judged returns the attempt's judgement, or nil if there is none. l may be nil.
func (l *Iteration) Judged() *attempt.Judgement {
	if l == nil || l.Own == nil {
		return nil
	}
	return l.Own.Judged()
}

// Finder is a Payload that keeps its findings in a separate file. Otherwise ending an iteration
// would write all findings three times, and there may be 200 of them.
type Finder interface {
	Payload
	// Filed returns a pointer to the slice of findings, each a struct with the JSON field id, and
	// a pointer to the FilePart that the run uses.
	Filed() (findings any, part *FilePart)
}

// FilePart identifies a prefix of a file. After a crash the file may be longer.
type FilePart struct {
	Bytes int64  `json:"bytes,omitempty"`
	Sum   string `json:"sum,omitempty"` // hash of these bytes
}

// Confined restricts what programs may do in a run's current phase. The zero value allows
// everything. Any other value forbids pushing and opening PRs.
type Confined struct {
	During, Until string // name the phase and the end of the work in messages to people
	Reads         bool   // the phase only reads; git ignores settings that alter its output
	Writes        bool   // the phase may change the tree, but no branch except Branch
	Branch        string // "" if unknown
}

// RunOf returns the kind's own part of the run, or nil if b is nil or has another kind.
func RunOf[T any](b *Budget) (own *T) {
	if b != nil {
		own, _ = any(b.Own).(*T)
	}
	return own
}

// LineOf returns the kind's own part of the line, or nil if l is nil or has another kind.
func LineOf[T any](l *Iteration) (own *T) {
	if l != nil {
		own, _ = any(l.Own).(*T)
	}
	return own
}

// Part describes a field that a kind adds to a file by its name and a nil pointer of its type.
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
	Reviews bool // answers and approves PRs, one round per PR in each iteration
	OnePR   bool // accepts --pr N
	Prompts bool // repeats the prompt after --; its command exists only in the hooks namespace
	PRs     bool // works on PRs, so its runs have a PR ceiling
	Adopts  bool // may govern a person's own skill
	// Report is a JSON template for the report, and Fields describes its values. Tracked replaces
	// Fields if the tracker was asked for the backlog.
	Report, Fields, Tracked string
	// Owes returns a reason other than pending questions to keep the turn open before its iteration
	// ends, or nil. Owes itself may be nil. MaxHolds bounds how often a prompt's turn may be kept
	// open; values below two mean two.
	Owes     func(State) *Continue
	MaxHolds int
	// Commands lists commands that begin the kind's iterations without --loop in the namespaces
	// that ParseCommand accepts. If it is nil, the skill's name with --loop begins them.
	Commands []string
	Ceilings Ceilings // the kind's default ceilings; the zero value means Defaults
	Endless  bool     // --max-iterations 0 means no ceiling (A66)
	Idles    bool     // accepts --max-idle N
	Linked   bool     // runs only in a linked worktree, which its client treats as its project
	Alone    bool     // the model may not begin another loop in the same session (A68)
	// Silent means that the conducting thread may not ask a person or report; only its worker may.
	Silent bool
	// Driver is the command that starts one client for each iteration; empty if the kind has no
	// driver.
	Driver string
	// None is the message for a person who asks about a loop of this kind before any has run. If it
	// is empty, the kinds' common message is used.
	None string
	// Flags and Switches are the kind's additional flags, with and without a value.
	Flags, Switches []string
	// Conditions and Gates are the rows that the kind adds to the tables with those names. A row
	// without Applies uses the kind's Applies. Completes is the cause recorded when a run has done
	// all its work.
	Conditions []Condition
	Gates      []GateKind
	Applies    func(*Budget) bool
	Completes  string
	// Enter prepares a fresh run or lets the command resume the existing run. It is nil if the
	// kind's iterations are not attempts. If no run starts and that is not an error, said explains
	// why.
	Enter func(*Setup) (fresh Fresh, said string, err error)
	// Steer applies a person's command from a terminal, such as `hooks tasks add`, and describes
	// the result. The run may be nil. On error, nothing changes. InAgent is the error for a call
	// from inside the agent. Both are zero if the kind has no such commands.
	Steer   func(State, Steering) (said string, err error)
	InAgent string
	// Reported describes the changes made by a report that only the kind's own workers may send. It
	// returns "" for other reports, and an error if the open iteration may not send the report. sum
	// is the digest of the report's text. Reported is nil if the kind has no such reports.
	Reported func(s State, r Report, sum string) (said string, err error)
	// Run and Line describe the fields that the kind adds to a run and to a history line. They are
	// zero if it adds none.
	Run, Line Part
	// Columns holds the history's headings for Record.Cells. The first one is also the heading of
	// the costs grouped by attempts.
	Columns []string
	// Rule checks a tool call against the restrictions in the kind's iterations; nil if there are
	// none.
	Rule func(Call, State, *Known) Outcome
	// Confine returns the current phase's restrictions on programs; nil if the kind has none. field
	// looks up a path such as "phase" in the kind's part of the run file.
	Confine func(field func(path string) string) Confined
}

// Invoked returns the kind's own command, for example "/sdd:work".
func (k Kind) Invoked() string {
	switch {
	case k.Prompts:
		return "/hooks:" + k.Commands[0]
	case k.Commands != nil:
		return "/sdd:" + k.Commands[0]
	}
	return "/sdd:" + string(k.Name)
}

// KindOf returns the kind for a skill, or the zero Kind if the skill does not loop.
func KindOf(skill Skill) Kind {
	if k := first(Kinds, func(k Kind) bool { return k.Name == skill }); k != nil {
		return *k
	}
	return Kind{}
}

func (b *Budget) Kind() Kind { return KindOf(b.Skill) }
