//go:build e2e && linux

package e2e

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// Phase is what the worker of one phase of an audit loop was told, and how far it is.
type Phase struct {
	Name      string
	Section   int // from 1; 0 where the prompt names none
	Iteration int
	Token     string
	Open      bool // findings are open
	Held      int  // how often it was told that the phase is not done
	Done      int  // tool calls since it last spoke
}

var (
	phasePattern     = regexp.MustCompile(`\(phase (([a-z_]+)-[0-9a-f]{8})\)`)
	sectionPattern   = regexp.MustCompile(`(?:Do|Audit) section (\d+) of`)
	phaseLinePattern = regexp.MustCompile(`\[Loop iteration (\d+)`)
)

// phase is the phase that the request works on; ok is false for a thread that does none.
func (r Request) phase() (p Phase, ok bool) {
	first := r.first()
	m := phasePattern.FindStringSubmatch(first)
	if m == nil || strings.Contains(first, "This thread only conducts. Next: the") {
		return p, false
	}
	p = Phase{Token: m[1], Name: m[2], Done: len(r.Calls()),
		Open: strings.Contains(first, "These findings are open. Check each one") ||
			strings.Contains(first, "You MUST address")}
	if m := sectionPattern.FindStringSubmatch(first); m != nil {
		p.Section, _ = strconv.Atoi(m[1])
	}
	if m := phaseLinePattern.FindStringSubmatch(first); m != nil {
		p.Iteration, _ = strconv.Atoi(m[1])
	}
	for _, m := range r.Messages {
		if m.Role == "user" && strings.Contains(m.Text(), "is not done: ") {
			p.Held++
		}
	}
	return p, true
}

// sings is the canary of a phase's worker: it says that, and no one else does.
func (p Phase) sings() string { return fmt.Sprintf("The canary of %s sings.", p.Token) }

// codes commits a file of the iteration's own and ends.
func (p Phase) codes() Turn {
	if p.Done == 0 {
		return Turn{Text: p.sings(), Calls: []Call{commit(fmt.Sprintf("echo %s > part-%d",
			p.Token, p.Iteration))}}
	}
	return Turn{Text: p.sings()}
}

// reports looks at what the audited phase changed, gives the auditor's report and ends.
func (p Phase) reports(facts string) Turn {
	switch p.Done {
	case 0:
		return Turn{Text: p.sings(), Calls: []Call{bash("git log -p -3")}}
	case 1:
		return Turn{Text: p.sings(), Calls: []Call{report(facts)}}
	}
	return Turn{Text: p.sings()}
}

// report is the call as an auditor's prompt has it.
func report(facts string) Call { return bash("hooks report <<< '" + facts + "'") }

const (
	clean = `{"verdict":"clean"}`
	bug   = `{"findings":[{"file":"part-1","line":3,"severity":"bug","description":` +
		`"it isn'\''t there","scenario":"whenever it is read"}],"verdict":"dirty"}`
)

// auditsOnce is how the workers of a plan do: the first audit of section 1 and the first final
// audit find a bug each, which is resolved at the next one.
func auditsOnce(p Phase) Turn {
	switch {
	case p.Name == "post_action":
		return Turn{Text: "The notes are written."}
	case p.Name == "coding" || p.Name == "fix":
		return p.codes()
	case p.Name == "final_auditing" && p.Open:
		return p.reports(`{"resolved":["F2"],"verdict":"clean"}`)
	case p.Open:
		return p.reports(`{"resolved":["F1"],"verdict":"clean"}`)
	case p.Name == "final_auditing", p.Iteration == 2:
		return p.reports(bug)
	}
	return p.reports(clean)
}

// wholeAudit are the phases of a plan with three sections done that way.
var wholeAudit = []string{"coding 1 ended", "auditing 1 dirty +F1", "coding 1 ended",
	"auditing 1 clean -F1", "coding 2 ended", "auditing 2 clean", "coding 3 ended",
	"auditing 3 clean", "final_auditing 3 dirty +F2", "fix 3 ended",
	"final_auditing 3 clean -F2", "post_action 3 ended"}

// auditWorld is a world whose project is a linked worktree with a plan of n sections and a post
// action.
func auditWorld(t *testing.T, n int, work func(Phase) Turn) *World {
	t.Helper()
	return auditSide(newWorld(t, Conductor{Phase: work}.Say), n)
}

// auditSide moves a world into a linked worktree with such a plan.
func auditSide(w *World, n int) *World {
	w.t.Helper()
	w.planned(n)
	side := filepath.Join(filepath.Dir(w.Project), "side")
	w.git(w.Project, "worktree", "add", "--quiet", side, "-b", "side")
	w.Project = side
	w.trust()
	return w
}

