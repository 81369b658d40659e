package model

import (
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/tidwall/gjson"
	"pgregory.net/rapid"
)

// The audit loop on a plain model of rows A of the requirements: coders that commit, break the
// check or do nothing, auditors that report anything or nothing, commits behind an audit's back,
// outages, crashes, restarts and a person's answers come in any order.

// found is a finding.
type found struct {
	text, severity string
	section        int
	state          string // open, resolved or accepted
	seen           int    // audits at which it was open since it was reported or a person looked
	was, again     bool   // it was open as the phase began, and was opened once more in it
	head           string // commit at which it was opened
	doubt          bool   // a person is asked before it is closed or less than a bug
}

// audits is the model.
type audits struct {
	total          int // sections
	post           bool
	phase          string
	section        int // from 0
	over           string
	open, sent     bool
	judged         string // how the open phase was judged, "" before
	left           bool   // that was for more than findings
	holds          int
	retries, clean int // audits in a row without a verdict, audits with one
	idle           int
	lines          int
	list           []*found
	verdict, at    string // that was reported in the open audit, and its commit
	checked        string // commit of the check's last run
	green          bool
	ran            bool // the check ran at the end of the open phase
	turnedGreen    bool
	dirtyAudits    int // in a row, of one section or of the whole
}

type auditWorld struct {
	*conducted
	audits
	first string // commit at which the run began
	began string // and the open phase
	token string
	// pingPong is a history in which an auditor finds the same again and again, and little else
	// happens.
	pingPong bool
}

func TestAuditLoopDoesWhatTheModelSays(t *testing.T) { playAudits(t, &inside{}, 5) }

func TestBinaryPlaysAuditsAsTheModelSays(t *testing.T) { playAudits(t, binary(t), 1) }

func playAudits(t *testing.T, prog program, checks int) {
	bound(t, checks)
	pool, dir, n := &clients{t: t}, t.TempDir(), 0
	rapid.Check(t, func(t *rapid.T) {
		n++
		w := &auditWorld{conducted: conduct(t, prog, folder(t, dir, n), pool, "audit")}
		defer w.done()
		w.starts(t)
		for range between(t, "events", 5, 60) {
			if w.over == "audit_complete" || w.over == unmodelled {
				return
			}
			w.next(t)
			w.check()
		}
	})
}

// starts makes the plan and its linked worktree, and a person starts the loop there.
func (w *auditWorld) starts(t *rapid.T) {
	w.pingPong = between(t, "ping-pong", 0, 1) == 1
	w.total, w.post, w.phase = between(t, "sections", 1, 3), between(t, "post", 0, 1) == 1, "coding"
	plan := "# Goal\n"
	for i := range w.total {
		plan += fmt.Sprintf("<!-- section -->\n# Part %d\n", i+1)
	}
	config := ""
	if w.post {
		config = "## SDD Configuration\n\n### Audit\n\n- **Post Action Prompt**: Write the notes.\n"
	}
	w.git("init", "-q", "-b", "main", "--template=", "../main")
	w.git("-C", "../main", "commit", "-q", "--allow-empty", "-m", "start")
	w.git("-C", "../main", "worktree", "add", "-q", w.project(), "-b", "side")
	w.put("plan.md", plan)
	w.put("CLAUDE.md", config)
	w.commit()
	w.first = w.head()
	w.command(`plan.md --check="test ! -e red" --max-iterations 999`)
	w.opens()
}

func (w *auditWorld) auditing() bool { return strings.HasSuffix(w.phase, "auditing") }

// opens is the beginning of a phase.
func (w *auditWorld) opens() {
	w.open, w.sent, w.judged, w.left, w.holds = true, false, "", false, 0
	w.verdict, w.ran = "", false
	for _, f := range w.list {
		f.was, f.again = isOpen(f), false
	}
	w.began, w.wasDirty = w.head(), w.dirty
}

