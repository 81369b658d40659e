//go:build e2e && linux

package e2e

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// forgeScript is a gh with two faces: the tracker that the program asks, and whatever the skills
// call. Each call of the skills is noted.
const forgeScript = `#!/bin/sh
cd '%s'
case "$*" in
"api graphql"*"issues("*) cat issues.json; exit ;;
"api graphql"*"pullRequests("*) cat prs.json; exit ;;
"api graphql"*"pullRequest("*) cat pr.json; exit ;;
esac
echo "$*" >>'%s'
case "$*" in
"pr create"*)
    echo open >>opened
    echo "https://github.com/acme/shop/pull/$((200 + $(wc -l <opened)))" ;;
"pr merge"*) echo "✓ Squashed and merged pull request #142 (sort)" ;;
esac
`

// realSkills puts the plugin whose checkout HOOKS_UPSTREAM names in the place of the test's own
// one, and a forge beside it. The test is skipped without the variable.
func realSkills(t *testing.T) (install func(w *World, issues map[int]string)) {
	t.Helper()
	checkout := os.Getenv("HOOKS_UPSTREAM")
	if checkout == "" {
		t.Skip("HOOKS_UPSTREAM names no checkout of the sdd plugin, whose skills are played here")
	}
	commit, err := exec.Command("git", "-C", checkout, "rev-parse", "--short", "HEAD").Output()
	if err != nil {
		t.Fatalf("HOOKS_UPSTREAM=%s: %v", checkout, err)
	}
	t.Logf("skills of commit %s", strings.TrimSpace(string(commit)))
	return func(w *World, issues map[int]string) {
		w.Plugins[1] = filepath.Join(filepath.Dir(w.Plugins[1]), "checkout")
		for _, part := range []string{".claude-plugin", "skills", "references", "templates"} {
			err := os.CopyFS(filepath.Join(w.Plugins[1], part), os.DirFS(filepath.Join(checkout,
				part)))
			if err != nil {
				t.Fatal(err)
			}
		}
		w.track(issues)
		w.write(filepath.Join(w.Bin, "gh"), fmt.Sprintf(forgeScript, w.trackerDir(), w.ghLog()),
			0o755)
		w.write(filepath.Join(w.Home, ".gitconfig"),
			"[user]\n\tname = dev\n\temail = dev@example.com\n", 0o644)
		w.git(w.Project, "add", ".")
		w.git(w.Project, "commit", "--quiet", "-m", "configuration")
		w.git(w.Project, "push", "--quiet", "origin", "main", "main:feature/sort")
	}
}

var (
	skillText    = regexp.MustCompile(`# Work on Issues|# Review and Merge PRs|is already loaded`)
	taskText     = regexp.MustCompile(`(?m)^(IMPLEMENT|REVIEW|RESPOND) .*`)
	finishedText = regexp.MustCompile(`Agent "((?:IMPLEMENT|REVIEW|RESPOND) [^"]*)"`)
)

// Played is a model that follows a skill's text, with workers in the background as the client runs
// them: the turn ends while one works, and its end brings the next.
type Played struct {
	// Lead are the calls of the main thread in an iteration: at the skill's own text (""), at the
	// text of another skill within it ("nested"), or after a worker's task.
	Lead   func(iteration int, after string) []Call
	Worker func(task string) []Call
}

func (p Played) Say(r Request) Turn {
	prompt, done := r.sinceWorker()
	var steps []Call
	end, n := "waiting, or reported", 0
	for _, m := range iterationPattern.FindAllStringSubmatch(r.All(), -1) {
		_, _ = fmt.Sscan(m[1], &n)
	}
	task, finished := taskText.FindString(prompt), finishedText.FindStringSubmatch(prompt)
	switch {
	case strings.Contains(prompt, "Stop hook feedback:"):
		steps = Worker{}.obey(prompt)
	case finished != nil:
		steps = p.Lead(n, finished[1])
	case task != "":
		steps, end = p.Worker(task), "SUCCESS "+task
	case skillText.MatchString(prompt) && iterationPattern.MatchString(prompt):
		steps = p.Lead(n, "")
	case skillText.MatchString(prompt):
		steps = p.Lead(n, "nested")
	}
	if done >= len(steps) {
		return Turn{Text: end}
	}
	call := steps[done]
	if call.Name == "" { // made of what the last one shows
		last, _ := r.Result("Bash")
		m := lockedBy.FindStringSubmatch(last.Text)
		if m == nil || !strings.Contains(prompt, fmt.Sprintf(goesOn, m[1])) {
			return Turn{Text: skipped}
		}
		call = bash("kill -0 " + m[1])
	}
	if m := bound.FindString(r.All()); strings.HasPrefix(commandOf(call), "gh pr merge") {
		call = bash(commandOf(call) + m) // a person's answer is for one commit
	}
	return Turn{Calls: []Call{call}}
}

