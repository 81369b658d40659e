package report

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/tidwall/gjson"

	"hooks/internal/hint"
	"hooks/internal/loop"
)

// MostFacts bounds a skill's report, in bytes.
const MostFacts = 1 << 20

// Facts reads a skill's report, strictly: unknown fields and values are refused by name, so that a typing mistake is not a
// missing fact. Every error has its way out.
func Facts(raw []byte) (loop.Report, error) {
	if len(raw) > MostFacts {
		return loop.Report{}, hint.New("report in parts: lists merge by number", "the report is over %d bytes", MostFacts)
	}
	r, err := readFacts(raw)
	if err != nil {
		return loop.Report{}, hint.New("see `hooks schema report`", "%v", err)
	}
	return r, nil
}

func readFacts(raw []byte) (r loop.Report, err error) {
	if trimmed := bytes.TrimSpace(raw); len(trimmed) == 0 || trimmed[0] != '{' {
		return r, errors.New("the report is no JSON object")
	}
	if err := reportKeys(raw); err != nil {
		return r, err
	}
	d := json.NewDecoder(bytes.NewReader(raw))
	d.DisallowUnknownFields()
	err = d.Decode(&r)
	var wrong *json.UnmarshalTypeError
	switch {
	case errors.As(err, &wrong):
		got := cmp.Or(gjson.GetBytes(raw, wrong.Field).Raw, valueBefore(raw, wrong.Offset))
		return r, fmt.Errorf("%s is %s, which cannot be a %s", wrong.Field, got, wrong.Value)
	case err != nil:
		return r, fmt.Errorf("the report is not what its schema says: %v", strings.TrimPrefix(err.Error(), "json: "))
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return r, errors.New("something stands behind the JSON object on stdin")
	}
	if r.Qmd != nil && !gjson.GetBytes(raw, "qmd.unreachable").Exists() {
		return r, errors.New("qmd.unreachable is missing")
	}
	for i, e := range gjson.GetBytes(raw, "edges").Array() {
		if len(e.Array()) != 2 { // the decoder would drop a third number silently
			return r, fmt.Errorf("edges[%d] is %s, not a blocker and a blocked one", i, e.Raw)
		}
	}
	return r, checkReport(&r)
}

// valueBefore is the JSON value that ends at an offset, as the decoder names those inside of lists.
func valueBefore(raw []byte, end int64) string {
	const most = 200
	value := ""
	for i := end - 1; i >= max(0, end-most); i-- {
		if v := string(raw[i:end]); gjson.Valid(v) {
			value = strings.TrimSpace(v)
		} else if value != "" {
			break
		}
	}
	return cmp.Or(value, "wrong")
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

// checkReport names the first field whose value no report can have.
func checkReport(r *loop.Report) error {
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
	errs = append(errs, checkTexts(r))
	for i, p := range r.PRs {
		at := fmt.Sprintf("prs[%d]", i)
		errs = append(errs, positive(at+".number", p.Number), oneOf(at+".state", p.State, "open", "merged", "closed", "do-not-merge"))
	}
	for i, w := range r.Worktrees {
		if strings.TrimSpace(w.Path) == "" {
			errs = append(errs, fmt.Errorf("worktrees[%d].path is empty", i))
		}
	}
	if r.Comments != nil && *r.Comments < 0 {
		errs = append(errs, fmt.Errorf("comments_pushed is %d", *r.Comments))
	}
	return cmp.Or(errs...)
}

// checkTexts checks the note and the failures, whose causes go into questions and the history.
func checkTexts(r *loop.Report) error {
	var errs []error
	if len(r.Note) > mostText {
		errs = append(errs, fmt.Errorf("note has %d bytes, over %d", len(r.Note), mostText))
	}
	for i, f := range r.Failures {
		at := fmt.Sprintf("failures[%d]", i)
		if len(f.Cause) > mostText {
			errs = append(errs, fmt.Errorf("%s.cause has %d bytes, over %d", at, len(f.Cause), mostText))
		}
		errs = append(errs, positive(at+".number", f.Number), kind(at, f.Kind))
		if strings.TrimSpace(f.Cause) == "" {
			errs = append(errs, fmt.Errorf("%s.cause is empty", at))
		}
	}
	return cmp.Or(errs...)
}

// oneOf leaves it open whether a value is given at all.
func oneOf(field, value string, allowed ...string) error {
	if value != "" && !slices.Contains(allowed, value) {
		return fmt.Errorf("%s is %q, not one of %s", field, value, strings.Join(allowed, ", "))
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
