package forge

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/tidwall/gjson"

	"hooks/internal/tracker/backlog"
)

// graphql asks a GraphQL forge through its own client, with the client's logins and hosts. A list
// is one call, in which the client follows the pages until a bound on time or output. Nothing is
// cached between iterations, because the update time of an issue does not change with its
// dependencies and PRs.
type graphql struct {
	reader
	where []string  // arguments that name the host and the repository
	one   [2]string // flag and name of the argument that holds a PR's number

	repository    string // path of the repository in an answer
	list, request string // names of the PRs and of one PR in the repository
	has           string // name of the field that reports whether issues are enabled

	issueQuery, pullsQuery, pullQuery string // with a %s for the fields
	issueFields                       []field
	prFields, lightFields, onePR      string

	readPR func(r *reader, p *PR, n gjson.Result) // reads fields that differ between forges
}

// field is a field of an issue that older servers may lack, with the rest of its query.
type field struct{ name, ask string }

func (g *graphql) args(query string, more ...string) []string {
	first, last := []string{g.Program(), "api", "graphql"}, []string{"-f", "query=" + query}
	return slices.Concat(first, g.where, more, last)
}

func (g *graphql) pages(ctx context.Context, name, query string) connection {
	out, fail := g.paged(ctx, g.args(query, "--paginate")...)
	return connected(out, fail, g.repository, name)
}

func (g *graphql) issues(ctx context.Context) list[backlog.Issue] {
	c := askKnown(g.issueFields, func(fields string) connection {
		return g.pages(ctx, "issues", fmt.Sprintf(g.issueQuery, fields))
	})
	if c.repo.Get(g.has).Type == gjson.False {
		c.whole, c.fail = false, &Failure{Why: NoIssues}
	}
	return readList(c.nodes, c.whole, c.fail, g.number, g.issue)
}

func (g *graphql) pulls(ctx context.Context, light bool) list[PR] {
	fields := g.prFields
	if light {
		fields = g.lightFields
	}
	c := g.pages(ctx, g.list, fmt.Sprintf(g.pullsQuery, fields))
	return readList(c.nodes, c.whole, c.fail, g.number, g.pr)
}

func (g *graphql) pull(ctx context.Context, n int) (PR, *Failure) {
	query := fmt.Sprintf(g.pullQuery, g.onePR)
	out, fail := g.run(ctx, g.args(query, g.one[0], fmt.Sprint(g.one[1], "=", n))...)
	return readOne(out, fail, g.repository, func(repo gjson.Result) PR {
		return g.pr(repo.Get(g.request))
	})
}

func (g *graphql) issue(n gjson.Result) backlog.Issue {
	i := g.reader.issue(n)
	for _, f := range g.issueFields {
		refs, cut := g.refs(n.Get(f.name))
		if i.Cut = i.Cut || cut; f.name != githubCloses {
			i.BlockedBy = append(i.BlockedBy, refs...)
			continue
		}
		for _, r := range refs {
			if r.Repo == "" && r.State == backlog.Open {
				i.PRs = append(i.PRs, r.Number)
			}
		}
	}
	return i
}

func (g *graphql) pr(n gjson.Result) PR {
	p := g.reader.pr(n)
	g.readPR(&g.reader, &p, n)
	g.finish(&p)
	return p
}

// connection holds the part of a list that a paged query returned.
type connection struct {
	repo  gjson.Result // the repository on the first page
	nodes []gjson.Result
	whole bool // no page, node or field is missing
	fail  *Failure
	// refused holds the server's error messages about the query.
	refused string
}

// connected joins the nodes of a list from all pages that a program printed.
func connected(out []byte, fail *Failure, repository, name string) connection {
	c := connection{fail: fail}
	docs, torn := documents(out)
	for i, d := range docs {
		if i == 0 {
			c.repo = d.Get(repository)
		}
		list := repository + "." + name
		page := d.Get(list + ".nodes")
		if !page.IsArray() {
			c.whole, c.fail = false, orFailure(fail, d)
			c.refused = c.fail.Says + "\n" + d.Get("errors.#.message").Raw
			return c
		}
		c.nodes = append(c.nodes, page.Array()...)
		failed := strings.Contains(d.Raw, `"errors"`) && d.Get("errors.#").Int() > 0
		c.whole = d.Get(list+".pageInfo.hasNextPage").Type == gjson.False && !failed
	}
	if torn || len(docs) == 0 {
		c.fail = orFailure(fail, gjson.Result{})
	}
	if c.fail != nil {
		c.whole, c.refused = false, c.fail.Says
	}
	return c
}

// askKnown requests all fields, and repeats the request without those that the server does not
// know.
func askKnown(fields []field, pages func(fields string) connection) connection {
	for {
		var asked string
		for _, f := range fields {
			asked += f.name + f.ask
		}
		c := pages(asked)
		known := slices.DeleteFunc(slices.Clone(fields), func(f field) bool {
			// GitHub: "Field 'x' doesn't exist on type 'Issue'", or "… doesn't accept argument 'y'"
			return strings.Contains(c.refused, "ield '"+f.name+"' doesn't ")
		})
		if c.fail == nil || len(c.nodes) > 0 || len(known) == len(fields) {
			return c
		}
		fields = known
	}
}

// readOne reads the single PR of an answer.
func readOne(out []byte, fail *Failure, path string, read func(gjson.Result) PR) (PR, *Failure) {
	docs, torn := documents(out)
	if torn || len(docs) != 1 {
		return PR{}, orFailure(fail, gjson.Result{})
	}
	p := read(docs[0].Get(path))
	if p.Number == 0 {
		return p, orFailure(fail, docs[0])
	}
	return p, nil
}