// sinceWorker is the model's last task and how many tools it has used since. The end of a worker in
// the background is a task too.
func (r Request) sinceWorker() (prompt string, calls int) {
	from, prompt := r.lastPrompt()
	for i := from; i < len(r.Messages); i++ {
		if text := r.Messages[i].Text(); strings.Contains(text, "[SYSTEM NOTIFICATION") {
			from, prompt = i, text
		}
	}
	for _, m := range r.Messages[from:] {
		for _, b := range m.Blocks {
			if b.Type == "tool_use" {
				calls++
			}
		}
	}
	return prompt, calls
}

var bound = regexp.MustCompile(` --match-head-commit [0-9a-f]+`)

func commandOf(c Call) string {
	input, _ := c.Input.(map[string]any)
	command, _ := input["command"].(string)
	return command
}

// entry is how both skills begin a tick: make the folder, read the lock, and ask whether its
// process lives.
func entry(skill string) []Call {
	return []Call{bash("mkdir -p .sdd/loop && cat .sdd/loop/" + skill + ".lock"), {}}
}

func bashes(commands ...string) (calls []Call) {
	for _, c := range commands {
		calls = append(calls, bash(c))
	}
	return calls
}

// The skills of the plugin that this program was made for run whole iterations on the real client:
// two of work with the chain after each PR, and one of review with its merge. No step ends in a
// refusal, but for the two that the second work iteration tries although the block says what may
// run, and the merge that waits for its gate (R64–R66, R99–R102, R117, R149).
func TestTheRealSkillsRunWholeIterations(t *testing.T) {
	t.Run("work", realWork)
	t.Run("review", realReview)
}

