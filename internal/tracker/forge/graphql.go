package forge

import (
	"fmt"
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
			return c
		}
		c.nodes = append(c.nodes, page.Array()...)
		c.whole = list.Get("pageInfo.hasNextPage").Type == gjson.False && !failed(d)
	}
	if torn || len(docs) == 0 {
		c.fail = orFailure(fail, program, gjson.Result{})
	}
	c.whole = c.whole && c.fail == nil
	return c
}

// failed says that an answer names errors.
func failed(doc gjson.Result) bool {
	return strings.Contains(doc.Raw, `"errors"`) && doc.Get("errors.#").Int() > 0
}

// pagesOf asks a forge that speaks GraphQL. query has a place for fields that older servers do not have: those are asked
// again without.
func pagesOf(pages func(query string) connection, query, newer string) connection {
	c := pages(fmt.Sprintf(query, newer))
	if c.fail != nil && len(c.nodes) == 0 && (strings.Contains(c.fail.Says, "doesn't exist on type") || strings.Contains(c.fail.Says, "doesn't accept argument")) {
		return pages(fmt.Sprintf(query, ""))
	}
	return c
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
