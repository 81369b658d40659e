package model

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/tidwall/gjson"
	"pgregory.net/rapid"
)

func questionsIn(reply string) []string {
	var list []string
	for _, q := range gjson.Get(reply,
		"hookSpecificOutput.updatedInput.questions.#.question").Array() {
		list = append(list, q.Str)
	}
	return list
}

func questionList(questions []string) string {
	var list []string
	for _, q := range questions {
		list = append(list, `{"question":`+jsonOf(q)+`}`)
	}
	return strings.Join(list, ",")
}

func (w *world) aTool(t *rapid.T) {
	ses := w.living(t, true)
	c := tool{id: w.callID(), kind: one(t, "tool", []string{
		"agent", "agent", "agent", "open", "merge", "merge", "merge", "comment", "review",
		"approve",
		"look", "make", "schedule", "tamper", "qmd",
	})}
	name, input, result := "Bash", "", "done"
	switch c.kind {
	case "agent":
		c.n = one(t, "issue", []int{1, 2, 3, 1, 2, 3, 0})
		task := fmt.Sprintf("Implement #%d", c.n)
		if c.n == 0 {
			task = "Look around"
		}
		name, input = "Agent", fmt.Sprintf(`{"prompt":%q,"description":"worker"}`, task)
	case "open":
		c.n = between(t, "pr", 150, 153)
		input, result = `{"command":"gh pr create --fill"}`,
			fmt.Sprintf("https://github.com/acme/app/pull/%d", c.n)
	case "merge":
		c.n = one(t, "pr", []int{142, 142, 142, 143})
		c.head = one(t, "head", []string{"aaaaaaa1", "aaaaaaa1", "aaaaaaa1", "bbbbbbb2", ""})
		c.spoke = one(t, "spoke", []string{"", "quiet", "commented", "commented"})
		command := fmt.Sprintf("gh pr merge %d", c.n)
		if c.sha = one(t, "names", []string{"aaaaaaa1", "aaaaaaa1", "bbbbbbb2", ""}); c.sha != "" {
			command += " --match-head-commit " + c.sha
		}
		input = fmt.Sprintf(`{"command":%q}`, command)
		defer w.tracks(c)()
		if c.says = one(t, "says merged", []bool{true, true, false}); c.says {
			result = fmt.Sprintf("✓ Merged pull request acme/app#%d (x)", c.n)
		}
	case "comment":
		c.n = one(t, "pr", []int{142, 142, 142, 143})
		input = fmt.Sprintf(`{"command":"gh pr comment %d --body seen"}`, c.n)
	case "review", "approve":
		c.n = one(t, "pr", []int{142, 142, 142, 143})
		how := map[string]string{"review": "--comment --body seen", "approve": "--approve"}[c.kind]
		input = fmt.Sprintf(`{"command":"gh pr review %d %s"}`, c.n, how)
	case "look":
		input = `{"command":"git status"}`
	case "make", "qmd":
		input = `{"command":"make build"}`
	case "schedule":
		c.text = one(t, "prompt", []string{"/sdd:work --loop", "/sdd:review --loop",
			"/sdd:review --loop --pr 142"})
		name, input = "CronCreate", fmt.Sprintf(`{"cron":"* * * * *","recurring":true,"prompt":%q}`,
			c.text)
	case "tamper":
		input = `{"command":"rm .sdd/loop/work.lock"}`
	}
	call := []string{"tool_name", name, "tool_use_id", c.id, "tool_input", input}
	want := w.before(ses, c)
	w.send(ses, "pre-tool-use", w.payload(ses, "PreToolUse", call...), want)
	if want.kind != "" || slices.Contains([]string{"look", "make", "schedule", "tamper"}, c.kind) {
		return
	}
	w.result(t, ses, c, call, result)
}