func (w *auditWorld) next(t *rapid.T) {
	rare := w.pingPong && between(t, "rare", 0, 9) > 0
	switch {
	case w.over != "":
		w.resumes("--restart") // A4–A10
	case rare && w.sent && w.judged != "":
		w.stops(t)
	case rare && w.sent && w.auditing() && w.verdict == "":
		w.reports(t)
	case rare && w.sent:
		w.ends(t)
	case between(t, "crash", 0, 24) == 0:
		w.crashes()
	case !w.sent:
		w.sends()
	case between(t, "outage", 0, 19) == 0:
		w.fails()
	case w.judged == "" && w.auditing() && between(t, "report", 0, 9) > 3:
		w.reports(t)
	case w.judged == "" && between(t, "early", 0, 9) > 0:
		w.ends(t)
	default:
		w.stops(t)
	}
}

// sends is the conductor's call. Its prompt is replaced by the phase, with what the worker has to
// know and a name of its own (A18–A21, A30, A32, A74).
func (w *auditWorld) sends() {
	prompt := w.worker()
	_, rest, _ := strings.Cut(prompt, "(phase ")
	token, _, _ := strings.Cut(rest, ")")
	if token == w.token || !strings.HasPrefix(token, w.phase+"-") {
		w.Fatalf("the worker of %s is named %q after %q: %q\n%s", w.phase, token, w.token, prompt,
			w.story())
	}
	section := fmt.Sprintf("section %d of %d in plan.md: Part %[1]d", w.section+1, w.total)
	if named := w.phase == "coding" || w.phase == "auditing"; named != strings.Contains(prompt,
		section) {
		w.Fatalf("the worker of %s gets %q\n%s", section, prompt, w.story())
	}
	for _, text := range faults {
		told := w.phase != "post_action" && slices.ContainsFunc(w.list, func(f *found) bool {
			return f.text == text && f.state != "resolved"
		})
		if told != strings.Contains(strings.ToLower(prompt), text) {
			w.Fatalf("the worker of %s is told that %s: %v\n%s", w.phase, text, !told, w.story())
		}
	}
	w.token, w.sent = token, true
}

// faults are what can be found.
var faults = []string{"it panics", "it is slow", "it leaks"}

// reports is an auditor's report. One that is wrong changes nothing (A29–A33, A71).
func (w *auditWorld) reports(t *rapid.T) {
	facts, wrong := map[string]any{}, false
	list := make([]*found, len(w.list))
	for i, f := range w.list {
		own := *f
		list[i] = &own
	}
	var resolved []string
	for i, f := range list {
		if between(t, "resolved", 0, 5) == 0 && !w.pingPong {
			resolved = append(resolved, fmt.Sprintf("F%d", i+1))
			if isOpen(f) && f.severity == "bug" && f.head == w.head() {
				f.doubt = true
			} else if isOpen(f) {
				f.state, f.doubt = "resolved", false
			}
		}
	}
	if between(t, "unknown", 0, 19) == 0 {
		resolved, wrong = append(resolved, "F99"), true
	}
	var reported []map[string]any
	for _, text := range faults {
		if between(t, text, 0, 3) > 0 && !(w.pingPong && text == faults[0]) {
			continue
		}
		severity := one(t, "severity", []string{"bug", "bug", "warning"})
		reported = append(reported, map[string]any{"file": "a.go", "line": 3,
			"severity": severity, "description": strings.ToUpper(text[:1]) + text[1:] + "."})
		at := slices.IndexFunc(list, func(f *found) bool {
			return f.text == text && f.section == w.section
		})
		if at < 0 {
			at, list = len(list), append(list, &found{text: text, section: w.section})
		}
		f := list[at]
		if f.doubt = isOpen(f) && f.severity == "bug" && severity == "warning"; f.doubt {
			continue
		}
		if f.severity = severity; f.state != "accepted" && !isOpen(f) {
			f.state, f.again, f.head = "open", f.again || f.state == "resolved", w.head()
		}
	}
	if verdict := one(t, "verdict", []string{"", "clean", "clean", "dirty"}); verdict != "" {
		facts["verdict"] = verdict
		wrong = wrong || verdict == "dirty" && !slices.ContainsFunc(list, isOpen)
	}
	facts["resolved"], facts["findings"] = resolved, reported
	if resolved == nil {
		delete(facts, "resolved")
	}
	if reported == nil {
		delete(facts, "findings")
	}
	if len(facts) == 0 {
		return
	}
	w.auditor("PreToolUse", "tool_name", "Bash", "tool_input.command", "git diff "+w.first)
	w.auditor("PostToolUse", "tool_name", "Bash", "tool_input.command", "git diff "+w.first,
		"tool_response.stdout", jsonOf(w.git("diff", "-p", w.first)))
	got := w.auditor("PreToolUse", "tool_name", "Bash", "tool_input.command",
		jsonOf("hooks report <<< '"+jsonOf(facts)+"'"))
	if (kindOf(got) == "block") != wrong {
		w.Fatalf("the report %s is refused: %v\n%s", jsonOf(facts), !wrong, w.story())
	}
	if wrong {
		return
	}
	w.list = list
	if verdict, ok := facts["verdict"].(string); ok {
		w.verdict, w.at = verdict, w.head()
	}
}

