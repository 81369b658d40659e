package loop

import (
	"slices"
	"strings"
)

const (
	// maxCounted bounds the calls that are remembered: a duplicate comes within milliseconds of
	// the first.
	maxCounted = 128
	// maxInput bounds the input of a merging call that is remembered, in bytes; a longer one is
	// never the same again.
	maxInput = 4096
)

// Passed is a call that merges and was let through: its approval is used up.
type Passed struct {
	ID    string `json:"id"`    // tool_use_id
	Input string `json:"input"` // tool_input as the client wrote it
	// PRs is the one that it merges, and HeadSHA the commit at which a person approved that. In
	// older files a call has them all. The brake lets each PR pass once.
	PRs     []int  `json:"prs,omitempty"`
	HeadSHA string `json:"head_sha,omitempty"`
	// Done says that its result has come, so whatever carries its id now is another call.
	Done bool `json:"done,omitempty"`
	// Approves says that the call approves the PRs and does not merge them.
	Approves bool `json:"approves,omitempty"`
}

// countOnce records a call that is about to be counted at an event, and reports whether it is new.
// Another input is another call, whatever its id. A call without an id is always new.
func (t *Tick) countOnce(event, id, input string) bool {
	if id == "" {
		return true
	}
	key := event + " " + callKey(id, input)
	if t.wasCounted(event, id, input) {
		return false
	}
	t.Counted = append(t.Counted[max(0,
		len(t.Counted)-maxCounted+1):len(t.Counted):len(t.Counted)], key)
	return true
}

// wasCounted reports whether a call with an id was recorded.
func (t *Tick) wasCounted(event, id, input string) bool {
	return id != "" && slices.Contains(t.Counted, event+" "+callKey(id, input))
}

// pass notes a merging call that is let through.
func (t *Tick) pass(p Passed) {
	if p.ID == "" {
		return
	}
	if len(p.Input) > maxInput {
		p.Input = ""
	}
	t.Passed = append(t.Passed[max(0, len(t.Passed)-maxCounted+1):len(t.Passed):len(t.Passed)], p)
}

// Allows reports whether the call may still merge a PR at a commit, "" for one that is not named.
func (p Passed) Allows(pr int, sha string) bool {
	return !p.Done && slices.Contains(p.PRs, pr) &&
		(p.HeadSHA == "" || sha != "" && SameSHA(p.HeadSHA, sha))
}

// merging reports whether a call of this id was let through to merge, and whether it is provably
// this very call: the same input, and no result yet.
func (t *Tick) merging(id, input string) (known, same bool) {
	i := slices.IndexFunc(t.Passed, func(p Passed) bool { return p.ID == id })
	if id == "" || i < 0 {
		return false, false
	}
	return true, !t.Passed[i].Done && t.Passed[i].Input == input && input != ""
}

// Equal reports whether both are records of the same call.
func (d Dialog) Equal(o Dialog) bool {
	return d.ID == o.ID && d.Forged == o.Forged && d.Done == o.Done &&
		slices.Equal(d.Shown, o.Shown)
}

// shows reports whether the program put a question into the call.
func (d Dialog) shows(question string) bool {
	return !d.Forged && slices.Contains(d.Shown, question)
}

// shown is the index of the dialog of this id that was shown last, preferring a forged one; -1
// without one.
func (t *Tick) shown(id string) int {
	at := -1
	for i, d := range t.Dialogs {
		if d.ID == id && (at < 0 || !t.Dialogs[at].Forged) {
			at = i
		}
	}
	return at
}

// Ended notes that the result of a merging or approving call has come, and reports whether it was
// new.
func (t *Tick) Ended(id string) (news bool) {
	for i := range t.Passed {
		if p := &t.Passed[i]; id != "" && p.ID == id && !p.Done {
			p.Done, news = true, true
		}
	}
	return news
}

// heardOf reports whether an event of this call was counted, or may have been: of very many calls
// the oldest are forgotten.
func (t *Tick) heardOf(id string) bool {
	return id == "" || len(t.Counted) >= maxCounted ||
		slices.ContainsFunc(t.Counted, func(key string) bool {
			return strings.Contains(key, " "+id+" ")
		})
}