func realWork(t *testing.T) {
	install := realSkills(t)
	at := func(n int) (issue, pr int, branch, tree string) {
		branch = fmt.Sprintf("feature/%d-part", 142+n)
		return 142 + n, 200 + n, branch, ".claude/worktrees/" + branch
	}
	lead := func(n int, after string) (calls []Call) {
		issue, pr, branch, tree := at(n)
		edit := fmt.Sprint("gh issue edit ", issue)
		switch {
		case after == "nested": // the chain's review of the PR
			return append(bashes(fmt.Sprint("gh pr view ", pr, " --json number,title,headRefName"),
				fmt.Sprint("gh pr diff ", pr)),
				dispatch(fmt.Sprintf("REVIEW PR #%d", pr), "haiku", true))
		case strings.HasPrefix(after, "IMPLEMENT"):
			return []Call{{"Skill", map[string]any{"skill": "sdd:review", "args": fmt.Sprint(pr)}}}
		case strings.HasPrefix(after, "REVIEW"):
			calls = bashes(fmt.Sprint("gh pr edit ", pr, " --add-label needs-human-follow-up"))
			if n == 2 {
				calls = append(calls, Call{"Skill", map[string]any{"skill": "cloud:autofix-pr",
					"args": fmt.Sprint(pr)}})
			}
			return append(calls, bash("git worktree remove "+tree), bash("git branch -d "+branch),
				reports(fmt.Sprintf(`{"prs":[{"number":%d,"state":"open","branch":%q,"new":true}],`+
					`"outcome":"ok"}`, pr, branch)))
		}
		calls = entry("work")
		for _, label := range []string{"queued", "in-progress", "in-review", "merged"} {
			calls = append(calls, bash("gh label create "+label+" --color CCCCCC --force"))
		}
		calls = append(calls, bashes("cat .sdd/loop/work.budget.json",
			"gh issue list --json number,title,body,labels",
			fmt.Sprint("gh issue view ", issue, " --json body"), edit+" --add-label queued",
			"git status", "git fetch")...)
		return append(calls, reports(fmt.Sprintf(`{"plan":[%d]}`, issue)),
			bash("git worktree add "+tree+" -b "+branch), bash(edit+" --add-assignee @me"),
			bash(edit+" --remove-label queued --add-label in-progress"),
			dispatch(fmt.Sprintf("IMPLEMENT issue #%d in %s", issue, tree), "haiku", true))
	}
	worker := func(task string) []Call {
		var n int
		if _, err := fmt.Sscanf(task, "REVIEW PR #%d", &n); err == nil {
			review := func(event string) string {
				return fmt.Sprintf("gh api repos/{owner}/{repo}/pulls/%d/reviews -f event=%s "+
					"-f body='criteria met'", n, event)
			}
			calls := bashes(fmt.Sprint("gh pr checks ", n), fmt.Sprint("gh pr diff ", n))
			if n == 202 {
				calls = append(calls, bash(review("APPROVE")))
			}
			return append(calls, bash(review("COMMENT")))
		}
		_, _ = fmt.Sscanf(task, "IMPLEMENT issue #%d", &n)
		_, pr, branch, tree := at(n - 142)
		in := "git -C " + tree + " "
		return bashes(fmt.Sprintf("echo part >%s/part-%d.txt", tree, n), in+"diff --stat",
			in+"diff --name-only", in+"add .",
			in+fmt.Sprintf("commit -m 'part' -m 'Implements #%d'", n), in+"push -u origin "+branch,
			fmt.Sprintf("gh pr create --title %d --head %s --body 'Closes #%d'", pr, branch, n),
			fmt.Sprintf("gh issue edit %d --remove-label in-progress --add-label in-review", n))
	}
	w := newWorld(t, Played{lead, worker}.Say)
	const done = "### Branch\n`feature/1`\n### Acceptance Criteria\n- [ ] it works"
	install(w, map[int]string{143: done, 144: done})
	outside, _ := w.offersOutside()
	term := w.Interactive()
	term.Enter("/sdd:work --loop")
	w.WaitHistory("work", 1, 2*time.Minute)
	term.Enter("/sdd:work --loop")
	lines := w.WaitHistory("work", 2, 2*time.Minute)

	if diff := cmp.Diff([]string{"ok", "ok"}, sameRun(t, lines)); diff != "" {
		t.Errorf("outcomes (-want +got):\n%s", diff)
	}
	var refused []string
	for i, l := range lines {
		_, pr, branch, _ := at(i + 1)
		if l.Agents != 2 || strings.Join(l.PRs, " ") != fmt.Sprint("#", pr) || l.Merges != 0 {
			t.Errorf("iteration %d: %d workers, PRs %v, %d merges; want 2 and #%d", i+1, l.Agents,
				l.PRs, l.Merges, pr)
		}
		for _, d := range l.Denied {
			refused = append(refused, fmt.Sprint(i+1, " ", d.Rule, " ", d.What))
		}
		if !strings.Contains(w.git(w.Project, "ls-remote", "origin"), branch) {
			t.Errorf("iteration %d pushed no %s", i+1, branch)
		}
	}
	if diff := cmp.Diff([]string{
		"2 merge-gate gh api repos/{owner}/{repo}/pulls/202/reviews -f event=APPROVE " +
			"-f body='criteria met'",
		"2 schedule cloud:autofix-pr 202",
	}, refused); diff != "" {
		t.Errorf("refused calls (-want +got):\n%s", diff)
	}
	if failed := w.failedCalls(); len(failed) != len(refused) {
		t.Errorf("%d calls failed, want the refused ones only:\n%s", len(failed),
			strings.Join(failed, "\n"))
	}
	if !w.Model.Told("Leave out steps that run in the cloud or in the background") {
		t.Error("the model was not told what of the chain may run")
	}
	if ran := w.read(outside); ran != "" || term.Showed(skipped) {
		t.Errorf("ran outside: %q, or a tick was skipped:\n%s", ran, term.Screen())
	}
}