// auditor is an event of a call of the auditor, with the client's note on it.
func (w *auditWorld) auditor(name string, pairs ...string) string {
	dir := filepath.Join(strings.TrimSuffix(w.transcript(w.ses), ".jsonl"), "subagents")
	note := fmt.Sprintf(`{"toolUseId":%q}`, w.sender)
	if err := errors.Join(os.MkdirAll(dir, 0o700),
		os.WriteFile(filepath.Join(dir, "agent-w1.meta.json"), []byte(note), 0o600)); err != nil {
		w.Fatal(err)
	}
	word := map[string]string{"PreToolUse": "pre-tool-use", "PostToolUse": "post-tool-use"}[name]
	return w.says(word, name, append(pairs, "agent_id", "w1", "agent_type", "general-purpose")...)
}

func isOpen(f *found) bool { return f.state == "open" }

// closed reports whether the finding was closed in the open phase.
func closed(f *found) bool { return f.was && f.state == "resolved" && !f.again }

// count are the findings in a state.
func (w *auditWorld) count(state, severity string) (n int) {
	for _, f := range w.list {
		if f.state == state && (severity == "" || f.severity == severity) {
			n++
		}
	}
	return n
}

// ends is the end of the phase's worker, after what it did. Someone may commit behind an auditor.
func (w *auditWorld) ends(t *rapid.T) {
	works := []string{"nothing", "commit", "commit", "commit", "dirty", "red", "green"}
	if w.auditing() {
		works = []string{"nothing", "nothing", "nothing", "nothing", "commit", "dirty"}
	}
	if w.pingPong && between(t, "odd", 0, 9) > 0 {
		works = map[bool][]string{true: {"nothing"}, false: {"commit", "green"}}[w.auditing()]
	}
	work := one(t, "work", works)
	w.works(work)
	got := w.workerEnds("(phase "+w.token+")", "The canary sings.")
	verdict, held := "ended", false
	w.ran, w.left = false, false
	switch {
	case w.phase == "post_action":
	case !w.auditing():
		if w.ran = !w.dirty; w.ran {
			w.turnedGreen = w.checked != "" && !w.green && !w.red
			w.checked, w.green = w.head(), !w.red
		}
		held = w.dirty || w.red
	case w.verdict == "" || w.at != w.head() || w.verdict == "dirty" && w.count("open", "") == 0:
		verdict, held, w.verdict = "no_verdict", true, ""
	case w.dirty || w.checked != w.head() || !w.green:
		verdict, w.left = "dirty", true
	case w.verdict == "dirty" || w.count("open", "bug") > 0:
		verdict = "dirty"
	default:
		verdict = "clean"
	}
	if held = held && w.holds < 2; held != (kindOf(got) == "block") {
		w.Fatalf("the worker of %s that %s is held: %v\n%s", w.phase, work, !held, w.story())
	}
	if w.holds++; !held {
		w.judged = verdict
	}
}

// stops is the Stop of the turn. It closes the phase and feeds the next, or lets the turn end. A
// finding that was open at three audits asks a person first (A73).
func (w *auditWorld) stops(t *rapid.T) {
	verdict := w.judged
	if verdict == "" {
		verdict = "unfinished"
	}
	if list := w.recurring(); verdict == "dirty" && len(list) > 0 {
		if between(t, "away", 0, 1) == 1 {
			w.pauses(t, list)
			return
		}
		if kindOf(w.stop()) != "block" {
			w.Fatalf("a finding that recurs asks no one\n%s", w.story())
		}
		w.dialog(w.decides(t, list, 0))
		w.idle = 0
	}
	got := w.stop()
	w.closes(verdict)
	if fed := kindOf(got) == "block"; fed != (w.over == "") {
		w.Fatalf("the Stop feeds: %v, the model's cause is %q\n%s", fed, w.over, w.story())
	}
	if w.over == "" {
		w.opens()
	}
}

