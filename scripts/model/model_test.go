package model

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/tidwall/sjson"
	"pgregory.net/rapid"

	"hooks/scripts/driver"
)

// long is set if the command line gives the number of histories.
var long bool

func TestMain(m *testing.M) {
	flag.Parse()
	flag.Visit(func(f *flag.Flag) { long = long || f.Name == "rapid.checks" })
	driver.InMemory()
	code := m.Run()
	_ = os.RemoveAll(buildDir)
	os.Exit(code)
}

// TestProgramDoesWhatTheModelSays plays random histories in this process. -rapid.checks and
// -rapid.steps make it as long as wanted; the default is a few seconds.
func TestProgramDoesWhatTheModelSays(t *testing.T) {
	bound(t, 20)
	prog, pool, dir, n := &inside{}, &clients{t: t}, t.TempDir(), 0
	rapid.Check(t, func(t *rapid.T) {
		n++
		w := newWorld(t, pool, prog, folder(t, dir, n))
		defer w.done()
		t.Repeat(w.actions(true))
	})
}

// TestBinaryDoesWhatTheModelSays plays fewer of them on the program as it is installed, on the real
// clock.
func TestBinaryDoesWhatTheModelSays(t *testing.T) {
	bound(t, 2)
	dir, n := t.TempDir(), 0
	prog := binary(t)
	pool := &clients{t: t}
	rapid.Check(t, func(t *rapid.T) {
		n++
		w := newWorld(t, pool, prog, folder(t, dir, n))
		defer w.done()
		w.now = time.Now().UTC()
		t.Repeat(w.actions(false))
	})
}

var buildDir string // "" before it is made

var built = sync.OnceValues(func() (path string, err error) {
	if buildDir, err = os.MkdirTemp("", "hooks-model-"); err != nil {
		return "", err
	}
	path = filepath.Join(buildDir, "hooks")
	return path, driver.Build(path, "hooks/hooks")
})

// binary is the real program, built once.
func binary(t *testing.T) outside {
	path, err := built()
	if err != nil {
		t.Fatal(err)
	}
	return outside{path}
}

// bound keeps a plain go test short, and the same every time. Without HOOKS_WHOLE it plays half of
// the histories.
func bound(t *testing.T, checks int) {
	if os.Getenv("HOOKS_WHOLE") == "" {
		checks = (checks + 1) / 2
	}
	if !long {
		for name, value := range map[string]string{"rapid.checks": fmt.Sprint(checks),
			"rapid.seed": "7", "rapid.nofailfile": "true"} {
			if err := flag.Set(name, value); err != nil {
				t.Fatal(err)
			}
		}
	}
}

func folder(t *rapid.T, dir string, n int) string {
	w := filepath.Join(dir, fmt.Sprint(n))
	if err := os.MkdirAll(filepath.Join(w, "p"), 0o755); err != nil {
		t.Fatal(err)
	}
	return w
}

func (w *world) actions(clock bool) map[string]func(*rapid.T) {
	// Most acts are work, so that histories become deep enough for cases of several iterations.
	common := []func(*rapid.T){w.aTick, w.aTick, w.aReport, w.aReport, w.aReport, w.aDialog,
		w.aDialog, w.aTool, w.aTool, w.aTool, w.aStop, w.aStop, w.aStop}
	some := []func(*rapid.T){w.workerEnds, w.workerEnds, w.aSpend, w.terminalAnswer, w.comes}
	rare := []func(*rapid.T){
		w.words, w.esc, w.apiError, w.sessionEnds, w.crash, w.loopStopTyped, w.goes, w.late, w.late,
		w.compacts, w.terminalStop, w.terminalReset,
	}
	if clock {
		some = append(some, w.clock)
	}
	return map[string]func(*rapid.T){
		"": func(*rapid.T) { w.check() },
		"event": func(t *rapid.T) {
			for range 40 {
				from := common
				switch n := between(t, "kind", 0, 15); {
				case n > 14:
					from = rare
				case n > 11:
					from = some
				}
				if possible(one(t, "event", from), t) {
					return
				}
			}
		},
	}
}

// impossible is what an event panics with that cannot happen now. The library's own way to say so
// ends histories early.
const impossible = "impossible now"

