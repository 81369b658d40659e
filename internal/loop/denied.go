package loop

import (
	"hash/fnv"
	"slices"
	"strconv"
	"strings"
)

// The rules by which a tool call is refused. Rules lists them all; a Denial has no other.
const (
	MergeGate     = "merge-gate"     // a merge that no person approved, or can be asked about
	GateWaiting   = "gate-waiting"   // a question waits for a person
	DispatchRule  = "dispatch"       // a worker that may not be sent
	ScheduleRule  = "schedule"       // what would run after the iteration or the loop, or outside
	StateGuard    = "state-guard"    // the loop's own files, gates or registration
	UnreadText    = "unread-text"    // a call that cannot be read to its end
	PRCeiling     = "pr-ceiling"     // a PR past the ceiling, or one that cannot be counted
	DollarCeiling = "dollar-ceiling" // anything but finishing, past the ceiling and its overrun
	InProgress    = "in-progress"    // the label of an issue that another iteration works on
	DeferredRule  = "deferred"       // a target left to the next iteration, or skipped by a person
	UnnamedRule   = "unnamed-issue"  // a worker whose task names no issue, once an iteration
	ReviewRule    = "review-round"   // a second review of a PR in one iteration
	ConductRule   = "conduct"        // work in a thread that conducts, or a worker's question
	AuditRule     = "audit-phase"    // what a phase of an audit loop may not do
	DrainRule     = "drain"          // new work of a worker whose loop a person has ended
	EntryRule     = "entry"          // a looping skill that may not start
	OtherRule     = "other"          // refusals without a rule of their own, or beyond the bound
)

// Rules are the names of all rules, in the order in which they are documented.
func Rules() []string {
	return []string{
		MergeGate, GateWaiting, DispatchRule, ScheduleRule, StateGuard, UnreadText, PRCeiling,
		DollarCeiling, InProgress, DeferredRule, UnnamedRule, ReviewRule,
		ConductRule, AuditRule, DrainRule, EntryRule, OtherRule,
	}
}

// Bounds of what is kept of refusals.
const (
	// maxDenials bounds the entries; the last one counts what has no room.
	maxDenials = 50
	// maxWhat bounds the text of one, in bytes.
	maxWhat = 200
	// maxRefused bounds the calls that are remembered as refused: a second registration's hook
	// runs at the same time.
	maxRefused = 16
)

// Denial is a tool call that was refused, with how often.
type Denial struct {
	Tool  string `json:"tool"`
	Rule  string `json:"rule"` // one of Rules
	What  string `json:"what"` // redacted, at most 200 bytes
	Times int    `json:"times"`
}

// Deny notes a refusal. Its text is redacted already.
func (t *Tick) Deny(d Denial) { t.Denied = AddDenial(t.Denied, d) }

// AddDenial adds a refusal to a list: one of the same tool, rule and text counts up.
func AddDenial(list []Denial, d Denial) []Denial {
	d.Times = max(d.Times, 1)
	d.What = shortened(strings.Join(strings.Fields(d.What), " "), maxWhat)
	if !slices.Contains(Rules(), d.Rule) {
		d.Rule = OtherRule
	}
	same := func(o Denial) bool { return o.Tool == d.Tool && o.Rule == d.Rule && o.What == d.What }
	list = slices.Clone(list)
	i := slices.IndexFunc(list, same)
	if i < 0 && len(list) >= maxDenials-1 {
		d.Tool, d.Rule, d.What = "", OtherRule, "more refusals"
		i = slices.IndexFunc(list, same)
	}
	if i < 0 {
		return append(list, d)
	}
	list[i].Times += d.Times
	return list
}

// Refusals is how many calls were refused.
func Refusals(list []Denial) (n int) {
	for _, d := range list {
		n += d.Times
	}
	return n
}

// refuses records that a call is refused, and reports whether it was new: with two
// registrations of the hooks it comes twice.
func (t *Tick) refuses(id, input string) bool {
	if id == "" {
		return true
	}
	key := callKey(id, input)
	if slices.Contains(t.Refused, key) {
		return false
	}
	t.Refused = append(slices.Clone(t.Refused[max(0, len(t.Refused)-maxRefused+1):]), key)
	return true
}

// wasRefused reports whether a call was refused already.
func (t *Tick) wasRefused(id, input string) bool {
	return id != "" && slices.Contains(t.Refused, callKey(id, input))
}

// callKey identifies a call, also among calls of the same id.
func callKey(id, input string) string {
	sum := fnv.New64a()
	sum.Write([]byte(input))
	return id + " " + strconv.FormatUint(sum.Sum64(), 36)
}

func shortened(s string, most int) string {
	if len(s) <= most {
		return s
	}
	return strings.ToValidUTF8(s[:most-len("…")], "") + "…"
}
