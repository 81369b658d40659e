package app

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"slices"
	"strings"

	"github.com/tidwall/gjson"

	"hooks/internal/hint"
	"hooks/internal/loop"
	"hooks/internal/report"
	"hooks/internal/store"
	"hooks/internal/tracker"
)

const mostReport = 1 << 20

// Report takes a skill's facts into the open iteration of the caller's session and answers what they changed. Bad
// input changes nothing.
func (a *App) Report(stdin io.Reader) (string, error) {
	raw, err := io.ReadAll(io.LimitReader(stdin, mostReport+1))
	if err != nil {
		return "", fmt.Errorf("read stdin: %w", err)
	}
	if len(raw) > mostReport {
		return "", hint.New("report in parts: lists merge by number", "the report is over %d bytes", mostReport)
	}
	facts, err := parseReport(raw)
	if err != nil {
		return "", err
	}
	v, err := a.visitor()
	if err != nil {
		return "", err
	}
	said := ""
	err = v.guarded(func(list []*thread) error {
		t, err := v.reporting(list, facts.Skill)
		if err != nil {
			return err
		}
		said, err = v.takeFacts(t, facts)
		return err
	})
	return said, err
}

// visitor opens the state for a command that a session's own tools run.
func (a *App) visitor() (*visit, error) {
	v := &visit{App: a, now: a.now()}
	v.ev.SessionID = a.Env("CLAUDE_CODE_SESSION_ID")
	v.project = tracker.Project(a.Env, a.cwd())
	files, err := store.Open(v.project)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, hint.New("a loop begins with a looping skill, as in /loop /sdd:work --loop", "no loop state in %s", v.project)
	}
	v.files = files
	return v, err
}

// cwd is where a command was typed.
func (a *App) cwd() string {
	dir, _ := os.Getwd()
	return dir
}

func (v *visit) reporting(list []*thread, skill loop.Skill) (*thread, error) {
	for _, t := range list {
		if t.open(v.ev.SessionID) && (skill == "" || skill == t.skill) {
			return t, nil
		}
	}
	return nil, hint.New("report while an iteration runs, from inside its session (CLAUDE_CODE_SESSION_ID)",
		"no open iteration of session %q in %s", v.ev.SessionID, v.project)
}

func (v *visit) takeFacts(t *thread, facts loop.Report) (string, error) {
	previous, err := v.previous(t.skill, t.Budget)
	if err != nil {
		return "", err
	}
	v.labelled(facts.PRs)
	deferred := len(t.Tick.Deferred)
	due, fired := loop.Take(loop.Look(t.Budget, t.Tick, previous, v.now), facts)
	if err := v.save(t); err != nil {
		return "", err
	}
	var out []string
	for _, f := range fired {
		out = append(out, fmt.Sprintf("condition %s holds: %s. Dispatch nothing, end the turn now.", f.Condition, f.Text))
	}
	if len(due) > 0 {
		out = append(out, report.Ask(due))
	}
	for _, d := range t.Tick.Deferred[deferred:] {
		out = append(out, report.Deferred(d))
	}
	for _, n := range t.Tick.InPlanTwice() {
		if !slices.Contains(t.Tick.Taken, atoi(n)) {
			out = append(out, n+" is in progress by another iteration: skip it and take the next workable issue; leave its label alone")
		}
	}
	if t.skill == loop.Review {
		out = append(out, t.Tick.Notes...)
	}
	if len(out) == 0 {
		out = append(out, fmt.Sprintf("recorded for iteration %d; no gate waits, no condition holds", t.Tick.Iteration))
	}
	return strings.Join(out, "\n"), nil
}

// labelled: a PR that carries the project's do-not-merge label has reached its terminal state (R21).
func (v *visit) labelled(prs []loop.PR) {
	label := v.config().DoNotMerge
	for i := range prs {
		carries := slices.ContainsFunc(prs[i].Labels, func(l string) bool { return strings.EqualFold(l, label) })
		if carries && (prs[i].State == "" || prs[i].State == "open") {
			prs[i].State = "do-not-merge"
		}
	}
}

func atoi(target string) int {
	n := 0
	fmt.Sscanf(target, "#%d", &n)
	return n
}

