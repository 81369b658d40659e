package report

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"reflect"
	"slices"
	"strconv"
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
	r, err := readFacts(bytes.TrimPrefix(raw, []byte("\ufeff"))) // as some editors begin a file
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
		return r, fmt.Errorf("%s is %s, not %s", wrong.Field, got, inWords(wrong.Type))
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

// inWords names what a field takes, for a person.
func inWords(t reflect.Type) string {
	switch t.Kind() {
	case reflect.Pointer:
		return inWords(t.Elem())
	case reflect.Bool:
		return "true or false"
	case reflect.String:
		return "a text"
	case reflect.Int:
		return "a whole number"
	case reflect.Slice, reflect.Array:
		return "a list"
	case reflect.Struct:
		return "an object with fields"
	}
	return "what its schema says"
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

// reportKeys refuses what the decoder would let pass or not name: a field that the form does not
// have, one in other case, and one that stands twice, each by its path.
func reportKeys(raw []byte) error {
	if !gjson.ValidBytes(raw) {
		return nil // the decoder says what is wrong
	}
	return fieldsOf("", gjson.ParseBytes(raw), reflect.TypeFor[loop.Report]())
}

func fieldsOf(at string, v gjson.Result, t reflect.Type) (err error) {
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	list := t.Kind() == reflect.Slice || t.Kind() == reflect.Array
	switch {
	case v.Type == gjson.Null:
		return nil
	case !fits(t, v):
		return fmt.Errorf("%s is %s, not %s", at, v.Raw, inWords(t))
	case list:
		for i, item := range v.Array() {
			err = cmp.Or(err, fieldsOf(fmt.Sprintf("%s[%d]", at, i), item, t.Elem()))
		}
		return err
	case t.Kind() != reflect.Struct:
		return nil
	}
	seen := map[string]bool{}
	v.ForEach(func(key, value gjson.Result) bool {
		name := key.String()
		path := strings.TrimPrefix(at+"."+name, ".")
		f, known := fieldNamed(t, name)
		switch {
		case !known:
			err = fmt.Errorf("unknown field %q", path)
		case seen[name]:
			err = fmt.Errorf("%s stands twice", path)
		default:
			seen[name] = true
			err = fieldsOf(path, value, f.Type)
		}
		return err == nil
	})
	return err
}

// fits reports whether a value is of a field's type.
func fits(t reflect.Type, v gjson.Result) bool {
	switch t.Kind() {
	case reflect.Bool:
		return v.IsBool()
	case reflect.String:
		return v.Type == gjson.String
	case reflect.Int:
		_, err := strconv.Atoi(v.Raw)
		return err == nil
	case reflect.Slice, reflect.Array:
		return v.IsArray()
	}
	return v.IsObject()
}

func fieldNamed(t reflect.Type, name string) (f reflect.StructField, known bool) {
	for i := range t.NumField() {
		f = t.Field(i)
		if tag, _, _ := strings.Cut(f.Tag.Get("json"), ","); tag == name {
			return f, true
		}
	}
	return f, false
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