func possible(event func(*rapid.T), t *rapid.T) (yes bool) {
	defer func() {
		if p := recover(); p != nil && p != impossible {
			panic(p)
		}
	}()
	event(t)
	return true
}

func (w *world) clock(t *rapid.T) {
	by := one(t, "minutes", []int{1, 2, 4, 1, 2, 4, 9, 25, 61, 1500, -3, -100})
	w.now = w.now.Add(time.Duration(by) * time.Minute)
	w.note("clock %+d min", by)
}

// living picks a session whose client lives, in a turn or between two.
func (w *world) living(t *rapid.T, turn bool) *session {
	var list []*session
	for _, s := range w.live {
		if s.client.alive && s.turn == turn {
			list = append(list, s)
		}
	}
	if len(list) == 0 {
		panic(impossible)
	}
	return list[max(0, between(t, "session", -3, len(list)-1))] // mostly the first
}

// draw gives the flags of a tick. The real binary waits for a lock for 45 seconds, so it is asked
// to by stories alone.
func (w *world) draw(t *rapid.T, s *side) flags {
	f := w.anyFlags(t, s)
	if _, real := w.prog.(outside); real && f.lock == "wait" {
		f.lock = "skip"
	}
	return f
}

func (w *world) anyFlags(t *rapid.T, s *side) flags {
	if s.run != nil && between(t, "same", 0, 9) < 9 {
		f := s.run.flags
		f.lock, f.resume = one(t, "lock", []string{"skip", "skip", "skip", "force", "wait"}),
			s.run.status != "active" || between(t, "resume", 0, 5) == 0
		return f
	}
	f := flags{ceilings: ceilings{5, 20, 60, 2500}, budget: s.file,
		lock:   one(t, "lock", []string{"skip", "skip", "force", "wait"}),
		resume: between(t, "resume", 0, 2) == 0}
	pick := func(name string, to *int, from ...int) {
		if between(t, name+"?", 0, 3) == 0 {
			f.named = append(f.named, name)
			*to = one(t, name, from)
		}
	}
	pick("iterations", &f.iterations, 10, 20, 20, 3, 2, 1)
	pick("prs", &f.prs, 5, 3, 1)
	pick("minutes", &f.minutes, 600, 30, 5)
	pick("dollars", &f.cents, 10000, 0, 1000, 100)
	if s.skill == "review" && one(t, "single", []bool{false, true}) {
		f.pr = 142
	}
	return f
}

func (w *world) aTick(t *rapid.T) {
	s := one(t, "skill", w.sides)
	f := w.draw(t, s)
	switch way := one(t, "way", []string{"typed", "typed", "scheduled", "skill"}); way {
	case "skill":
		ses := w.anyLiving(t)
		if !ses.turn {
			w.newPrompt(ses)
			w.userLine(ses, "human")
			w.submit(ses, "", "carry on")
		}
		payload := w.payload(ses, "PreToolUse", "tool_name", "Skill", "tool_use_id", "t",
			"tool_input.skill", "sdd:"+s.skill, "tool_input.args", f.args())
		by := asker{scheduled: ses.origin == "scheduled", model: true}
		w.send(ses, "pre-tool-use", payload, w.enter(s, ses, f, by))
	default:
		ses := w.living(t, false)
		w.newPrompt(ses)
		text := "/sdd:" + s.skill + " " + f.args()
		if way == "typed" {
			w.userLine(ses, "human")
		} else {
			w.writes(ses, fmt.Sprintf(
				`{"type":"system","subtype":"scheduled_task_fire","prompt":%q}`, text))
		}
		w.submit(ses, s.skill, text)
		payload := w.payload(ses, "UserPromptExpansion", "command_name", "sdd:"+s.skill,
			"command_args", f.args(), "prompt", text)
		want := w.enter(s, ses, f, asker{scheduled: way == "scheduled"})
		w.send(ses, "user-prompt-expansion", payload, want)
		if ses.turn = want.kind == ""; ses.turn && way == "scheduled" {
			w.userLine(ses, "scheduled")
		}
	}
}

func (w *world) anyLiving(t *rapid.T) *session {
	var list []*session
	for _, s := range w.live {
		if s.client.alive {
			list = append(list, s)
		}
	}
	if len(list) == 0 {
		panic(impossible)
	}
	return one(t, "session", list)
}

