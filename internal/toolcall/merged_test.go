package toolcall

import (
	"testing"

	"github.com/tidwall/gjson"

	"hooks/internal/event"
)

// What forges and their clients say of a merge, on exit code 0.
func TestSaysMerged(t *testing.T) {
	for _, c := range []struct {
		answer string
		only   bool
		want   bool
	}{
		{`{"stdout":"✓ Squashed and merged pull request #142 (Sort)\n"}`, true, true},
		{`{"stdout":"✓ Merged pull request acme/app#142 (Sort)"}`, false, true},
		{`{"stdout":"✓ Merged pull request #1421 (Sort)"}`, false, false},
		{`{"stdout":"✓ Merged pull request #7 (Sort)\n✓ Rebased and merged pull request #142 (x)"}`,
			false, true},
		{`{"stdout":"{\"sha\":\"6dcb09b\",\"merged\": true,\"message\":\"Pull Request successfully merged\"}"}`, true, true},
		{`{"stdout":"{\"sha\":\"6dcb09b\",\"merged\":true}"}`, false, false},
		{`[{"type":"text","text":"{\"sha\":\"6dcb09b\",\"merged\":true,\"message\":\"ok\"}"}]`,
			true, true},
		{`{"stdout":"{\n  \"data\": {\"mergePullRequest\": {\"pullRequest\": {\"state\": \"MERGED\"}}}\n}"}`, true, true},
		{`{"stdout":"{\"iid\":142,\"state\":\"merged\"}"}`, true, true},
		{`{"stdout":"✓ Pipeline succeeded.\n✓ Squashed and merged!\nhttps://gitlab.com/a/b/-/merge_requests/142"}`, true, true},
		{`{"stdout":"{\"mergeStatus\": \"succeeded\", \"status\": \"completed\"}"}`, true, true},
		{`{"stdout":"{\"mergeStatus\": \"conflicts\", \"status\": \"completed\"}"}`, true, false},
		{`{"stdout":""}`, true, false},
		{``, true, false},
		{`{"stdout":"{\"message\":\"Pull Request is not mergeable\",\"status\":\"405\"}"}`, true,
			false},
		{`{"stdout":"{\"message\":\"Head branch was modified\",\"status\":\"409\"}"}`, true, false},
		{`{"stdout":"{\"merged\":false,\"message\":\"Merge conflict\"}"}`, true, false},
		{`{"stdout":"! Pull request acme/app#142 is already queued to merge"}`, true, false},
		{`{"stdout":"✓ Pull request acme/app#142 will be added to the merge queue for main when ready"}`, true, false},
		{`{"stdout":"✓ Pull request #142 will be automatically merged via squash when all requirements are met"}`, true, false},
		{`{"stdout":"{\"data\":null,\"errors\":[{\"message\":\"Pull Request is not mergeable\"}]}"}`, true, false},
	} {
		e := event.Event{Response: gjson.Parse(c.answer)}
		if got := saysMerged(e, 142, c.only); got != c.want {
			t.Errorf("%s (only: %v): %v", c.answer, c.only, got)
		}
	}
}
