package store

import (
	"fmt"
	"slices"
	"strings"

	"github.com/tidwall/gjson"

	"hooks/internal/loop"
)

// format is what a file must look like before any field of it is used.
type format struct {
	needs []need
	known []string // every top-level field; others are kept as they are
	// budget says that a missing field is reported in the words of R109.
	budget bool
}

// need is a required field and what it must be.
type need struct {
	name string
	is   kind
}

type kind byte

const (
	text kind = iota
	number
	list // or null: an empty list as some programs write it
	object
)

var budgetFormat = format{
	budget: true,
	needs: []need{
		{"started_at", text}, {"max_iterations", number}, {"max_prs", number}, {"max_minutes", number},
		{"max_dollars", number}, {"iterations_used", number}, {"prs_touched", list}, {"comments_pushed", number},
		{"merges_attempted", number}, {"minutes_elapsed", number}, {"tokens_in", number}, {"tokens_out", number},
		{"agents_dispatched", number}, {"dollars_estimate", number}, {"rate_table_source", text},
		{"qmd_failures_consecutive", number},
	},
	known: []string{
		"version", "run_id", "session_id", "skill", "started_at", "max_iterations", "max_prs",
		"max_minutes",
		"max_dollars", "iterations_used", "prs_touched", "comments_pushed", "merges_attempted",
		"minutes_elapsed",
		"tokens_in", "tokens_out", "agents_dispatched", "dollars_estimate", "rate_table_source",
		"qmd_failures_consecutive", "status", "stop_cause", "stop_text", "stop_detail",
		"single_pr", "seq",
		"tokens_by_model", "deferred_targets", "cursors", "flags", "command", "under_loop",
		"active_since", "clock", "clock_ahead", "slept",
		"minutes_before", "owner", "owner_left", "scheduled", "next_tick_at", "last_prompts",
		"blocks", "pending_gates",
		"carried_gates", "skipped_lines", "sealed_in", "receipts",
		"other_flags", "events_from", "failed_issues",
	},
}

var tickFormat = format{
	needs: []need{
		{"run_id", text}, {"session_id", text}, {"skill", text}, {"iteration", number}, {"started_at", text},
	},
	known: []string{
		"version", "run_id", "session_id", "skill", "iteration", "started_at", "prompts",
		"transcript", "unattended", "braked",
		"body", "draining", "interrupted", "failed", "fired", "pending", "answered", "given",
		"carry", "dialogs", "approvals",
		"counted_calls", "passed_merges", "denied", "denied_calls", "running", "dollars_told",
		"agents_dispatched", "workers", "taken", "prs_touched", "comments_pushed",
		"merges_attempted", "merges_of",
		"labels_set", "qmd_error", "qmd_unreachable", "asked", "tracked_prs", "worktrees",
		"deferred", "notes", "observed", "report", "reported", "replan", "reviews",
	},
}

var lockFormat = format{
	needs: []need{{"pid", number}, {"iteration", number}, {"started_at", text}, {"skill", text}},
	known: []string{
		"iteration", "started_at", "skill", "session_id", "run_id", "pid", "pid_start",
		"pid_source", "host",
	},
}

var claimFormat = format{
	needs: []need{{"session_id", text}, {"skill", text}, {"prompt_id", text}, {"since", text}},
	known: []string{
		"version", "session_id", "skill", "prompt_id", "command", "args", "since", "iteration",
		"gate", "dialogs",
		"stopped",
		"stop_text", "waiters", "blocked", "scheduled", "events_from", "heard",
	},
}

var lineFormat = format{
	needs: []need{
		{"iteration", number}, {"skill", text}, {"started_at", text}, {"ended_at", text}, {"outcome", text},
		{"budget_snapshot", object},
	},
	known: []string{
		"version", "run_id", "seq", "session_id", "iteration", "skill", "started_at",
		"ended_at", "outcome", "notes",
		"prs_touched_this_iter", "agents_dispatched_this_iter", "tokens_in_this_iter",
		"tokens_out_this_iter",
		"dollars_this_iter", "comments_pushed_this_iter", "merges_attempted_this_iter", "merges_of",
		"budget_snapshot",
		"tracked_prs", "active_worktrees", "gates", "stop_conditions_fired", "backlog_snapshot",
		"failures",
		"usage_by_model", "backlog_from_tracker", "plan", "taken", "facts", "qmd_error", "left",
		"skipped_for_pid",
		"skipped_lines", "observed", "denied", "overrun",
	},
}

// check says whether a text may be used. It looks at the whole text first: a parser of single fields would find them
// in a torn file too.
func (f *format) check(path string, body []byte) error {
	deep, minus := scan(body)
	if deep {
		return &DamagedError{Path: path, Why: fmt.Sprintf("it is nested over %d levels", maxNesting)}
	}
	if !gjson.ValidBytes(body) {
		return &DamagedError{Path: path, Why: "it is not valid JSON"}
	}
	root := gjson.ParseBytes(body)
	if !root.IsObject() {
		return &DamagedError{Path: path, Why: "it is not a JSON object"}
	}
	return f.checkObject(path, root, minus)
}

// checkObject is check for an object whose text was looked at; minus says that there may be a negative number in it.
func (f *format) checkObject(path string, root gjson.Result, minus bool) error {
	fields, why := f.fields(root, minus)
	if why != "" {
		return &DamagedError{Path: path, Why: why}
	}
	if err := checkVersion(path, fields.version); err != nil {
		return err
	}
	return f.checkNeeds(path, fields)
}

