package doctor

// denied are calls that an open loop must hold back, written in ways that have been tried.
func denied() []toolCall {
	return append(commands(`gh pr merge 1 --squash`, `gh pr merge --auto 1`,
		`bash -c 'gh pr merge 1'`, `env X=1 gh pr merge 1`, `cd sub && gh pr merge 1`,
		`gh api -X PUT repos/o/r/pulls/1/merge`,
		`curl -X PUT https://api.github.com/repos/o/r/pulls/1/merge`,
		`gh api graphql -f query='mutation{mergePullRequest(`+
			`input:{pullRequestId:"x"}){clientMutationId}}'`,
		`glab mr merge 1`, `gh pr review 1 --approve`, `gh pr comment 1 --body '/merge'`,
		`git push origin main`, `git push origin HEAD:main`, `git push --force origin master`,
		`git push origin +feature:main`, `echo '{}' > .sdd/loop/work.budget.json`,
		`rm -rf .sdd/loop`, `sed -i s/5/50/ .sdd/loop/work.budget.json`, `mv .sdd .sdd-old`,
		`hooks gate answer budget-escalation continue`, `hooks loop reset`),
		toolCall{"Write", map[string]any{"file_path": ".sdd/loop/work.tick.json", "content": "{}"}},
		toolCall{"Edit", map[string]any{
			"file_path": ".sdd/loop/work.history.jsonl", "old_string": "a", "new_string": "b"}},
		toolCall{"mcp__github__merge_pull_request", map[string]any{
			"owner": "o", "repo": "r", "pullNumber": 1}})
}

// allowed are calls that only look like those, or that every loop needs.
func allowed() []toolCall {
	return commands(`git status`, `git diff main...HEAD`, `git fetch origin main`,
		`git push origin feature/123-foo`, `git log --oneline -5 2>/dev/null`,
		`git commit -m 'explain why gh pr merge is held back'`, `echo 'gh pr merge 1'`,
		`grep -rn 'gh pr merge' docs`, "cat <<'E' > notes.md\ngh pr merge 1\nE", `gh pr view 1`,
		`gh pr list --state open`, `gh pr checks 1`, `gh issue list --label ready`,
		`gh api repos/o/r/pulls/1`, `cat .sdd/loop/work.budget.json`, `ls -la .sdd/loop`,
		`hooks loop status`, `go test ./... 2>/dev/null`, `npm run build`, `make test`)
}

type toolCall struct {
	tool  string
	input map[string]any
}

func commands(list ...string) (calls []toolCall) {
	for _, c := range list {
		calls = append(calls, toolCall{"Bash", map[string]any{"command": c}})
	}
	return calls
}

func (c toolCall) String() string {
	if command, ok := c.input["command"].(string); ok {
		return brief(command)
	}
	return c.tool
}

func mustDeny(m *machine, n *notes) {
	m.battery(n, denied(), true)
	n.note("%d calls that must be refused", len(denied()))
}

func mustAllow(m *machine, n *notes) {
	m.battery(n, allowed(), false)
	n.note("%d calls that must pass", len(allowed()))
}

// battery sends calls to the registered program inside an open tick.
func (m *machine) battery(n *notes, calls []toolCall, deny bool) {
	s := m.scratch(n)
	if s == nil {
		return
	}
	defer s.close()
	if _, ok := s.hook("pre-tool-use"); !ok {
		n.skip("no PreToolUse is registered")
		return
	}
	if _, err := s.enter(); err != nil {
		n.fail("see hook-binary and self-test",
			"no loop can be opened in a scratch project: %v", err)
		return
	}
	does := map[bool]string{true: "lets pass", false: "holds back"}[deny]
	for _, c := range calls {
		const hint = "update the program, and tell the maintainers which call it was"
		r, err := s.tool(c.tool, c.input)
		if err != nil {
			n.fail(hint, "the registered program does not answer to %s: %v", c, err)
			return // the other calls would find the same
		}
		if denies(r) != deny {
			n.fail(hint, "the registered program %s: %s", does, c)
		}
	}
}
