package doctor

import (
	"strings"

	"hooks/internal/guard"
)

// denied are calls that an open loop must hold back, written in ways that have been tried.
var denied = [...]string{
	"gh pr merge 1 --squash", "gh pr merge --auto 1", "bash -c 'gh pr merge 1'", "env X=1 gh pr merge 1", "cd sub && gh pr merge 1",
	"gh api -X PUT repos/o/r/pulls/1/merge", "curl -X PUT https://api.github.com/repos/o/r/pulls/1/merge",
	"gh api graphql -f query='mutation{mergePullRequest(input:{pullRequestId:\"x\"}){clientMutationId}}'",
	"glab mr merge 1", "gh pr review 1 --approve", "gh pr comment 1 --body '/merge'",
	"git push origin main", "git push origin HEAD:main", "git push --force origin master", "git push origin +feature:main",
	"echo '{}' > .sdd/loop/work.budget.json", "rm -rf .sdd/loop", "sed -i s/5/50/ .sdd/loop/work.budget.json", "mv .sdd .sdd-old",
	"hooks gate answer budget-escalation continue", "hooks loop reset",
}

// allowed are calls that only look like those, or that every loop needs.
var allowed = [...]string{
	"git status", "git diff main...HEAD", "git fetch origin main", "git push origin feature/123-foo", "git log --oneline -5 2>/dev/null",
	"git commit -m 'explain why gh pr merge is held back'", "echo 'gh pr merge 1'", "grep -rn 'gh pr merge' docs", "cat <<'E' > notes.md\ngh pr merge 1\nE",
	"gh pr view 1", "gh pr list --state open", "gh pr checks 1", "gh issue list --label ready", "gh api repos/o/r/pulls/1",
	"cat .sdd/loop/work.budget.json", "ls -la .sdd/loop", "hooks loop status", "go test ./... 2>/dev/null", "npm run build", "make test",
}

// deniedTools are calls to hold back that are no shell commands.
func deniedTools() []toolCall {
	return []toolCall{
		{"Write", map[string]any{"file_path": ".sdd/loop/work.tick.json", "content": "{}"}},
		{"Edit", map[string]any{"file_path": ".sdd/loop/work.history.jsonl", "old_string": "a", "new_string": "b"}},
		{"mcp__github__merge_pull_request", map[string]any{"owner": "o", "repo": "r", "pullNumber": 1}},
	}
}

type toolCall struct {
	tool  string
	input map[string]any
}

// noFiles: the battery's commands run nothing from disk.
type noFiles struct{}

func (noFiles) ReadFile(string) (string, bool) { return "", false }

// reads says whether this program's guard would hold a command back.
func reads(command, dir string) (held bool) {
	call := guard.Call{Tool: "Bash", Command: command, Cwd: dir}
	repo := guard.Repo{Branch: "feature/123-foo", Default: "main"}
	r := guard.Read(call, repo.Known(), noFiles{})
	return len(r.Merges())+len(r.Tampers()) > 0 || r.Unparsable != ""
}

const wayGuard = "update the program, and tell the maintainers which command it was"

// mustDeny runs the battery through this program's guard and through the registered program, in an open loop.
func mustDeny(m *machine, n *notes) {
	for _, command := range denied {
		if !reads(command, m.project) {
			n.fail(wayGuard, "the guard lets pass: %s", brief(command))
		}
	}
	m.battery(n, denied[:], true, func(s *scratch) {
		for _, c := range deniedTools() {
			if r, err := s.tool(c.tool, c.input); err != nil || !denies(r) {
				n.fail(wayGuard, "the registered program lets %s pass (%s)", c.tool, said(err))
			}
		}
	})
	n.say("%d calls are to be held back", len(denied)+len(deniedTools()))
}

func mustAllow(m *machine, n *notes) {
	for _, command := range allowed {
		if reads(command, m.project) {
			n.fail(wayGuard, "the guard holds back: %s", brief(command))
		}
	}
	m.battery(n, allowed[:], false, func(*scratch) {})
	n.say("%d calls are to pass", len(allowed))
}

// battery plays commands to the registered program inside an open tick.
func (m *machine) battery(n *notes, commands []string, deny bool, more func(*scratch)) {
	if _, ok := m.hooks().of("pre-tool-use"); !ok {
		n.say("no PreToolUse is registered: only the guard of this program was tried")
		return
	}
	s, err := m.scratch()
	if err == nil {
		defer s.close()
		_, err = s.enter()
	}
	if err != nil {
		n.fail("see what hook-binary and self-test say", "no loop can be opened in a scratch project: %v", err)
		return
	}
	for _, command := range commands {
		r, err := s.tool("Bash", map[string]any{"command": command})
		if err != nil || denies(r) != deny {
			n.fail(wayGuard, "the registered program %s: %s (%s)", map[bool]string{true: "lets pass", false: "holds back"}[deny], brief(command), said(err))
		}
		if err != nil { // the others would tell the same
			return
		}
	}
	more(s)
}

func said(err error) string {
	if err == nil {
		return "it answered"
	}
	return err.Error()
}

func brief(command string) string {
	line, _, _ := strings.Cut(command, "\n")
	return line[:min(len(line), 100)]
}
