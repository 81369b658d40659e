package backlog

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestCloses(t *testing.T) {
	for body, want := range map[string][]int{
		"":                             nil,
		"Fixes #5":                     {5},
		"fixes: #5.":                   {5},
		"(Closes #5)":                  {5},
		"Closes #1, #2 and #3; see #4": {1, 2, 3},
		"Closes #1 and resolves #2":    {1, 2},
		"It does not fix #5":           {5}, // the forges close it all the same
		"Implements issue #7":          {7},
		"Closes acme/app#8, other/x#9": {8},
		"**Closes**: https://github.com/acme/app/issues/3": {3},
		"prefixes #5, closest #6":                          nil,
		"Related to #5, fix it like #6":                    nil,
		"`Fixes #5`":                                       nil,
		"```\nFixes #5\n```\nfixed #6":                     {6},
		"<!-- Closes #5 -->":                               nil,
		"> Closes #5":                                      nil,
		"Größe\nFIXES #12":                                 {12},
	} {
		if d := cmp.Diff(want, Closes(body, home)); d != "" {
			t.Errorf("%q: %s", body, d)
		}
	}
}