func (w *world) submit(ses *session, own, text string) {
	payload := w.payload(ses, "UserPromptSubmit", "prompt", text)
	w.prompt(ses, own, text == "/loop stop", text)
	w.send(ses, "user-prompt-submit", payload, nothing)
}

func (w *world) words(t *rapid.T) {
	ses := w.living(t, false)
	w.newPrompt(ses)
	text := one(t, "words", []string{"what is new?", "<task-notification>done</task-notification>"})
	w.userLine(ses, "human")
	if between(t, "heard", 0, 4) == 0 {
		return // a turn that no prompt event told
	}
	w.submit(ses, "", text)
}

func (w *world) loopStopTyped(t *rapid.T) {
	ses := w.living(t, false)
	w.newPrompt(ses)
	w.userLine(ses, "human")
	w.submit(ses, "", "/loop stop")
	w.prompt(ses, "", true, "")
	w.send(ses, "user-prompt-expansion", w.payload(ses, "UserPromptExpansion", "command_name",
		"loop", "command_args", "stop", "prompt", "/loop stop"), nothing)
}

func (w *world) aReport(t *rapid.T) {
	ses := w.living(t, true)
	s := one(t, "skill", w.sides)
	if !opened(s, ses) && between(t, "anyway", 0, 9) > 0 {
		panic(impossible)
	}
	f, text := drawFacts(t, s.skill)
	err := w.prog.report(w, ses.id, text)
	if ok := opened(s, ses); ok != (err == nil) {
		t.Fatalf("report: %v, the model takes it: %v\n%s", err, ok, w.story())
	} else if ok {
		w.report(s, f)
	}
}

func drawFacts(t *rapid.T, skill string) (f facts, text string) {
	text = fmt.Sprintf(`{"skill":%q}`, skill)
	set := func(path string, v any) { text, _ = sjson.SetRaw(text, path, jsonOf(v)) }
	some := func(what string, of int) bool { return between(t, what, 0, of) == 0 }
	if skill == "work" && some("backlog", 1) {
		f.backlog = &backlog{one(t, "unblocked", [][]int{{1, 2, 3}, {1, 2, 3}, {1, 2, 3}, {1, 2},
			{1, 3}, {}}), one(t, "progress", [][]int{{}, {}, {2}})}
		set("backlog", map[string][]int{"unblocked": f.backlog.unblocked, "blocked": {},
			"in_progress": f.backlog.progress})
	}
	if skill == "work" && some("plan", 2) {
		f.plan = one(t, "plan", [][]int{{1}, {1, 2}, {3}})
		set("plan", f.plan)
	}
	if skill == "work" && some("edges", 19) {
		f.edges = one(t, "edges", [][][2]int{{{1, 2}}, {{2, 1}}, {{1, 2}, {2, 3}, {3, 1}}})
		set("edges", f.edges)
	}
	if some("issue", 4) {
		f.issue, f.criteria = between(t, "issue", 1, 3),
			one(t, "criteria", []string{"ok", "missing", "tbd"})
		set("issues", []map[string]any{{"number": f.issue, "criteria": f.criteria}})
	}
	if some("failure", 1) {
		f.failure = &failure{between(t, "failed", 1, 2),
			one(t, "cause", []string{"tests fail", "tests fail", "no network"})}
		set("failures", []map[string]any{{"kind": "issue", "number": f.failure.number,
			"cause": f.failure.cause}})
	}
	if some("pr", 1) {
		f.pr, f.state = one(t, "number", []int{142, 142, 143, 144}),
			one(t, "state", []string{"open", "open", "open", "open", "open", "open", "open",
				"merged", "closed", "do-not-merge"})
		f.human = between(t, "human", 0, 2)
		pr := map[string]any{"number": f.pr, "state": f.state}
		if f.head = one(t, "head", []string{"", "aaaaaaa1", "aaaaaaa1", "bbbbbbb2"}); f.head != "" {
			pr["head_sha"] = f.head
		}
		if f.human != 0 {
			pr["human_feedback"] = f.human == 1
		}
		set("prs", []map[string]any{pr})
	}
	if some("comments", 4) {
		f.comments = between(t, "comments", 1, 5)
		set("comments_pushed", f.comments)
	}
	if some("qmd", 9) {
		f.qmd, f.qmdError = true, one(t, "qmd error", []string{"refused", ""})
		set("qmd", map[string]any{"unreachable": true, "error": f.qmdError})
	}
	if some("outcome", 1) {
		f.outcome = one(t, "outcome", []string{"ok", "errored"})
		set("outcome", f.outcome)
	}
	return f, text
}

