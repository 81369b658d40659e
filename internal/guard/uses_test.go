package guard

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"hooks/internal/guard/effect"
)

// TestBranchBesideFlags: -m and -s have a value in some of git's commands only.
func TestBranchBesideFlags(t *testing.T) {
	many := []string{""}
	for n := range 99 {
		many = append(many, fmt.Sprintf("%d.go", n))
	}
	for _, command := range []string{
		"git cherry-pick -s feature/5", "git cherry-pick -m 1 feature/5", "git rebase -m feature/5",
		"git rebase -s ours feature/5", "git merge -s ours -m x feature/5",
		"git rebase --onto=feature/5 main", "git fetch --depth 1 origin feature/5:x",
		"git pull origin feature/5", "git reset --hard origin/feature/5",
		"git merge main..feature/5", "git checkout -bfeature/5", "git switch -c x feature/5",
		"git checkout feature/5 --", "git checkout feature/5" + strings.Join(many, " "),
	} {
		call := effect.Call{Tool: "Bash", Command: command, Cwd: project}
		r := Read(call, effect.Repo{Branch: "f", Default: "main"}.Known(), nil)
		of := func(a effect.Act) bool { return a.Ref == "feature/5" }
		if !slices.ContainsFunc(r.Uses, of) || r.Unparsable != "" {
			t.Errorf("%s uses %v, %s", command, r.Uses, r.Unparsable)
		}
	}
}