// recurring are the findings that will have been open at three audits, by their ids.
func (w *auditWorld) recurring() map[string]*found {
	list := map[string]*found{}
	for i, f := range w.list {
		if isOpen(f) && (f.seen+1 >= 3 || f.doubt) {
			list[fmt.Sprintf("F%d", i+1)] = f
		}
	}
	if len(list) == 0 && w.dirtyAudits+1 >= 3 {
		list["all"] = nil
	}
	return list
}

// decides is a person who answers questions about findings. seen is at how many audits they count
// as open afterwards.
func (w *auditWorld) decides(t *rapid.T, list map[string]*found, seen int) func(string) string {
	return func(question string) string {
		id, _, _ := strings.Cut(strings.TrimPrefix(question, "Finding "), " ") // or the id itself
		if strings.Contains(question, " has been dirty in ") {
			id = "all"
		}
		f, due := list[id]
		if !due {
			w.Fatalf("asked about %q\n%s", question, w.story())
		}
		answer := one(t, "recurs", []string{"again", "accept"})
		about := []*found{f}
		if id == "all" {
			about = slices.DeleteFunc(slices.Clone(w.list),
				func(f *found) bool { return !isOpen(f) })
		}
		w.dirtyAudits = min(w.dirtyAudits, seen)
		for _, f := range about {
			if f.seen, f.doubt = seen, false; answer == "accept" {
				f.state = "accepted"
			}
		}
		return answer
	}
}

// pauses: no one is there at the Stop. A person answers in a terminal or as the run is resumed,
// perhaps after a change, with the effect of an answer at the Stop if nothing has changed (A75).
func (w *auditWorld) pauses(t *rapid.T, list map[string]*found) {
	w.attended = false
	if kindOf(w.stop()) == "block" {
		w.Fatalf("a question holds a session without a person\n%s", w.story())
	}
	left, audited := w.left, w.head()
	w.closes("dirty")
	w.over = ""
	w.works(one(t, "meanwhile", []string{"nothing", "nothing", "nothing", "commit", "dirty"}))
	decides := w.decides(t, list, 1)
	if w.attended = between(t, "dialog", 0, 1) == 1; w.attended {
		w.command("--resume")
		w.dialog(decides)
	} else {
		for _, id := range slices.Sorted(maps.Keys(list)) {
			err := w.prog.gateAnswer(w.world, "finding-recurring:"+id, decides(id))
			if err != nil {
				w.Fatal(err)
			}
		}
		w.command("--resume")
	}
	settled := !left && w.count("open", "") == 0 && w.head() == audited && !w.dirty &&
		w.checked == audited && w.green
	if settled {
		w.phase = map[string]string{"coding": "auditing", "fix": "final_auditing"}[w.phase]
		w.moves("clean")
		w.dirtyAudits = 0
	}
	if w.retries, w.idle = 0, 0; w.phase == "complete" {
		if w.over = "audit_complete"; w.attended {
			w.stop()
		}
	} else {
		w.opens()
	}
	w.attended = true
}

// closes is the end of a phase (A16, A45–A50, A57, A63).
func (w *auditWorld) closes(verdict string) {
	w.open = false
	w.lines++
	audited := w.auditing() && (verdict == "clean" || verdict == "dirty")
	if verdict == "dirty" && !w.left && w.count("open", "") == 0 {
		verdict = "clean" // a person accepted the last of it
	}
	if verdict != "outage" {
		w.counts(verdict)
	}
	if audited {
		w.clean++
		if w.dirtyAudits++; verdict == "clean" {
			w.dirtyAudits = 0
		}
		for _, f := range w.list {
			if isOpen(f) {
				f.seen++
			}
		}
	}
	switch {
	case w.phase == "post_action":
		w.phase = "complete"
	case verdict == "outage":
	case w.phase == "coding":
		w.phase = "auditing"
	case w.phase == "fix":
		w.phase = "final_auditing"
	case !audited:
		w.retries++
	default:
		w.retries = 0
		w.moves(verdict)
	}
	w.judge()
}

