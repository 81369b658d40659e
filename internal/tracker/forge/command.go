package forge

import (
	"cmp"
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/tidwall/gjson"

	"hooks/internal/child"
	"hooks/internal/tracker/backlog"
)

// command asks a configured program. It appends `issues` or `prs`, or `pr` and a number, to the
// configured arguments. The program prints one JSON object: {"issues": […]}, {"prs": […]} or {"pr":
// {…}}, with "partial": true if the list is incomplete. docs/configuration.md describes the fields.
type command struct{ reader }

func newCommand(r reader) *command {
	r.names = names{
		number: "number", body: "body", label: "name", milestone: "milestone", login: "login",
		draft: "draft", branch: "branch", base: "base", head: "head_sha",
	}
	return &command{r}
}

// ask runs the program. It resolves a relative program path against the project.
func (c *command) ask(ctx context.Context, words ...string) ([]byte, *Failure) {
	args := append(strings.Fields(c.Client), words...)
	if strings.ContainsRune(filepath.ToSlash(args[0]), '/') && !filepath.IsAbs(args[0]) {
		args[0] = filepath.Join(c.Project, args[0])
	}
	r, fail := c.run(ctx, child.Command{Args: args})
	return r.Out, fail
}

// rows requests a list.
func (c *command) rows(ctx context.Context, word string) printed {
	out, fail := c.ask(ctx, word)
	docs, torn := documents(out)
	switch {
	case fail != nil:
		return printed{fail: fail}
	case torn || len(docs) != 1 || !docs[0].Get(word).IsArray():
		says := fmt.Sprintf("no JSON object with a list %q", word)
		return printed{fail: &Failure{Why: Unreadable, Says: says}}
	}
	return printed{rows: docs[0].Get(word).Array(), whole: !docs[0].Get("partial").Bool()}
}

func (c *command) issues(ctx context.Context) list[backlog.Issue] {
	p := c.rows(ctx, "issues")
	p.rows = slices.DeleteFunc(p.rows, func(n gjson.Result) bool {
		return c.ref("", 0, n.Get("state").Str).State == backlog.Closed
	})
	return readList(p, c.number, func(n gjson.Result) backlog.Issue {
		i := c.issue(n)
		i.BlockedBy, i.Blocking = c.refs(n.Get("blocked_by")), c.refs(n.Get("blocking"))
		i.PRs = numbers(n.Get("prs"), c.number)
		return i
	})
}

// refs reads dependencies in the forms 5, "#5", "owner/repo#5" and
// {"ref": "owner/repo#5", "state": "open"}.
func (c *command) refs(r gjson.Result) (refs []backlog.Ref) {
	for _, e := range elements(r, "") {
		name := e
		if e.IsObject() {
			name = e.Get("ref")
		}
		repo, digits, ok := strings.Cut(name.String(), "#")
		if !ok {
			repo, digits = "", repo
		}
		if n, err := strconv.Atoi(digits); err == nil && n > 0 {
			refs = append(refs, c.ref(repo, n, e.Get("state").Str))
		}
	}
	return refs
}

func (c *command) pulls(ctx context.Context, _ bool) list[PR] {
	return readList(c.rows(ctx, "prs"), c.number, c.pr)
}

func (c *command) pull(ctx context.Context, n int) (PR, *Failure) {
	out, fail := c.ask(ctx, "pr", fmt.Sprint(n))
	return readOne(out, fail, "pr", c.pr)
}

func (c *command) pr(n gjson.Result) PR {
	p := c.reader.pr(n)
	p.State = cmp.Or(p.State, "open")
	p.Closes, p.CI = numbers(n.Get("closes"), c.number), ci(n.Get("ci").Str)
	c.fork(&p, n.Get("fork").Bool(), gjson.Result{})
	p.Cut = !n.Get("feedback").IsArray()
	for _, f := range elements(n.Get("feedback"), "") {
		kind := f.Get("kind").Str
		if kind != "review" && kind != "approval" {
			kind = "comment"
		}
		remark := Remark{At: moment(f.Get("at")), Kind: kind, Commit: text(f.Get("commit"))}
		c.remark(&p, text(f.Get("author")), f.Get("bot").Bool(), remark)
	}
	c.finish(&p)
	return p
}