// tracks lets the tracker tell of a PR while it is about to be merged.
func (w *world) tracks(c tool) (forget func()) {
	feedback := map[string]string{"quiet": `,"feedback":[]`,
		"commented": `,"feedback":[{"author":"ann","kind":"comment","at":"2026-11-20T10:00:00Z"}]`}
	pr := fmt.Sprintf(`{"pr":{"number":%d,"state":"open","head_sha":%q%s}}`, c.n, c.head,
		feedback[c.spoke])
	path := filepath.Join(w.project(), fmt.Sprint(c.n))
	if err := os.WriteFile(path, []byte(pr), 0o600); err != nil {
		w.Fatal(err)
	}
	return func() { _ = os.Remove(path) }
}

func (w *world) result(t *rapid.T, ses *session, c tool, call []string, result string) {
	worker := ""
	switch {
	case c.kind == "qmd":
		w.after(ses, c, "")
		w.send(ses, "post-tool-use-failure", w.payload(ses, "PostToolUseFailure",
			append(call, "error", "Exit code 78")...), nothing)
		return
	case (c.kind == "review" || c.kind == "approve") && between(t, "fails", 0, 3) == 0:
		w.fails(ses, c)
		failed := w.payload(ses, "PostToolUseFailure", append(call, "error", "Exit code 1")...)
		w.send(ses, "post-tool-use-failure", failed, nothing)
		return
	case c.kind == "agent" && rapid.Bool().Draw(t, "background"):
		w.dialogs++
		worker = fmt.Sprintf("a%d", w.dialogs)
		call = append(call, "tool_response", fmt.Sprintf(`{"status":"async_launched","agentId":%q}`,
			worker))
	case c.kind == "agent":
		call = append(call, "tool_response", `{"status":"completed"}`)
	default:
		call = append(call, "tool_response.stdout", result)
	}
	w.after(ses, c, worker)
	w.send(ses, "post-tool-use", w.payload(ses, "PostToolUse", call...), nothing)
}

func (w *world) workersOf(ses *session) []string {
	var list []string
	for _, s := range w.sides {
		if opened(s, ses) {
			list = append(list, s.tick.workers...)
		}
	}
	return list
}

func (w *world) workerEnds(t *rapid.T) {
	ses := w.anyLiving(t)
	list := w.workersOf(ses)
	if len(list) == 0 {
		panic(impossible)
	}
	id := one(t, "worker", list)
	for _, s := range w.sides {
		if opened(s, ses) {
			s.tick.workers = slices.DeleteFunc(slices.Clone(s.tick.workers),
				func(x string) bool { return x == id })
		}
	}
	w.send(ses, "subagent-stop", w.payload(ses, "SubagentStop", "agent_id", id, "agent_type",
		"general-purpose"), nothing)
}

func (w *world) aStop(t *rapid.T) {
	ses := w.living(t, true)
	var crons, list []string
	for _, s := range w.sides {
		if one(t, "scheduled", []bool{false, true, true}) {
			crons = append(crons, w.word(s))
			list = append(list, fmt.Sprintf(
				`{"id":"c%s","schedule":"* * * * *","recurring":true,"prompt":%q}`, s.skill,
				w.word(s)))
		}
	}
	workers := w.workersOf(ses)
	tasks, runs := "[]", ""
	if len(workers) > 0 {
		runs = workers[0]
		tasks = fmt.Sprintf(`[{"id":%q,"type":"subagent","status":"running"}]`, runs)
	}
	payload := w.payload(ses, "Stop", "session_crons", "["+strings.Join(list, ",")+"]",
		"background_tasks", tasks)
	want := w.stop(ses, crons, runs)
	w.send(ses, "stop", payload, want)
	ses.turn = want.kind == "block"
}