// moves is where an audit's verdict leads.
func (w *auditWorld) moves(verdict string) {
	switch {
	case verdict == "dirty":
		w.phase = map[string]string{"auditing": "coding", "final_auditing": "fix"}[w.phase]
	case w.phase == "auditing" && w.section+1 < w.total:
		w.phase, w.section = "coding", w.section+1
	case w.phase == "auditing" && w.total > 1:
		w.phase = "final_auditing"
	case w.post:
		w.phase = "post_action"
	default:
		w.phase = "complete"
	}
}

// counts the iterations in which nothing changed, where a worker's end was looked at (A28, T91).
func (w *auditWorld) counts(verdict string) {
	switch {
	case w.judged == "" || w.phase == "post_action":
	case w.head() != w.began || w.dirty != w.wasDirty || w.dirty || verdict == "clean" ||
		w.ran && w.turnedGreen || slices.ContainsFunc(w.list, closed):
		w.idle = 0
	default:
		w.idle++
	}
}

func (w *auditWorld) judge() {
	switch {
	case w.phase == "complete":
		w.over = "audit_complete"
	case w.retries >= 3 && w.phase == "auditing":
		w.over = "audit_retry_exhausted"
	case w.retries >= 3:
		w.over = "final_audit_retry_exhausted"
	case w.idle >= 3:
		w.over = "stalled"
	}
}

// fails is an error of the service, which costs no phase (T95).
func (w *auditWorld) fails() {
	w.says("stop-failure", "StopFailure", "error", "overloaded")
	w.cut()
}

// crashes: the client dies, and another one takes the run up (A9, A11).
func (w *auditWorld) crashes() {
	w.dies()
	if w.judged == "dirty" && len(w.recurring()) > 0 {
		w.over = unmodelled // the next entry asks
		return
	}
	if w.state("audit.tick.json") == "" { // the phase that was fed begins with the call
		w.resumes("--resume")
		return
	}
	w.cut()
}

// cut is the end of a phase that its Stop does not close.
func (w *auditWorld) cut() {
	if w.judged == "" {
		w.judged = "outage"
	}
	if w.closes(w.judged); w.over != "audit_complete" {
		w.resumes("--resume")
	} else {
		w.command("--resume")
	}
}

// resumes is a person's command, after which retries and idle iterations are counted from 0.
func (w *auditWorld) resumes(flag string) {
	if got := w.command(flag); kindOf(got) == "block" {
		w.Fatalf("%s is refused: %s\n%s", flag, got, w.story())
	}
	w.over, w.retries, w.idle = "", 0, 0
	w.opens()
}

// check holds the files against the model.
func (w *auditWorld) check() {
	if w.over == unmodelled {
		return
	}
	b := gjson.Parse(w.state("audit.budget.json"))
	cause := b.Get("stop_cause").Str
	if b.Get("status").Str == "active" {
		cause = ""
	}
	a := b.Get("audit")
	got := map[string]any{"cause": cause, "phase": a.Get("phase").Str,
		"section": int(a.Get("section").Int()), "audits": int(a.Get("audits").Int()),
		"retries": int(a.Get("retries").Int())}
	want := map[string]any{"cause": w.over, "phase": w.phase, "section": w.section,
		"audits": w.clean, "retries": w.retries}
	for name, n := range map[string]int{"open_bugs": w.count("open", "bug"),
		"open_warnings": w.count("open", "warning"), "accepted": w.count("accepted", ""),
		"resolved": w.count("resolved", "")} {
		got[name], want[name] = int(a.Get("found."+name).Int()), n
	}
	if !maps.Equal(got, want) {
		w.Fatalf("the run is at %v, the model at %v\n%s", got, want, w.story())
	}
	if n := strings.Count(w.state("audit.history.jsonl"), `"audit":{"phase"`); n != w.lines {
		w.Fatalf("the history has %d phases, the model %d\n%s", n, w.lines, w.story())
	}
}