// planned commits a plan of n sections, and adds the plugin's own skills and workers.
func (w *World) planned(n int) {
	w.t.Helper()
	for _, name := range []string{"skills/audit/SKILL.md",
		"agents/worker.md", "agents/auditor.md"} {
		w.copy(filepath.Join(repository(), name), filepath.Join(w.Plugins[0], name), 0o644)
	}
	plan := "# Parts\n\nIt has parts.\n"
	for i := range n {
		plan += fmt.Sprintf("\n<!-- section -->\n## Part %d\n\nWrite part %d.\n", i+1, i+1)
	}
	w.write(filepath.Join(w.Project, "docs", "plan.md"), plan, 0o644)
	w.write(filepath.Join(w.Project, "CLAUDE.md"), "## SDD Configuration\n\n### Audit\n\n"+
		"- **Post Action Prompt**: Write the notes.\n", 0o644)
	w.git(w.Project, "add", ".")
	w.git(w.Project, "commit", "--quiet", "-m", "plan")
}

// AuditRun is what the scenarios read of an audit loop's budget.
type AuditRun struct {
	Phase    string `json:"phase"`
	Section  int    `json:"section"`
	Branch   string `json:"branch"`
	Worktree string `json:"worktree"`
	Audits   int    `json:"audits"`
	Verdict  struct {
		Verdict, SHA string
	} `json:"verdict"`
	Post struct{ Summary string } `json:"post_action"`
}

func (w *World) auditRun() (r AuditRun) {
	w.t.Helper()
	var b struct{ Audit *AuditRun }
	b.Audit = &r
	if err := json.Unmarshal([]byte(w.read(".sdd/loop/audit.budget.json")), &b); err != nil {
		w.t.Error(err)
	}
	return r
}

// Phases are the history's phases, as "auditing 1 dirty +F1". Each that was judged is proven fresh,
// with a context that no other has.
func (w *World) Phases() (list []string) {
	w.t.Helper()
	seen := map[string]bool{}
	text, _ := os.ReadFile(w.state("audit.history.jsonl"))
	for raw := range strings.Lines(string(text)) {
		var l struct {
			Audit struct {
				Phase     string
				Section   int
				Fresh     string
				Opened    []string `json:"findings_opened"`
				Resolved  []string `json:"findings_resolved"`
				Judgement struct{ Verdict string }
			}
		}
		if err := json.Unmarshal([]byte(raw), &l); err != nil {
			w.t.Fatal(err)
		}
		a := l.Audit
		if a.Phase == "" {
			continue
		}
		line := fmt.Sprintf("%s %d %s", a.Phase, a.Section, a.Judgement.Verdict)
		for _, id := range a.Opened {
			line += " +" + id
		}
		for _, id := range a.Resolved {
			line += " -" + id
		}
		list = append(list, line)
		judged := slices.Contains([]string{"ended", "clean", "dirty"}, a.Judgement.Verdict)
		if judged && (a.Fresh == "" || seen[a.Fresh]) {
			w.t.Errorf("%s is not proven fresh: %q", line, a.Fresh)
		}
		seen[a.Fresh] = true
	}
	return list
}

// head is the commit that the project has checked out.
func (w *World) head() string {
	w.t.Helper()
	return strings.TrimSpace(w.git(w.Project, "rev-parse", "HEAD"))
}

// provesFreshPhases checks the first request of each phase: it is at most two percent larger than
// the first one of that phase, or four where it has findings, and has no words of another worker
// (A18, A72).
func (w *World) provesFreshPhases() {
	w.t.Helper()
	first, seen := map[string]int{}, map[string]Phase{}
	for _, r := range w.Model.Requests() {
		if p, ok := r.phase(); ok {
			seen[p.Token] = p
		}
	}
	for _, r := range w.Model.Requests() {
		p, ok := r.phase()
		if !ok || r.spoken() {
			continue
		}
		if first[p.Name] == 0 {
			first[p.Name] = r.Size
		}
		most := first[p.Name] + first[p.Name]/50
		if p.Open {
			most += first[p.Name] / 50
		}
		if r.Size > most {
			w.t.Errorf("the first request of %s has %d bytes, that of the first %s has %d",
				p.Token, r.Size, p.Name, first[p.Name])
		}
		for _, other := range seen {
			if strings.Contains(r.All(), other.sings()) {
				w.t.Errorf("the worker of %s was told of the chat of %s", p.Token, other.Token)
			}
		}
	}
	if len(first) == 0 {
		w.t.Error("no phase began")
	}
}