// maxNesting is the deepest value that a state file may hold; our own reach eight levels. The readers look at a byte
// once per level, so a file of brackets alone would hold a hook past its timeout.
const maxNesting = 64

// scan looks at what stands outside of strings, whether the text is JSON or not: brackets over brackets, and a minus.
func scan(body []byte) (deep, minus bool) {
	depth := 0
	for i := 0; i < len(body); i++ {
		switch body[i] {
		case '"':
			i = closing(body, i+1)
		case '{', '[':
			if depth++; depth > maxNesting {
				return true, minus
			}
		case '}', ']':
			depth--
		case '-':
			minus = true
		}
	}
	return false, minus
}

// closing is where the quote stands that ends a string's text.
func closing(body []byte, i int) int {
	for ; i < len(body) && body[i] != '"'; i++ {
		if body[i] == '\\' {
			i++
		}
	}
	return i
}

// fieldSet is a text's top-level fields: the known ones in their format's order, and the names of the others.
type fieldSet struct {
	known   []string
	raw     []string // "" where it is not there
	others  map[string]bool
	version gjson.Result // of a lock too, which this program writes none in
}

// of is the text of a field that the format needs, "" when it is not there.
func (s *fieldSet) of(name string) string {
	return s.raw[slices.Index(s.known, name)]
}

// fields are the top-level fields. One given twice, or one that differs from a known field only in case, would be read
// differently by different programs, so it is damage. minus says that there may be a negative number.
func (f *format) fields(root gjson.Result, minus bool) (set *fieldSet, why string) {
	set = &fieldSet{known: f.known, raw: make([]string, len(f.known))}
	next := 0 // what is written in the format's order is found at the first look
	root.ForEach(func(key, value gjson.Result) bool {
		name := key.String()
		if name == "version" {
			set.version = value
		}
		at := position(f.known, name, next)
		if at < 0 {
			why = set.foreign(name)
			return why == ""
		}
		next = at + 1
		switch {
		case set.raw[at] != "":
			why = fmt.Sprintf("field %s stands in it twice", name)
		case minus && name != "budget_snapshot" && negative(value): // the snapshot is checked as a budget
			why = fmt.Sprintf("field %s holds a negative number", name)
		}
		set.raw[at] = value.Raw
		return why == ""
	})
	return set, why
}

// foreign takes in the name of a field that this program does not know.
func (s *fieldSet) foreign(name string) (why string) {
	switch {
	case s.others[name]:
		return fmt.Sprintf("field %s stands in it twice", name)
	case slices.ContainsFunc(s.known, func(k string) bool { return strings.EqualFold(k, name) }):
		return fmt.Sprintf("field %s is spelled in another case", name)
	}
	if s.others == nil {
		s.others = map[string]bool{}
	}
	s.others[name] = true
	return ""
}

// position is where a name stands in a list, looked for from a place on, -1 where it does not.
func position(list []string, name string, from int) int {
	from = min(from, len(list))
	if i := slices.Index(list[from:], name); i >= 0 {
		return from + i
	}
	return slices.Index(list[:from], name)
}

// negative finds a number below zero at any depth: nothing the files count can be one. The sign of a number is its
// first byte, and nothing else outside of a string begins with one.
func negative(v gjson.Result) bool {
	switch {
	case v.Type == gjson.Number:
		return v.Num < 0
	case !v.IsObject() && !v.IsArray():
		return false
	}
	found := false
	v.ForEach(func(_, inner gjson.Result) bool {
		found = negative(inner)
		return !found
	})
	return found
}

// checkVersion takes a missing version for the first one, which the SPEC's own files are.
func checkVersion(path string, v gjson.Result) error {
	switch {
	case !v.Exists():
		return nil
	case v.Type != gjson.Number || v.Num < 1 || v.Num != float64(int64(v.Num)):
		return &DamagedError{Path: path, Why: fmt.Sprintf("version %s is not a whole number from 1", short(v.Raw))}
	case v.Num > loop.Version:
		return &NewerError{Path: path, Version: int64(v.Num)}
	}
	return nil
}

func (f *format) checkNeeds(path string, fields *fieldSet) error {
	for _, n := range f.needs {
		raw := fields.of(n.name)
		switch {
		case raw == "" && f.budget:
			return &DamagedError{Path: path, Missing: n.name, Why: "field " + n.name + " is missing"}
		case raw == "":
			return &DamagedError{Path: path, Why: "field " + n.name + " is missing"}
		case !n.is.matches(gjson.Parse(raw)):
			return &DamagedError{Path: path, Why: fmt.Sprintf("field %s is %s, not %s", n.name, short(raw), n.is)}
		}
	}
	return nil
}

func (k kind) matches(v gjson.Result) bool {
	switch k {
	case text:
		return v.Type == gjson.String
	case number:
		return v.Type == gjson.Number
	case list:
		return v.IsArray() || v.Type == gjson.Null
	}
	return v.IsObject()
}

func (k kind) String() string {
	return [...]string{"a string", "a number", "a list", "an object"}[k]
}

// short cuts a value for an error message.
func short(raw string) string {
	if len(raw) > 40 {
		return strings.ToValidUTF8(raw[:40], "") + "…"
	}
	return raw
}