func (w *world) aDialog(t *rapid.T) {
	ses := w.living(t, true)
	if len(w.asking(ses)) == 0 && between(t, "own question", 0, 9) > 0 {
		panic(impossible)
	}
	w.prelude(ses)
	shown := append([]gate(nil), w.asking(ses)...)
	w.dialogs++
	call := []string{"tool_name", "AskUserQuestion", "tool_use_id", fmt.Sprintf("ask%d", w.dialogs),
		"tool_input.questions.0.question", "May I?",
		"tool_input.questions.0.options.0.label", "fine"}
	mode := one(t, "mode", []string{"", "", "", "", "forged", "afk", "missed", "esc"})
	if mode == "forged" {
		call = append(call, "tool_input.answers", `{"May I?":"yes"}`)
	}
	if mode != "forged" {
		w.shows(ses)
	}
	want := reply{"ask", nil}
	if len(shown) == 0 {
		want = nothing
	}
	got := w.send(ses, "pre-tool-use", w.payload(ses, "PreToolUse", call...), want)
	if len(shown) == 0 && mode != "esc" {
		w.ownQuestion(ses, call, mode)
		return
	}
	if mode == "esc" {
		w.escape(ses)
		return
	}
	response, answers := w.answers(t, got, shown)
	if mode == "afk" {
		response, _ = sjson.Set(response, "afkTimeoutMs", 60000)
	}
	if mode == "missed" && shown[0].name != "force-unlock" {
		for _, s := range w.addressed(ses) {
			if opened(s, ses) {
				s.tick.untold = &untold{shown, answers, s == w.shower(ses)}
			}
		}
		w.writes(ses, `{"type":"user","message":{"role":"user","content":[{"type":"tool_result",`+
			`"tool_use_id":"`+call[3]+`","content":"answered"}]},"toolUseResult":`+response+`}`)
		return
	}
	if mode != "forged" && mode != "afk" {
		w.dialog(ses, shown, answers)
	}
	w.send(ses, "post-tool-use", w.payload(ses, "PostToolUse", append(call[:4:4], "tool_input",
		response, "tool_response", response)...), nothing)
}

// ownQuestion is answered: recorded as such where a person did (R120).
func (w *world) ownQuestion(ses *session, call []string, mode string) {
	response := `{"answers":{"May I?":"fine"},"questions":[{"question":"May I?"}]}`
	if mode == "afk" {
		response, _ = sjson.Set(response, "afkTimeoutMs", 60000)
	}
	for _, s := range w.addressed(ses) {
		if opened(s, ses) && mode != "afk" && mode != "forged" {
			s.tick.answers = append(s.tick.answers, answered{name: "question", text: "fine"})
		}
	}
	w.send(ses, "post-tool-use", w.payload(ses, "PostToolUse", append(call[:4:4], "tool_input",
		response, "tool_response", response)...), nothing)
}

// answers are a person's, to the questions as the program had them shown; "" is none.
func (w *world) answers(t *rapid.T, asked string, shown []gate) (response string, list []string) {
	var given, notes []string
	questions := questionsIn(asked)
	if len(questions) != len(shown) {
		t.Fatalf("%d questions are shown, the model has %v\n%s\n%s", len(questions), shown, asked,
			w.story())
	}
	for i, g := range shown {
		words := append([]string{"hm, let me think", ""}, options[g.name]...)
		if g.name == "budget-escalation" {
			words = append(words, "iterations=12")
		}
		text := one(t, g.name, append(words, append(options[g.name][:2:2],
			options[g.name][:2]...)...))
		list = append(list, text)
		if text == "" {
			notes = append(notes, jsonOf(questions[i])+`:{"unanswered":"skipped"}`)
			text = options[g.name][1]
		}
		given = append(given, jsonOf(questions[i])+":"+jsonOf(text))
	}
	return fmt.Sprintf(`{"answers":{%s},"annotations":{%s},"questions":[%s]}`,
		strings.Join(given, ","), strings.Join(notes, ","), questionList(questions)), list
}
