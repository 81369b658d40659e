package forge

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// R99, R102: feedback is settled by its author's own approval of the very head, given after it,
// where the head has not moved since the previous iteration and the approval is not by the login
// that the loop uses itself.
func TestReviewed(t *testing.T) {
	const head = "def5678def5678def5678def5678def5678def56"
	review := func(login, at, state, commit string, own bool) string {
		return fmt.Sprintf(
			`{"submittedAt":%q,"state":%q,"body":"","viewerDidAuthor":%v,"commit":{"oid":%q},"author":{"__typename":"User","login":%q},"comments":{"totalCount":0}}`,
			at, state, own, commit, login)
	}
	const early, noon, late = "2026-05-09T10:00:00Z", "2026-05-09T12:00:00Z", "2026-05-09T14:00:00Z"
	asks := review("mara", noon, "CHANGES_REQUESTED", "abc", false)
	for _, c := range []struct {
		name    string
		reviews []string
		total   int // reviews that there are
		atEnd   string
		want    bool
	}{
		{"approved after the feedback",
			[]string{asks, review("Mara", late, "APPROVED", head, false)}, 2, head, true},
		{"a short name of the head", []string{asks, review("mara", late, "APPROVED", head, false)},
			2, "def5678", true},
		{"the head moved since the previous iteration",
			[]string{asks, review("mara", late, "APPROVED", head, false)}, 2, "abc1234", false},
		{"no previous iteration", []string{asks, review("mara", late, "APPROVED", head, false)}, 2,
			"", false},
		{"approved before the feedback",
			[]string{review("mara", early, "APPROVED", head, false), asks}, 2, head, false},
		{"another commit approved", []string{asks, review("mara", late, "APPROVED", "abc", false)},
			2, head, false},
		{"somebody else approved", []string{asks, review("noor", late, "APPROVED", head, false)}, 2,
			head, false},
		{"by the loop's own login", []string{asks, review("mara", late, "APPROVED", head, true)}, 2,
			head, false},
		{"dismissed", []string{asks, review("mara", late, "DISMISSED", head, false)}, 2, head,
			false},
		{"older reviews are not known",
			[]string{asks, review("mara", late, "APPROVED", head, false)}, 300, head, false},
		{"no one spoke", []string{review("mara", late, "APPROVED", head, false)}, 1, head, false},
	} {
		dir, from := project(t, "https://github.com/acme/app", "github")
		put(t, filepath.Join(from, "pr-142.json"),
			fmt.Sprintf(
				`{"data":{"repository":{"nameWithOwner":"acme/app","pullRequest":{"number":142,"state":"OPEN","headRefName":"x","headRefOid":%q,`+
					`"comments":{"totalCount":0,"nodes":[]},"reviews":{"totalCount":%d,"nodes":[%s]}}}}}`,
				head, c.total, strings.Join(c.reviews, ",")))
		a := ask(t, dir, Question{PR: 142})
		if len(a.PRs) != 1 {
			t.Fatalf("%s: %v", c.name, a.Notes)
		}
		if got := a.PRs[0].Reviewed(c.atEnd); got != c.want {
			t.Errorf("%s: %v, %+v", c.name, got, a.PRs[0])
		}
		os.Remove(filepath.Join(from, "pr-142.json"))
	}
}