// aSpend writes an assistant message of so many cents: 500 tokens of output are one.
func (w *world) aSpend(t *rapid.T) {
	ses := w.anyLiving(t)
	cents := one(t, "cents", []int{1, 5, 30, 30, 90, 500, 1500})
	w.dialogs++
	w.writes(ses, fmt.Sprintf(
		`{"type":"assistant","requestId":"r%d","message":{"id":"m%d","role":"assistant",`+
			`"model":"claude-opus-5-5",`+
			`"content":[{"type":"text","text":"x"}],"usage":{"input_tokens":0,`+
			`"output_tokens":%d}}}`,
		w.dialogs, w.dialogs, cents*500))
	ses.spends = append(ses.spends, cents)
	w.note("%s spends %d", ses.id, cents)
}

func (w *world) esc(t *rapid.T) { w.escape(w.living(t, true)) }

func (w *world) escape(ses *session) {
	w.writes(ses, fmt.Sprintf(
		`{"type":"user","promptId":%q,"message":{"role":"user","content":[{"type":"text",`+
			`"text":"[Request interrupted by user]"}]}}`, ses.prompt))
	ses.marks = append(ses.marks, ses.prompt)
	ses.turn = false
	w.note("%s esc in %s", ses.id, ses.prompt)
}

func (w *world) apiError(t *rapid.T) {
	ses := w.living(t, true)
	payload := w.payload(ses, "StopFailure", "error", "rate_limit")
	for _, s := range w.sides {
		// that one's turn had reached its end
		if !opened(s, ses) || stranger(s, ses) && s.tick.draining {
			continue
		}
		if stranger(s, ses) && w.escaped(s.run, s.tick) {
			s.tick.interrupted = true
		} else {
			s.tick.failed = true
		}
		if s.tick.draining = len(s.tick.workers) > 0; !s.tick.draining {
			w.abandoned(s, ses.id)
			w.unlock(s, ses)
		}
	}
	ses.turn = false
	w.send(ses, "stop-failure", payload, nothing)
}

// replace puts another session in a session's place.
func (w *world) replace(old *session, by *session) {
	w.live[slices.Index(w.live, old)] = by
}

func (w *world) sessionEnds(t *rapid.T) {
	ses := w.anyLiving(t)
	reason := one(t, "reason", []string{"other", "clear"})
	payload := w.payload(ses, "SessionEnd", "reason", reason)
	w.ended(ses, reason)
	w.send(ses, "session-end", payload, nothing)
	if reason == "clear" {
		w.replace(ses, w.newSession(ses.client))
		return
	}
	ses.client.die()
	w.replace(ses, w.newSession(w.clients.get()))
}

// crash ends a client without a word; its session is taken up again, or another one begins.
func (w *world) crash(t *rapid.T) {
	ses := w.anyLiving(t)
	ses.client.die()
	w.note("%s crashes", ses.id)
	if rapid.Bool().Draw(t, "taken up again") {
		ses.client, ses.turn = w.clients.get(), false
		return
	}
	w.replace(ses, w.newSession(w.clients.get()))
}

