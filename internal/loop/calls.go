package loop

import (
	"hash/fnv"
	"slices"
	"strconv"
	"strings"
)

const (
	// maxCounted bounds the entries in Tick.Counted and Tick.Passed. A duplicate event arrives
	// within milliseconds of the original.
	maxCounted = 128
	// maxInput bounds the remembered input of a merging call, in bytes. A call with a longer input
	// is never recognized as a duplicate.
	maxInput = 4096
)

// Passed is a merging or approving call that was let through. It has used up its approval.
type Passed struct {
	ID    string `json:"id"`    // tool_use_id
	Input string `json:"input"` // tool_input as the client wrote it
	// PRs holds one PR or, in older files, all the call's PRs. HeadSHA is the commit that a person
	// approved for the merge, or "". The brake lets each PR pass once.
	PRs     []int  `json:"prs,omitempty"`
	HeadSHA string `json:"head_sha,omitempty"`
	// Done reports whether the call's result has arrived. After that, a call with the same id is a
	// new call.
	Done bool `json:"done,omitempty"`
	// Approves reports whether the call approves the PRs instead of merging them.
	Approves bool `json:"approves,omitempty"`
}

// countOnce counts a call at an event and reports whether the call is new. A call with a known id
// but different input is new, and so is any call without an id.
func (t *Tick) countOnce(event, id, input string) bool {
	if t.wasCounted(event, id, input) {
		return false
	}
	if id != "" {
		t.Counted = appendBounded(t.Counted, event+" "+callKey(id, input), maxCounted)
	}
	return true
}

// appendBounded returns list with item appended. It drops the oldest items beyond bound.
func appendBounded[T any](list []T, item T, bound int) []T {
	return append(slices.Clip(list[max(0, len(list)-bound+1):]), item)
}

// wasCounted reports whether a call was recorded at the event. It is false for a call without an
// id.
func (t *Tick) wasCounted(event, id, input string) bool {
	return id != "" && slices.Contains(t.Counted, event+" "+callKey(id, input))
}

// pass records a merging or approving call as let through.
func (t *Tick) pass(p Passed) {
	if p.ID == "" {
		return
	}
	if len(p.Input) > maxInput {
		p.Input = ""
	}
	t.Passed = appendBounded(t.Passed, p, maxCounted)
}

// Allows reports whether the call may still merge a PR at a commit. sha is "" if the call does not
// name the commit.
func (p Passed) Allows(pr int, sha string) bool {
	return !p.Done && slices.Contains(p.PRs, pr) &&
		(p.HeadSHA == "" || sha != "" && SameSHA(p.HeadSHA, sha))
}

// merging reports whether a call with this id was let through to merge or approve. same is true if
// it is certainly this call, because the input is the same and no result has arrived.
func (t *Tick) merging(id, input string) (known, same bool) {
	i := slices.IndexFunc(t.Passed, func(p Passed) bool { return p.ID == id })
	if id == "" || i < 0 {
		return false, false
	}
	return true, !t.Passed[i].Done && t.Passed[i].Input == input && input != ""
}

// shows reports whether the program put question into the dialog and its answers are not forged.
func (d Dialog) shows(question string) bool {
	return !d.Forged && slices.Contains(d.Shown, question)
}

// shown returns the index of the last dialog with this id, or -1. It prefers a dialog with forged
// answers.
func (t *Tick) shown(id string) int {
	at := -1
	for i, d := range t.Dialogs {
		if d.ID == id && (at < 0 || !t.Dialogs[at].Forged) {
			at = i
		}
	}
	return at
}

// Ended records that the result of a merging or approving call has arrived. It returns false if no
// such call was waiting for its result.
func (t *Tick) Ended(id string) (news bool) {
	for i := range t.Passed {
		if p := &t.Passed[i]; id != "" && p.ID == id && !p.Done {
			p.Done, news = true, true
		}
	}
	return news
}

// The rules that refuse tool calls. Rules lists them all, and every Denial names one of them.
const (
	MergeGate     = "merge-gate"     // a merge, an approval or another act that lands code
	GateWaiting   = "gate-waiting"   // a question waits for a person
	DispatchRule  = "dispatch"       // a worker that may not be started
	ScheduleRule  = "schedule"       // work after or outside the iteration or the loop
	StateGuard    = "state-guard"    // the loop's own files, gates or registration
	UnreadText    = "unread-text"    // a call that cannot be read completely
	PRCeiling     = "pr-ceiling"     // a PR past the ceiling, or one that cannot be counted
	DollarCeiling = "dollar-ceiling" // anything but finishing, past the ceiling and its overrun
	InProgress    = "in-progress"    // the label on an issue that another iteration is working on
	DeferredRule  = "deferred"       // a target left to the next iteration, or skipped by a person
	UnnamedRule   = "unnamed-issue"  // a worker whose task names no issue, once per iteration
	ReviewRule    = "review-round"   // a second review of a PR in one iteration
	ConductRule   = "conduct"        // work in a conducting thread, or a worker's question
	AuditRule     = "audit-phase"    // a call that a phase of an audit loop forbids
	DrainRule     = "drain"          // a worker's new work after its loop has ended
	EntryRule     = "entry"          // a looping skill that may not start
	OtherRule     = "other"          // refusals without a more specific rule, or beyond the bound
)

// Rules returns the names of all rules in the order of the documentation.
func Rules() []string {
	return []string{
		MergeGate, GateWaiting, DispatchRule, ScheduleRule, StateGuard, UnreadText, PRCeiling,
		DollarCeiling, InProgress, DeferredRule, UnnamedRule, ReviewRule,
		ConductRule, AuditRule, DrainRule, EntryRule, OtherRule,
	}
}

// Bounds on recorded refusals.
const (
	// maxDenials bounds the entries. The last one counts all further refusals.
	maxDenials = 50
	// maxWhat bounds an entry's text, in bytes.
	maxWhat = 200
)

// Deny records a refusal whose text is already redacted.
func (t *Tick) Deny(d Denial) { t.Denied = AddDenial(t.Denied, d) }

// AddDenial adds a refusal to a list. If the list has an entry with the same tool, rule and text,
// AddDenial increases its count. When the list is full, the last entry counts all others.
func AddDenial(list []Denial, d Denial) []Denial {
	d.Times = max(d.Times, 1)
	d.What = Shortened(strings.Join(strings.Fields(d.What), " "), maxWhat)
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

// Refusals returns the number of refused calls.
func Refusals(list []Denial) (n int) {
	for _, d := range list {
		n += d.Times
	}
	return n
}

// callKey identifies a call by its id and its input, because different calls may share an id.
func callKey(id, input string) string {
	sum := fnv.New64a()
	sum.Write([]byte(input))
	return id + " " + strconv.FormatUint(sum.Sum64(), 36)
}

// Shortened returns s, truncated with an ellipsis if it is longer than limit bytes.
func Shortened(s string, limit int) string {
	if len(s) <= limit {
		return s
	}
	return strings.ToValidUTF8(s[:limit-len("…")], "") + "…"
}
