package forge

import (
	"fmt"
	"strings"

	"github.com/tidwall/gjson"

	"hooks/internal/tracker/backlog"
)

// issuesOf reads the issues of a forge that speaks GraphQL. query has a place for depends, fields that older servers do
// not have: those are asked again without. An issue that cannot be read is missing, so the list is not whole.
func issuesOf(pages func(query string) ([]gjson.Result, bool, *Failure), query, depends string, read func(gjson.Result) backlog.Issue) (
	issues []backlog.Issue, whole bool, fail *Failure,
) {
	nodes, whole, fail := pages(fmt.Sprintf(query, depends))
	if fail != nil && len(nodes) == 0 && strings.Contains(fail.Says, "doesn't exist on type") {
		nodes, whole, fail = pages(fmt.Sprintf(query, ""))
	}
	issues = make([]backlog.Issue, 0, len(nodes))
	for _, n := range nodes {
		if i := read(n); i.Number > 0 {
			issues = append(issues, i)
		} else {
			whole = false
		}
	}
	return once(issues), whole, fail
}