// late is an event of a session whose run another one has taken up, or archived: it decides nothing
// and changes nothing.
func (w *world) late(t *rapid.T) {
	var list []*session
	for id, ses := range w.sessions {
		if !slices.ContainsFunc(w.sides, func(s *side) bool {
			return s.run != nil && s.run.session == id || s.tick != nil && s.tick.session == id ||
				s.claim != nil && s.claim.session == id
		}) && ses.prompt != "" {
			list = append(list, ses)
		}
	}
	if len(list) == 0 {
		panic(impossible)
	}
	slices.SortFunc(list, func(a, b *session) int { return strings.Compare(a.id, b.id) })
	ses := one(t, "old session", list)
	cron := `[{"id":"c1","schedule":"* * * * *","recurring":true,"prompt":"/sdd:work --loop"}]`
	fact := []string{"tool_name", "Bash", "tool_use_id", w.callID(), "tool_input.command",
		"gh pr comment 142 --body late", "tool_response.stdout", "done"}
	switch one(t, "what", []string{"stop", "fact", "agent", "worker", "failure", "words",
		"loop stop", "end"}) {
	case "stop":
		w.send(ses, "stop", w.payload(ses, "Stop", "session_crons", cron, "background_tasks", "[]"),
			nothing)
	case "fact":
		w.send(ses, "post-tool-use", w.payload(ses, "PostToolUse", fact...), nothing)
	case "agent":
		w.send(ses, "post-tool-use", w.payload(ses, "PostToolUse", "tool_name", "Agent",
			"tool_use_id", w.callID(), "tool_input.prompt", "x",
			"tool_response", `{"status":"async_launched","agentId":"late"}`), nothing)
	case "worker":
		w.send(ses, "subagent-stop", w.payload(ses, "SubagentStop", "agent_id", "a1", "agent_type",
			"general-purpose"), nothing)
	case "failure":
		w.send(ses, "stop-failure", w.payload(ses, "StopFailure", "error", "rate_limit"), nothing)
	case "words":
		w.send(ses, "user-prompt-submit", w.payload(ses, "UserPromptSubmit", "prompt",
			"what is new?"), nothing)
	case "loop stop": // of a run that /clear took from its client it is a person's word
		w.prompt(ses, "", true, "/loop stop")
		w.send(ses, "user-prompt-submit", w.payload(ses, "UserPromptSubmit", "prompt",
			"/loop stop"), nothing)
	case "end":
		if !slices.Contains(w.live, ses) {
			w.send(ses, "session-end", w.payload(ses, "SessionEnd", "reason", "other"), nothing)
		}
	}
}

// compacts shortens the conversation. Session and process stay the same.
func (w *world) compacts(t *rapid.T) {
	ses := w.anyLiving(t)
	w.writes(ses, `{"type":"user","isCompactSummary":true,"message":{"role":"user",`+
		`"content":"This session is being continued"}}`)
	w.send(ses, "session-start", w.payload(ses, "SessionStart", "source", "compact"), nothing)
}

// comes and goes: whether a person is there to answer a dialog.
func (w *world) comes(*rapid.T) { w.attended = true }

func (w *world) goes(*rapid.T) {
	w.attended = false
	w.note("the session is headless from now on")
}

func (w *world) terminalAnswer(t *rapid.T) {
	var list []gate
	var loops []string
	for _, s := range w.sides {
		if s.run != nil {
			list = append(list, s.run.pending...)
			loops = append(loops, slices.Repeat([]string{s.skill}, len(s.run.pending))...)
		}
	}
	if len(list) == 0 {
		panic(impossible)
	}
	at := between(t, "gate", 0, len(list)-1)
	g, skill := list[at], ""
	text := one(t, "answer", options[g.name])
	name := strings.TrimSuffix(g.key(), ":")
	if rapid.Bool().Draw(t, "with its loop") {
		skill = loops[at]
		name = skill + ":" + name
	}
	err := w.prog.gateAnswer(w, name, text)
	w.note("gate answer %s %s → %v", name, text, err)
	if taken := w.gateAnswer(skill, g.name, g.target, text); taken != (err == nil) {
		t.Fatalf("gate answer: %v\n%s", err, w.story())
	}
}

func (w *world) terminalStop(t *rapid.T) {
	err := w.prog.loopStop(w)
	w.note("hooks loop stop → %v", err)
	if err != nil {
		t.Fatalf("loop stop: %v\n%s", err, w.story())
	}
	w.loopStop()
}

func (w *world) terminalReset(t *rapid.T) {
	err := w.prog.reset(w)
	w.note("hooks loop reset → %v", err)
	if refused := w.reset(); refused != (err != nil) {
		t.Fatalf("reset: %v, the model refuses: %v\n%s", err, refused, w.story())
	}
}

// callID is another one for every call, as the client's are.
func (w *world) callID() string {
	w.dialogs++
	return fmt.Sprintf("t%d", w.dialogs)
}
