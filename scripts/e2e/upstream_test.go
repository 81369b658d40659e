//go:build e2e && linux

package e2e

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// selfKeeping is a skill for a machine without this program: it has to keep the loop by itself.
const selfKeeping = `---
name: %NAME%
description: One iteration of the %NAME% loop, with a state of its own.
allowed-tools: Bash, AskUserQuestion, Agent, ToolSearch, Skill
---

Do one %NAME% iteration. Args: $ARGUMENTS

With --loop you keep the loop yourself, in files under .sdd/loop:

1. Make the folder and read %NAME%.lock. If the process that it names is alive, another tick is
   under way: print a line that says so, put skipped_lock into the history and end the turn.
   Else put your own process in it.
2. Read %NAME%.budget.json and print a status block. Where a ceiling is reached, halt.
3. %BODY%
4. Add what this iteration used to %NAME%.budget.json, append a line to %NAME%.history.jsonl,
   print the status block again and remove the lock.
`

var selfKeepingBodies = map[string]string{
	"work":   "Send a worker for each issue of the batch and open a PR for what it made.",
	"review": "Submit APPROVE for each PR that meets its criteria, and merge every approved PR.",
}

// selfKeepingSkills puts such skills in the place of those that leave the keeping to the program.
func (w *World) selfKeepingSkills() {
	w.t.Helper()
	for name, body := range selfKeepingBodies {
		text := strings.NewReplacer("%NAME%", name, "%BODY%", body).Replace(selfKeeping)
		w.write(filepath.Join(w.Plugins[1], "skills", name, "SKILL.md"), text, 0o644)
	}
	w.write(filepath.Join(w.Bin, "gh"), fmt.Sprintf(prScript, w.ghLog()), 0o755)
}

const (
	goesOn  = "is held by pid %s for this session, so the tick continues"
	skipped = "SKIPPED: a living process holds the lock"
)

var lockedBy = regexp.MustCompile(`"pid": ?(\d+)`)

// byTheLetter is a model that follows its skill's rule about the lock: a living holder is another
// tick, unless this iteration's block names the holder as its own session. Then it works as the
// worker does.
func byTheLetter(skill string, then Worker) Script {
	work := then.Work
	look := bash("mkdir -p .sdd/loop && cat .sdd/loop/" + skill + ".lock")
	then.Work = func(n int) []Call {
		return append([]Call{look, {}}, work(n)...) // the second is made of what the first shows
	}
	rest := withWorkers(then, quickly)
	return func(r Request) Turn {
		prompt, done := r.Prompt(), len(r.Calls())
		last, _ := r.Result("Bash")
		switch {
		case !skillPattern.MatchString(prompt) || done == 0 || done > 2:
			return rest(r)
		case done == 1:
			pid := ""
			if m := lockedBy.FindStringSubmatch(last.Text); m != nil {
				pid = m[1]
			}
			return Turn{Calls: []Call{bash("kill -0 " + pid + " && echo " + pid)}}
		}
		pid := strings.TrimSpace(last.Text)
		if last.IsError || pid == "" || !strings.Contains(prompt, fmt.Sprintf(goesOn, pid)) {
			return Turn{Text: skipped}
		}
		return rest(r)
	}
}

func reports(facts string) Call { return bash("hooks report <<'JSON'\n" + facts + "\nJSON") }

// keptInstead reports whether one prompt had the words that settle who keeps the loop, and these
// too, while the conversation had the skill's own, contrary text.
func (w *World) keptInstead(skill string, pid int, more ...string) bool {
	texts := append([]string{
		"Kept by hooks: lock, budget, history, status block and final report.",
		"The lock in .sdd/loop/" + skill + ".lock " + fmt.Sprintf(goesOn, fmt.Sprint(pid)),
		"do not take, check or release the lock, do not skip this tick because of it, " +
			"and do not write under .sdd/loop",
	}, more...)
	return slices.ContainsFunc(w.Model.Requests(), func(r Request) bool {
		prompt, otherwise := r.Prompt(), "With --loop you keep the loop yourself"
		missing := func(text string) bool { return !strings.Contains(prompt, text) }
		return strings.Contains(r.All(), otherwise) && !slices.ContainsFunc(texts, missing)
	})
}

// Skills that have to keep lock, budget, history and status block by themselves run whole
// iterations: the iteration block comes beside their own text.
func TestUpstreamSkillsRunWholeIterations(t *testing.T) {
	t.Run("work", upstreamWork)
	t.Run("review", upstreamReview)
}