// failedCalls are the errors that the model read of its calls, each once.
func (w *World) failedCalls() (texts []string) {
	seen := map[string]bool{}
	for _, r := range w.Model.Requests() {
		for _, m := range r.Messages {
			for _, b := range m.Blocks {
				if b.Type == "tool_result" && b.IsError && !seen[b.ID] {
					seen[b.ID] = true
					texts = append(texts, b.Text)
				}
			}
		}
	}
	return texts
}

func realReview(t *testing.T) {
	install := realSkills(t)
	const approve = "gh api repos/{owner}/{repo}/pulls/142/reviews -f event=APPROVE -f body=fine"
	lead := func(_ int, after string) []Call {
		next := func(task string) []Call { return []Call{dispatch(task, "haiku", true)} }
		switch {
		case strings.HasSuffix(after, "first"):
			return next("RESPOND on PR #142")
		case strings.HasPrefix(after, "RESPOND"):
			return next("REVIEW PR #142 again")
		case strings.HasSuffix(after, "again"):
			calls := append(bashes("gh pr merge 142 --squash"), askInOwnWords()...)
			return append(calls, bash("gh pr merge 142 --squash"),
				reports(`{"prs":[{"number":142,"state":"merged"}],"outcome":"ok"}`))
		}
		return append(append(entry("review"), bashes("gh pr list --json number,title,headRefName",
			"gh pr diff 142")...), reports(`{"prs":[{"number":142,"state":"open"}]}`),
			dispatch("REVIEW PR #142 first", "haiku", true))
	}
	worker := func(task string) []Call {
		const tree = ".claude/worktrees/feature/sort"
		switch {
		case strings.HasSuffix(task, "first"):
			return bashes("gh pr checks 142", "gh pr diff 142",
				"gh api repos/{owner}/{repo}/pulls/142/reviews -f event=REQUEST_CHANGES "+
					"-f body='no test'")
		case strings.HasSuffix(task, "again"):
			return bashes("gh pr diff 142", "gh pr checks 142", approve)
		}
		return bashes("git fetch", "git worktree add "+tree+" feature/sort",
			"echo test >"+tree+"/sort_test.txt", "git -C "+tree+" add .",
			"git -C "+tree+" commit -m 'a test'", "git -C "+tree+" push origin feature/sort",
			"gh api repos/{owner}/{repo}/pulls/142/comments/7/replies -f body='Fixed'")
	}
	w := newWorld(t, Played{lead, worker}.Say)
	install(w, nil)
	w.trackPR("OPEN", [2]string{"User", "ada"})
	const question = "Responder addressed human feedback on PR #142. " +
		"Merge now or hold for human re-review?"
	term := w.Interactive()
	term.Enter("/sdd:review --loop")
	term.WaitScreen(question, 2*time.Minute)
	if n := w.Merges(); len(n) != 0 {
		t.Errorf("merged before anyone was asked: %v", n)
	}
	term.Choose(1)
	line := w.WaitHistory("review", 1, 2*time.Minute)[0]

	if line.Outcome != "ok" || line.Merges != 1 || line.Agents != 3 || term.Showed(skipped) {
		t.Errorf("the iteration is %+v, want ok, one merge, three workers:\n%s", line,
			term.Screen())
	}
	if g := line.Gates; len(g) != 1 || g[0].Question != question || g[0].Answer != "merge" {
		t.Errorf("recorded gates %+v, want the question answered merge", g)
	}
	if d := line.Denied; len(d) != 1 || d[0].Rule != "merge-gate" {
		t.Errorf("refused calls %+v, want the merge before the answer", d)
	}
	reached := func(call string) int { return strings.Index(w.read(w.ghLog()), call) }
	approved := reached(strings.TrimPrefix(approve, "gh "))
	if approved < 0 || approved > reached("pr merge 142") || !strings.Contains(w.git(w.Project,
		"log", "--format=%s", "origin/feature/sort"), "a test") {
		t.Errorf("no approval before the merge, or no push:\n%s", w.read(w.ghLog()))
	}
}
