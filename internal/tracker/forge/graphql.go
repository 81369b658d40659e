package forge

import (
	"context"
	"embed"
	"fmt"
	"slices"
	"strings"

	"github.com/tidwall/gjson"

	"hooks/internal/child"
	"hooks/internal/tracker/backlog"
)

// graphql asks a GraphQL forge through its own client, with the client's logins and hosts. A list
// takes one call, because the client requests all pages, within bounds on time and output. Nothing
// is cached between iterations, because an issue's update time does not change with its
// dependencies and PRs.
type graphql struct {
	reader
	where []string  // arguments that name the host and the repository
	one   [2]string // flag and name of the PR number argument

	repository    string // path to the repository in an answer
	list, request string // repository fields that hold the PRs and one PR
	has           string // repository field that reports whether issues are enabled

	issueFields []field
	light       string // PR fields that the backlog needs

	readPR func(r *reader, p *PR, n gjson.Result) // reads fields that differ between forges
}

// queries holds the queries for each forge. FIELDS stands for the fields that a query requests, and
// LAST for the number of remarks. In an issue, the body comes last, because gjson would have to
// scan it to reach a later field. pageInfo comes before any number, because glab does not find it
// after a number.
//
//go:embed queries
var queries embed.FS

// field is an issue field that some servers lack. ask is the query for its subfields.
type field struct{ name, ask string }

// text returns one of the forge's queries. value replaces FIELDS or LAST.
func (g *graphql) text(name, value string) string {
	text, _ := queries.ReadFile("queries/" + g.Kind + "/" + name + ".graphql")
	return strings.NewReplacer("FIELDS", value, "LAST", value).Replace(string(text))
}

func (g *graphql) args(query string, more ...string) []string {
	first, last := []string{Program(g.Tracker), "api", "graphql"}, []string{"-f", "query=" + query}
	return slices.Concat(first, g.where, more, last)
}

func (g *graphql) pages(ctx context.Context, name, query string) connection {
	// Idle bounds the time between two pages, and Wait the time for all of them.
	r, fail := g.run(ctx, child.Command{
		Args: g.args(query, "--paginate"), Wait: g.Wait + listMore, Idle: g.Wait,
	})
	return connected(r.Out, fail, g.repository, name)
}

func (g *graphql) issues(ctx context.Context) list[backlog.Issue] {
	c := askKnown(g.issueFields, func(fields string) connection {
		return g.pages(ctx, "issues", g.text("issues", fields))
	})
	if c.repo.Get(g.has).Type == gjson.False {
		c.whole, c.fail = false, &Failure{Why: NoIssues}
	}
	return readList(c.printed, g.number, g.issue)
}

func (g *graphql) pulls(ctx context.Context, light bool) list[PR] {
	fields := g.light
	if !light {
		fields = g.text("fields", "30")
	}
	return readList(g.pages(ctx, g.list, g.text("prs", fields)).printed, g.number, g.pr)
}

func (g *graphql) pull(ctx context.Context, n int) (PR, *Failure) {
	query := g.text("pr", g.text("fields", "100"))
	args := g.args(query, g.one[0], fmt.Sprint(g.one[1], "=", n))
	r, fail := g.run(ctx, child.Command{Args: args})
	return readOne(r.Out, fail, g.repository, func(repo gjson.Result) PR {
		return g.pr(repo.Get(g.request))
	})
}

func (g *graphql) issue(n gjson.Result) backlog.Issue {
	i := g.reader.issue(n)
	for _, f := range g.issueFields {
		refs, cut := g.refs(n.Get(f.name))
		i.BlockedBy, i.Cut = append(i.BlockedBy, refs...), i.Cut || cut
	}
	return i
}

func (g *graphql) pr(n gjson.Result) PR {
	p := g.reader.pr(n)
	g.readPR(&g.reader, &p, n)
	g.finish(&p)
	return p
}

// connection holds the rows of a GraphQL connection, from all pages that the client printed.
type connection struct {
	printed
	repo    gjson.Result // the repository on the first page
	refused string       // the server's error messages about the query
}

// connected reads the repository's connection called name from all pages that a program printed.
func connected(out []byte, fail *Failure, repository, name string) connection {
	c := connection{printed: printed{fail: fail}}
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
		c.rows = append(c.rows, page.Array()...)
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

// askKnown requests all fields, and repeats the request without fields that the server does not
// know.
func askKnown(fields []field, pages func(fields string) connection) connection {
	for {
		var asked string
		for _, f := range fields {
			asked += f.name + f.ask
		}
		c := pages(asked)
		known := slices.DeleteFunc(slices.Clone(fields), func(f field) bool {
			// GitHub: "Field 'x' doesn't exist on type 'Issue'"
			return strings.Contains(c.refused, "ield '"+f.name+"' doesn't ")
		})
		if c.fail == nil || len(c.rows) > 0 || len(known) == len(fields) {
			return c
		}
		fields = known
	}
}

// readOne reads the PR at path from an answer, which must be a single JSON value.
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