// A work skill that has to skip a tick whose lock a living process holds learns in each iteration
// that this process is its own session, and does its work in each (R64–R66, R117).
func upstreamWork(t *testing.T) {
	w := newWorld(t, byTheLetter("work", Worker{
		Work: func(n int) []Call {
			return []Call{
				reports(fmt.Sprintf(`{"backlog":{"unblocked":[143,144]},"plan":[%d]}`, 142+n)),
				dispatch(fmt.Sprintf("WORKER for issue #%d", 142+n), "haiku", false),
				bash(fmt.Sprintf("gh pr create --title %d --body 'Closes #%d'", 200+n, 142+n)),
			}
		},
		Report: func(n int) string {
			pr := fmt.Sprintf(`{"number":%d,"state":"open","new":true}`, 200+n)
			return `{"prs":[` + pr + `],"outcome":"ok"}`
		},
	}))
	w.selfKeepingSkills()
	term := w.Interactive()
	term.Enter("/sdd:work --loop")
	w.WaitHistory("work", 1, 60*time.Second)
	term.Enter("/sdd:work --loop")
	lines := w.WaitHistory("work", 2, 60*time.Second)

	if diff := cmp.Diff([]string{"ok", "ok"}, sameRun(t, lines)); diff != "" {
		t.Errorf("outcomes (-want +got):\n%s", diff)
	}
	for i, l := range lines {
		if pr := fmt.Sprintf("#%d", 201+i); l.Agents != 1 || strings.Join(l.PRs, " ") != pr {
			t.Errorf("iteration %d: %d workers, PRs %v; want 1 and %s", i+1, l.Agents, l.PRs, pr)
		}
	}
	if b := w.Budget("work"); b.Status != "active" || b.IterationsUsed != 2 || b.Agents != 2 {
		t.Errorf("the run is %+v, want active with 2 iterations and 2 workers", b)
	}
	if term.Showed(skipped) {
		t.Errorf("a tick was skipped:\n%s", term.Screen())
	}
	for n := 1; n <= 2; n++ {
		if !w.keptInstead("work", term.PID(), fmt.Sprintf("Loop Iteration %d/", n)) {
			t.Errorf("in iteration %d the model was not told who keeps the loop", n)
		}
	}
}

// A review skill that is to approve and to merge what it approved approves a PR once; the approval
// answers nothing, and the merge waits for a person's word (R99–R102, R107, R149).
func upstreamReview(t *testing.T) {
	const approve = "gh pr review 142 --approve"
	var w *World
	w = newWorld(t, byTheLetter("review", Worker{
		Work: func(int) []Call {
			calls := []Call{
				reports(`{"prs":[{"number":142,"state":"open","human_feedback":true}]}`),
				bash(approve), bash(approve), bash(w.merge(142)),
			}
			return append(append(calls, askInOwnWords()...), bash(w.merge(142)))
		},
		Report: func(int) string {
			return `{"prs":[{"number":142,"state":"merged"}],"outcome":"ok"}`
		},
	}))
	w.selfKeepingSkills()
	const question = "Responder addressed human feedback on PR #142. " +
		"Merge now or hold for human re-review?"
	term := w.Interactive()
	term.Enter("/sdd:review --loop")
	term.WaitScreen(question, 60*time.Second)
	if n := w.Merges(); len(n) != 0 {
		t.Errorf("merged before anyone was asked: %v", n)
	}
	term.Choose(1)
	line := w.WaitHistory("review", 1, 60*time.Second)[0]

	if line.Outcome != "ok" || line.Merges != 1 || term.Showed(skipped) {
		t.Errorf("the iteration is %+v, want ok, one merge:\n%s", line, term.Screen())
	}
	if g := line.Gates; len(g) != 1 || g[0].Question != question || g[0].Answer != "merge" {
		t.Errorf("recorded gates %+v, want the question answered merge", g)
	}
	log, err := os.ReadFile(w.ghLog())
	if err != nil {
		t.Fatal(err)
	}
	var reached []string
	for _, call := range strings.Split(string(log), "\n") {
		if strings.HasPrefix(call, "pr ") {
			reached = append(reached, "gh "+call)
		}
	}
	if diff := cmp.Diff([]string{approve, w.merge(142)}, reached); diff != "" {
		t.Errorf("what reached the forge (-want +got):\n%s", diff)
	}
	if !w.Model.Told("Not posted: PR #142 has already been reviewed") {
		t.Error("the second approval was not refused as a second review")
	}
	once := "A PR may be approved once in this iteration, when its round ends"
	if !w.keptInstead("review", term.PID(), once) {
		t.Error("the model was not told who keeps the loop")
	}
}
