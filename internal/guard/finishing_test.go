package guard_test

import (
	"testing"

	"hooks/internal/guard"
	"hooks/internal/guard/effect"
)

func TestFinishing(t *testing.T) {
	repo := effect.Repo{
		Branch:  "feature/12",
		Default: "main",
		Remotes: map[string]string{"origin": "https://github.com/acme/app.git"},
	}
	for _, c := range []struct {
		command string
		want    bool
	}{
		{"git status && git diff", true},
		{"cat go.mod | head -3", true},
		{"git add -A && git commit -m 'What is done'", true},
		{"cd sub && git -C . add . && " +
			"git commit -q -m \"$(cat <<'EOF'\nTwo lines\nof it\nEOF\n)\"", true},
		{"git push", true},
		{"git push -u origin feature/12", true},
		{"git push origin HEAD", true},
		{"hooks report <<'EOF'\n{\"outcome\":\"ok\"}\nEOF", true},
		{"echo '{}' | hooks report", true},
		{"git push origin main", false},
		{"git push origin HEAD:main", false},
		{"git push origin \"$BRANCH\"", false},
		{"git push origin --delete feature/12", false},
		{"git -c core.hooksPath=/tmp/h commit -m x", false},
		{"GIT_SSH_COMMAND=x git push", false},
		{"git commit -m \"$(go test ./...)\"", false},
		{"git commit -m x && go test ./...", false},
		{"git add $(ls) > list.txt", false},
		{"git rebase main", false},
		{"git checkout -b more", false},
		{"gh pr merge 12", false},
		{"gh pr create --fill", false},
		{"go build ./...", false},
		{"rm -rf build", false},
		{"hooks loop reset", false},
		{"/tmp/git commit -m x", false},
	} {
		call := effect.Call{Tool: "Bash", Command: c.command, Cwd: "/p"}
		got := guard.Finishing(call, repo.Known(), nil)
		if got != c.want {
			t.Errorf("%s: %v", c.command, got)
		}
	}
	for tool, want := range map[string]bool{
		"Read": true, "ToolSearch": true, "WebFetch": true, "mcp__x__get_y": true,
		"Write": false, "Edit": false, "Agent": false, "mcp__x__make_y": false,
	} {
		if got := guard.Finishing(effect.Call{Tool: tool}, repo.Known(), nil); got != want {
			t.Errorf("%s: %v", tool, got)
		}
	}
}
