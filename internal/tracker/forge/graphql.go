package forge

import (
	"fmt"
	"slices"
	"strings"

	"github.com/tidwall/gjson"

	"hooks/internal/tracker/backlog"
)

// connection is what a paged query gave of one list. whole is false where a page, a node or a field is missing; fail says
// why, as far as anybody does.
type connection struct {
	root  gjson.Result // the repository as the first page tells it
	first gjson.Result // the list as the first page tells it
	nodes []gjson.Result
	whole bool
	fail  *Failure
	// refused is what the server found wrong with the query itself.
	refused string
}

// connected joins the nodes of a list over the pages that a program printed.
func connected(program string, out []byte, fail *Failure, root, name string) connection {
	c := connection{fail: fail}
	docs, torn := documents(out)
	for i, d := range docs {
		if i == 0 {
			c.root, c.first = d.Get(root), d.Get(root+"."+name)
		}
		list := d.Get(root + "." + name)
		page := list.Get("nodes")
		if !page.IsArray() {
			c.whole, c.fail = false, orFailure(fail, program, d)
			c.refused = c.fail.Says + "\n" + d.Get("errors.#.message").Raw
			return c
		}
		c.nodes = append(c.nodes, page.Array()...)
		c.whole = list.Get("pageInfo.hasNextPage").Type == gjson.False && !failed(d)
	}
	if torn || len(docs) == 0 {
		c.fail = orFailure(fail, program, gjson.Result{})
	}
	if c.fail != nil {
		c.refused = c.fail.Says
	}
	c.whole = c.whole && c.fail == nil
	return c
}

// failed says that an answer names errors.
func failed(doc gjson.Result) bool {
	return strings.Contains(doc.Raw, `"errors"`) && doc.Get("errors.#").Int() > 0
}

// field is a field of an issue that older servers may not have, with what is asked of it.
type field struct{ name, ask string }

// pagesOf asks a forge that speaks GraphQL. query has a place for fields that older servers do not
// have: a server that refuses some of them is asked again for the others.
func pagesOf(pages func(query string) connection, query string, newer []field) connection {
	for {
		var asked string
		for _, f := range newer {
			asked += f.name + f.ask
		}
		c := pages(fmt.Sprintf(query, asked))
		lacking := func(f field) bool { return c.lacks(f.name) }
		known := slices.DeleteFunc(slices.Clone(newer), lacking)
		if c.fail == nil || len(c.nodes) > 0 || len(known) == len(newer) {
			return c
		}
		newer = known
	}
}

// lacks says that the server does not have a field, or not with what is asked of it: GitHub says
// "Field 'x' doesn't exist on type 'Issue'" or "… doesn't accept argument 'y'", one a line.
func (c *connection) lacks(name string) bool {
	return strings.Contains(c.refused, "ield '"+name+"' doesn't ")
}

// issueList is what a source told of the open issues. total is how many there are, 0 where it did not say; note is what
// else a person should know.
type issueList struct {
	issues []backlog.Issue
	whole  bool
	total  int
	note   string
	fail   *Failure
}

// issues reads the list. An issue that cannot be read is missing, so the list is not whole.
func (c *connection) issues(total string, read func(gjson.Result) backlog.Issue) issueList {
	l := issueList{issues: make([]backlog.Issue, 0, len(c.nodes)), whole: c.whole, total: number(c.first.Get(total)), fail: c.fail}
	for _, n := range c.nodes {
		if i := read(n); i.Number > 0 {
			l.issues = append(l.issues, i)
		} else {
			l.whole = false
		}
	}
	l.issues = once(l.issues)
	return l
}

// pulls reads the list; one without a number is missing.
func (c *connection) pulls(read func(gjson.Result) PR) (prs []PR, whole bool, fail *Failure) {
	for _, n := range c.nodes {
		if p := read(n); p.Number > 0 {
			prs = append(prs, p)
		}
	}
	return prs, c.whole && len(prs) == len(c.nodes), c.fail
}

// one reads the single PR that an answer holds.
func one(program string, out []byte, fail *Failure, path string, read func(gjson.Result) PR) (PR, *Failure) {
	docs, torn := documents(out)
	if torn || len(docs) != 1 {
		return PR{}, orFailure(fail, program, gjson.Result{})
	}
	p := read(docs[0].Get(path))
	if p.Number == 0 {
		return p, orFailure(fail, program, docs[0])
	}
	return p, nil
}

// orFailure is what the program said, else what its answer says, else that it cannot be read.
func orFailure(fail *Failure, program string, doc gjson.Result) *Failure {
	if fail != nil {
		return fail
	}
	for _, path := range []string{"errors.0.message", "message", "error"} {
		if m := text(doc.Get(path), mostTitle); m != "" {
			return failure(program, nil, m)
		}
	}
	for _, path := range []string{"data.repository", "data.project"} {
		if r := doc.Get(path); r.Exists() && r.Type == gjson.Null {
			return &Failure{Why: NotFound, Program: program}
		}
	}
	return unreadable(program, "no answer in what it printed")
}