// parseReport is strict: unknown fields and values are refused by name, so that a typing mistake is not a missing
// fact.
func parseReport(raw []byte) (loop.Report, error) {
	const way = "see `hooks schema report`"
	var r loop.Report
	if trimmed := bytes.TrimSpace(raw); len(trimmed) == 0 || trimmed[0] != '{' {
		return r, hint.New(way, "the report is no JSON object")
	}
	if err := reportKeys(raw); err != nil {
		return r, hint.New(way, "%v", err)
	}
	d := json.NewDecoder(bytes.NewReader(raw))
	d.DisallowUnknownFields()
	err := d.Decode(&r)
	var wrong *json.UnmarshalTypeError
	if errors.As(err, &wrong) {
		return r, hint.New(way, "%s is %s, which cannot be a %s", wrong.Field, cmp.Or(gjson.GetBytes(raw, wrong.Field).Raw, "wrong"), wrong.Value)
	}
	if err != nil {
		return r, hint.New(way, "the report is not what its schema says: %v", strings.TrimPrefix(err.Error(), "json: "))
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return r, hint.New(way, "something stands behind the JSON object on stdin")
	}
	for i, e := range gjson.GetBytes(raw, "edges").Array() {
		if n := len(e.Array()); n != 2 { // the decoder would drop a third number silently
			return r, hint.New(way, "edges[%d] has %d numbers, not a blocker and a blocked one", i, n)
		}
	}
	if err := checkReport(&r); err != nil {
		return r, hint.New(way, "%v", err)
	}
	return r, nil
}

// reportKeys refuses what the decoder would let pass: a field in other case, and one that stands twice.
func reportKeys(raw []byte) (err error) {
	known := []string{"skill", "backlog", "edges", "issues", "plan", "failures", "prs", "worktrees", "comments_pushed", "qmd", "outcome", "note"}
	seen := map[string]bool{}
	if !gjson.ValidBytes(raw) {
		return nil // the decoder says what is wrong
	}
	gjson.ParseBytes(raw).ForEach(func(key, _ gjson.Result) bool {
		switch name := key.String(); {
		case !slices.Contains(known, name):
			err = fmt.Errorf("unknown field %q", name)
		case seen[name]:
			err = fmt.Errorf("%s stands twice", name)
		default:
			seen[name] = true
		}
		return err == nil
	})
	return err
}

// mostText bounds each text of a report, in bytes: it goes into questions, status blocks and the history.
const mostText = 4000

func checkReport(r *loop.Report) error {
	oneOf := func(field, value string, allowed ...string) error {
		if value != "" && !slices.Contains(allowed, value) {
			return fmt.Errorf("%s is %q, not one of %s", field, value, strings.Join(allowed, ", "))
		}
		return nil
	}
	errs := []error{oneOf("skill", string(r.Skill), "work", "review"), oneOf("outcome", string(r.Outcome), "ok", "errored")}
	if r.Backlog != nil {
		for field, list := range map[string][]int{"unblocked": r.Backlog.Unblocked, "blocked": r.Backlog.Blocked, "in_progress": r.Backlog.InProgress} {
			errs = append(errs, positive("backlog."+field, list...))
		}
	}
	errs = append(errs, positive("plan", r.Plan...))
	for _, e := range r.Edges {
		errs = append(errs, positive("edges", e[:]...))
	}
	for i, issue := range r.Issues {
		errs = append(errs, positive(fmt.Sprintf("issues[%d].number", i), issue.Number),
			oneOf(fmt.Sprintf("issues[%d].criteria", i), issue.Criteria, "ok", "missing", "tbd"))
	}
	if len(r.Note) > mostText {
		errs = append(errs, fmt.Errorf("note has %d bytes, over %d", len(r.Note), mostText))
	}
	for i, f := range r.Failures {
		if len(f.Cause) > mostText {
			errs = append(errs, fmt.Errorf("failures[%d].cause has %d bytes, over %d", i, len(f.Cause), mostText))
		}
		at := fmt.Sprintf("failures[%d]", i)
		errs = append(errs, positive(at+".number", f.Number), kind(at, f.Kind))
		if strings.TrimSpace(f.Cause) == "" {
			errs = append(errs, fmt.Errorf("%s.cause is empty", at))
		}
	}
	for i, p := range r.PRs {
		at := fmt.Sprintf("prs[%d]", i)
		errs = append(errs, positive(at+".number", p.Number), oneOf(at+".state", p.State, "open", "merged", "closed", "do-not-merge"))
	}
	if r.Comments != nil && *r.Comments < 0 {
		errs = append(errs, fmt.Errorf("comments_pushed is %d", *r.Comments))
	}
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}

func positive(field string, list ...int) error {
	for _, n := range list {
		if n < 1 {
			return fmt.Errorf("%s holds %d, numbers start at 1", field, n)
		}
	}
	return nil
}

func kind(at, value string) error {
	switch value {
	case "issue", "pr":
		return nil
	case "":
		return fmt.Errorf("%s.kind is missing", at)
	}
	return fmt.Errorf("%s.kind is %q, not one of issue, pr", at, value)
}
