package forge

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"github.com/tidwall/gjson"

	"hooks/internal/loop"
	"hooks/internal/tracker"
	"hooks/internal/tracker/backlog"
)

// names holds the gjson paths of fields in a forge's issues and PRs.
type names struct {
	number, body, label, milestone, login string
	draft, branch, base, head             string
	repo                                  string // repository or URL of a linked issue
}

// reader queries a tracker through its client program and parses the answers as issues and PRs.
type reader struct {
	loop.Tracker
	names
	Question
}

func (r *reader) issue(n gjson.Result) backlog.Issue {
	return backlog.Issue{
		Number: number(n.Get(r.number)), Title: text(n.Get("title")),
		Body:   bounded(n.Get(r.body), maxBody),
		Labels: texts(n.Get("labels"), r.label), Milestone: text(n.Get(r.milestone)),
		Assignees: texts(n.Get("assignees"), r.login),
	}
}

func (r *reader) pr(n gjson.Result) PR {
	p := PR{
		Number: number(n.Get(r.number)), Title: text(n.Get("title")),
		State: strings.ToLower(n.Get("state").Str), Draft: n.Get(r.draft).Bool(),
		Labels: texts(n.Get("labels"), r.label), Branch: text(n.Get(r.branch)),
		Base: text(n.Get(r.base)), HeadSHA: text(n.Get(r.head)),
		Closes: backlog.Closes(bounded(n.Get(r.body), maxBody), r.Tracker),
	}
	if p.State == "opened" || p.State == "locked" { // GitLab locks an MR while merging it
		p.State = "open"
	}
	return p
}

// fork records whether a PR's branch is in another repository. head is the name of the branch's
// repository, if known.
func (r *reader) fork(p *PR, fork bool, head gjson.Result) {
	p.Fork = fork
	own := tracker.RepositoryAt(cmp.Or(r.Origin, r.URL)).Repo
	p.Elsewhere = fork && (head.Str == "" || !strings.EqualFold(head.Str, own))
}

// ref returns a reference to an issue or PR in any repository. word is its state on the forge.
func (r *reader) ref(repo string, number int, word string) backlog.Ref {
	if strings.EqualFold(repo, r.Repo) {
		repo = ""
	}
	ref := backlog.Ref{Repo: strings.ToLower(repo), Number: number}
	switch strings.ToLower(word) {
	case "open", "opened":
		ref.State = backlog.Open
	case "closed", "merged", "locked":
		ref.State = backlog.Closed
	}
	return ref
}

// refs reads references to other issues. cut reports whether some are missing, because the login
// has no access to them or the list is incomplete.
func (r *reader) refs(l gjson.Result) (refs []backlog.Ref, cut bool) {
	rows := elements(l, "")
	cut = l.Get("totalCount").Int() > int64(len(rows))
	for _, n := range rows {
		repo := text(n.Get(r.repo))
		if _, address, ok := strings.Cut(repo, "://"); ok {
			_, path, _ := strings.Cut(address, "/")
			repo, _, _ = strings.Cut(path, "/-/")
		}
		if num := number(n.Get(r.number)); num > 0 {
			refs = append(refs, r.ref(repo, num, n.Get("state").Str))
		} else {
			cut = true
		}
	}
	return refs, cut
}

// number returns a positive integer of at most 1e9, or 0 for any other value. It accepts strings,
// because GitLab writes numbers as strings.
func number(r gjson.Result) int {
	if r.Type != gjson.Number && r.Type != gjson.String {
		return 0
	}
	n := r.Int()
	if n > 0 && n <= 1_000_000_000 && (r.Type == gjson.String || r.Num == float64(n)) {
		return int(n)
	}
	return 0
}

// maxText bounds titles, labels and names, and maxBody bounds bodies, in bytes.
const (
	maxText = 1000
	maxBody = 256 << 10
)

func text(r gjson.Result) string { return bounded(r, maxText) }

// bounded returns a string's value as valid UTF-8, cut to at most maxBytes, or an empty string
// for any other value.
func bounded(r gjson.Result, maxBytes int) string {
	switch {
	case r.Type != gjson.String:
		return ""
	case len(r.Str) > maxBytes:
		return strings.ToValidUTF8(r.Str[:maxBytes], "")
	}
	return strings.ToValidUTF8(r.Str, "\ufffd")
}

// elements returns the elements of an array, or of the nodes of a GraphQL connection. If field is
// not empty, it replaces each object among them with that field of the object.
func elements(r gjson.Result, field string) []gjson.Result {
	if r.IsObject() {
		r = r.Get("nodes")
	}
	if !r.IsArray() {
		return nil
	}
	out := r.Array()
	for i, e := range out {
		if field != "" && e.IsObject() {
			out[i] = e.Get(field)
		}
	}
	return out
}

// texts returns the non-empty strings among a list's elements.
func texts(r gjson.Result, field string) (out []string) {
	for _, e := range elements(r, field) {
		if s := text(e); s != "" {
			out = append(out, s)
		}
	}
	return out
}

// numbers returns the positive numbers among a list's elements.
func numbers(r gjson.Result, field string) (out []int) {
	for _, e := range elements(r, field) {
		out = append(out, number(e))
	}
	return slices.DeleteFunc(out, func(n int) bool { return n == 0 })
}

// moment returns an RFC 3339 time in UTC, or the zero time for any other value.
func moment(r gjson.Result) time.Time {
	t, _ := time.Parse(time.RFC3339, r.String())
	return t.UTC()
}
