package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/rogpeppe/go-internal/testscript"
	"github.com/tidwall/gjson"
	"github.com/tidwall/sjson"

	"hooks/internal/seal"
	"hooks/scripts/forgetest"
)

// What stories call: `event`, `answer` and `spend` build what the client would send or write, and
// start the program as the client does. The session, prompt and project come from the environment.

// eventMain sends one event: `event stop background_tasks='[…]'`. Values that are JSON are taken as
// such. Shorthands: `event work ARGS…`, `event loop ARGS…` and so on are the typed command,
// `event named NAME ARGS…` any other one, `event skill NAME ARGS…` the Skill tool, `event bash
// COMMAND` a shell call before it runs, `event ran COMMAND` one that has. It prints the reply in
// plain words.
func eventMain(args []string) int {
	word, payload := shorthand(args)
	reply, code := send(word, payload)
	fmt.Print(plain(reply))
	return code
}

func shorthand(args []string) (word, payload string) {
	rest := strings.Join(args[1:], " ")
	base := basePayload()
	with := func(p string, pairs ...string) string {
		for i := 0; i < len(pairs); i += 2 {
			p, _ = sjson.Set(p, pairs[i], pairs[i+1])
		}
		return p
	}
	switch args[0] {
	case "work", "review", "go", "start", "audit", "do", "named":
		name := "sdd:" + args[0]
		switch args[0] {
		case "do":
			name = "hooks:do"
		case "named":
			name, rest = args[1], strings.Join(args[2:], " ")
		}
		p := with(base, "hook_event_name", "UserPromptExpansion", "expansion_type", "slash_command",
			"command_source", "plugin",
			"command_name", name, "command_args", rest, "prompt", "/"+name+" "+rest)
		return "user-prompt-expansion", p
	case "loop": // the line behind the client's own /loop
		p := with(base, "hook_event_name", "UserPromptExpansion", "expansion_type", "slash_command",
			"command_source", "bundled", "command_name", "loop", "command_args", rest,
			"prompt", "/loop "+rest)
		return "user-prompt-expansion", p
	case "typed": // a prompt in words
		return "user-prompt-submit",
			with(base, "hook_event_name", "UserPromptSubmit", "prompt", rest)
	case "skill":
		return "pre-tool-use",
			with(base, "hook_event_name", "PreToolUse", "tool_name", "Skill", "tool_use_id",
				callID("skill"),
				"tool_input.skill", args[1], "tool_input.args", strings.Join(args[2:], " "))
	case "bash":
		return "pre-tool-use",
			with(base, "hook_event_name", "PreToolUse", "tool_name", "Bash", "tool_use_id",
				callID("bash"), "tool_input.command", rest)
	case "ran":
		return "post-tool-use",
			with(base, "hook_event_name", "PostToolUse", "tool_name", "Bash", "tool_use_id",
				callID("bash"),
				"tool_input.command", rest, "tool_response.stdout", os.Getenv("STDOUT"))
	case "failed": // a shell call that ended with an error: ERROR is what the client says of it
		return "post-tool-use-failure",
			with(base, "hook_event_name", "PostToolUseFailure", "tool_name", "Bash", "tool_use_id",
				callID("bash"),
				"tool_input.command", rest, "error",
				strings.ReplaceAll(os.Getenv("ERROR"), `\n`, "\n"))
	case "ask":
		return "pre-tool-use", dialog(base, "PreToolUse", rest)
	case "agent":
		return "pre-tool-use",
			with(base, "hook_event_name", "PreToolUse", "tool_name", "Agent", "tool_use_id",
				callID("agent"),
				"tool_input.prompt", rest, "tool_input.description", "worker")
	}
	return args[0], pairs(with(base, "hook_event_name", eventName(args[0])), args[1:])
}

func eventName(word string) string {
	var b strings.Builder
	for _, part := range strings.Split(word, "-") {
		b.WriteString(strings.ToUpper(part[:1]) + part[1:])
	}
	return b.String()
}

func pairs(p string, list []string) string {
	for _, kv := range list {
		k, v, _ := strings.Cut(kv, "=")
		if gjson.Valid(v) {
			p, _ = sjson.SetRaw(p, k, v)
		} else {
			p, _ = sjson.Set(p, k, v)
		}
	}
	return p
}

func basePayload() string {
	p := "{}"
	for k, v := range map[string]string{
		"session_id": os.Getenv("SESSION"), "prompt_id": os.Getenv("PROMPT"),
		"cwd":             os.Getenv("CLAUDE_PROJECT_DIR"),
		"transcript_path": transcript(), "permission_mode": "acceptEdits",
	} {
		p, _ = sjson.Set(p, k, v)
	}
	return p
}

func transcript() string {
	return filepath.Join(os.Getenv("WORK"), os.Getenv("SESSION")+".jsonl")
}

// callID returns a call id that no other command of the story has, as each of the client's calls
// has its own. CALL repeats an earlier one.
func callID(tool string) string {
	if id := os.Getenv("CALL"); id != "" {
		return id
	}
	return fmt.Sprintf("toolu_%s_%s_%d_%d", tool, os.Getenv("PROMPT"), os.Getpid(), played)
}

// dialog is an AskUserQuestion call with a question of the model's own wording.
func dialog(p, name, question string) string {
	for k, v := range map[string]string{
		"hook_event_name": name, "tool_name": "AskUserQuestion", "tool_use_id": callID("ask"),
		"tool_input.questions.0.question": question, "tool_input.questions.0.header": "Model",
		"tool_input.questions.0.options.0.label": "fine",
		"tool_input.questions.0.options.1.label": "not fine",
	} {
		p, _ = sjson.Set(p, k, v)
	}
	return p
}

// answerMain plays the dialog: the model asks in its own words, the program fills in the true
// questions, the person answers them in order, and the client reports the answers. It prints the
// questions shown and the program's reply. Anything after a -- is set on the response, as in
// afkTimeoutMs=60000.
func answerMain(args []string) int {
	answers, extra := args, []string(nil)
	for i, a := range args {
		if a == "--" {
			answers, extra = args[:i], args[i+1:]
		}
	}
	asked, code := send("pre-tool-use", dialog(basePayload(), "PreToolUse", "May I proceed?"))
	if code != 0 {
		return code
	}
	fmt.Print(plain(asked))
	questions := gjson.GetBytes(asked, "hookSpecificOutput.updatedInput.questions")
	if !questions.Exists() {
		return 1
	}
	response, _ := sjson.SetRaw("{}", "questions", questions.Raw)
	given := map[string]string{}
	for i, q := range questions.Array() {
		if i < len(answers) {
			given[q.Get("question").String()] = answers[i]
		}
	}
	response, _ = sjson.Set(response, "answers", given)
	response = pairs(response, extra)
	p, _ := sjson.SetRaw(dialog(basePayload(), "PostToolUse", "May I proceed?"), "tool_response",
		response)
	p, _ = sjson.SetRaw(p, "tool_input", response)
	if os.Getenv("MISS_POST") != "" { // PostToolUse is not registered: only the transcript knows
		return appendLine(
			`{"type":"user","message":{"role":"user","content":[{"type":"tool_result","tool_use_id":"` + callID("ask") +
				`","content":"answered"}]},"toolUseResult":` + response + `}`)
	}
	reply, code := send("post-tool-use", p)
	fmt.Print(plain(reply))
	return code
}

// spendMain writes an assistant message with its usage to the transcript: `spend in=1000 out=50000
// model=claude-opus-5-5`.
func spendMain(args []string) int {
	v := map[string]string{"in": "0", "out": "0", "read": "0", "write": "0",
		"model": "claude-opus-5-5", "text": "done"}
	for _, a := range args {
		k, val, _ := strings.Cut(a, "=")
		v[k] = val
	}
	id := strconv.Itoa(lineCount() + 1)
	return appendLine(
		fmt.Sprintf(
			`{"type":"assistant","requestId":"req_%s","message":{"id":"msg_%s","role":"assistant","model":%q,"content":[{"type":"text","text":%q}],`+
				`"usage":{"input_tokens":%s,"output_tokens":%s,"cache_read_input_tokens":%s,"cache_creation_input_tokens":%s}}}`,
			id, id, v["model"], v["text"], v["in"], v["out"], v["read"], v["write"]))
}

func lineCount() int {
	b, _ := os.ReadFile(transcript())
	return bytes.Count(b, []byte("\n"))
}

func appendLine(line string) int {
	f, err := os.OpenFile(transcript(), os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer f.Close()
	fmt.Fprintln(f, line)
	return 0
}

// send is one call of the program. It is this very process, unless the story puts another program in
// its place, or the client's side of its standard input matters.
func send(word, payload string) (reply []byte, code int) {
	reply, err := answered(word, payload)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return reply, 1
	}
	if text := longRefusal(reply); text != "" {
		fmt.Fprintf(os.Stderr, "a refusal of over three lines:\n%s\n", text)
		return reply, 1
	}
	return reply, 0
}

func answered(word, payload string) ([]byte, error) {
	cmd := exec.Command("hooks", word)
	cmd.Stderr = os.Stderr
	client, socket := nextSocket()
	late := os.Getenv("HEARS_AFTER")
	switch {
	case socket != nil:
		cmd.Stdin = socket
		if _, err := client.WriteString(payload); err != nil {
			return nil, err
		}
		defer client.Close()
	case late != "":
		cmd.Stdin = io.MultiReader(&after{file: late}, strings.NewReader(payload))
	case !own(cmd.Path):
		cmd.Stdin = strings.NewReader(payload)
	default:
		var out bytes.Buffer
		code, isHook := hook(testApp(), word, strings.NewReader(payload), &out, os.Stderr)
		if code != 0 || !isHook {
			return nil, fmt.Errorf("%s is no event: %d", word, code)
		}
		return out.Bytes(), nil
	}
	return cmd.Output()
}

// own reports whether a program is this one. A story may put another in its place.
func own(program string) bool {
	self, _ := os.Executable()
	return filepath.Dir(program) == filepath.Dir(self)
}

// longRefusal is the reason of a refused call if it has over three lines, "" otherwise. The status
// block of a skipped tick is the specification's.
func longRefusal(reply []byte) string {
	text := gjson.GetBytes(reply, "hookSpecificOutput.permissionDecisionReason").String()
	if strings.Count(text, "\n") < 3 || strings.Contains(text, "\n## Loop Iteration") {
		return ""
	}
	return text
}

// after is an empty reader that ends once a file is there: a call that began before it was made
// hears of it late. That the call has begun is told by another file.
type after struct{ file string }

func (a *after) Read([]byte) (int, error) {
	if a.file == "" {
		return 0, io.EOF
	}
	err := os.WriteFile(a.file+".begun", nil, 0o600)
	for until := time.Now().Add(time.Minute); err == nil &&
		time.Now().Before(until); time.Sleep(10 * time.Millisecond) {
		if _, missing := os.Stat(a.file); missing == nil {
			return 0, io.EOF
		}
	}
	return 0, fmt.Errorf("wait for %s: %w", a.file, err)
}

// plain prints a reply as the two readers see it, one part after the other.
func plain(reply []byte) string {
	if len(bytes.TrimSpace(reply)) == 0 {
		return ""
	}
	if !gjson.ValidBytes(reply) {
		return "INVALID: " + string(reply)
	}
	var b strings.Builder
	r := gjson.ParseBytes(reply)
	for _, part := range []struct{ name, path string }{
		{"decision", "decision"}, {"decision", "hookSpecificOutput.permissionDecision"},
		{"reason", "reason"}, {"reason", "hookSpecificOutput.permissionDecisionReason"},
		{"model", "hookSpecificOutput.additionalContext"}, {"person", "systemMessage"},
	} {
		if v := r.Get(part.path); v.Exists() {
			fmt.Fprintf(&b, "%s: %s\n", part.name, v.String())
		}
	}
	if v := r.Get("continue"); v.Exists() {
		fmt.Fprintf(&b, "continue: %s\n", v.String())
	}
	if v := r.Get("hookSpecificOutput.suppressOriginalPrompt"); v.Exists() {
		fmt.Fprintf(&b, "hidden: %s\n", v.String())
	}
	if v := r.Get("terminalSequence"); v.Exists() {
		fmt.Fprintf(&b, "terminal: %q\n", v.String())
	}
	if v := r.Get("hookSpecificOutput.updatedInput.prompt"); v.Exists() {
		fmt.Fprintf(&b, "prompt: %s\n", v.String())
	}
	if v := r.Get("hookSpecificOutput.decision"); v.Exists() {
		fmt.Fprintf(&b, "dialog: %s %s\n", v.Get("behavior"), v.Get("updatedInput.answers"))
	}
	for _, q := range r.Get("hookSpecificOutput.updatedInput.questions").Array() {
		var labels []string
		for _, o := range q.Get("options").Array() {
			labels = append(labels, o.Get("label").String())
		}
		fmt.Fprintf(&b, "question: [%s] %s (%s)\n", q.Get("header").String(),
			q.Get("question").String(), strings.Join(labels, ", "))
	}
	return b.String()
}

// fieldMain prints one value of a JSON file by its path: `field work.budget.json max_prs`. In a
// .jsonl file the path begins with the line, from 0 or as the word last: `field work.history.jsonl
// last.gates.0.answer`. A missing value is an error; lists and objects are printed without blanks.
func fieldMain(args []string) int {
	text, err := os.ReadFile(args[0])
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	data, path := string(text), args[1]
	if strings.HasSuffix(args[0], ".jsonl") {
		lines := strings.Split(strings.TrimSpace(data), "\n")
		at, rest, _ := strings.Cut(path, ".")
		n, err := strconv.Atoi(at)
		if at == "last" {
			n, err = len(lines)-1, nil
		}
		if err != nil || n >= len(lines) {
			fmt.Fprintf(os.Stderr, "%s has no line %q\n", args[0], at)
			return 1
		}
		data, path = lines[n], rest
	}
	v := gjson.Get(data, path)
	if v.IsArray() || v.IsObject() {
		v = v.Get("@ugly")
	}
	fmt.Println(v.String())
	if !v.Exists() {
		return 1
	}
	return 0
}

// tellMain is `hooks report` run inside the session, with its JSON as arguments.
func tellMain(args []string) int {
	report := strings.Join(args, " ")
	_ = os.Setenv("CLAUDE_CODE_SESSION_ID", os.Getenv("SESSION"))
	cmd := exec.Command("hooks", "report")
	cmd.Stdin, cmd.Stdout, cmd.Stderr = strings.NewReader(report), os.Stdout, os.Stderr
	if !own(cmd.Path) {
		if cmd.Run() != nil {
			return 1
		}
		return 0
	}
	changed, err := testApp().Report(cmd.Stdin)
	if err != nil {
		complain(os.Stderr, err)
		return 1
	}
	fmt.Println(changed)
	return 0
}

// refusedMain starts a skill by both ways in and prints the reason for which both refuse; anything
// else is an error.
func refusedMain(args []string) int {
	word, payload := shorthand(args)
	typed, code := send(word, payload)
	word, payload = shorthand(append([]string{"skill", "sdd:" + args[0]}, args[1:]...))
	invoked, code2 := send(word, payload)
	reason := gjson.GetBytes(typed, "reason").String()
	ok := code == 0 && code2 == 0 && gjson.GetBytes(typed, "decision").Str == "block" &&
		reason != "" &&
		gjson.GetBytes(invoked, "hookSpecificOutput.permissionDecision").Str == "deny" &&
		gjson.GetBytes(invoked, "hookSpecificOutput.permissionDecisionReason").String() == reason
	if !ok {
		fmt.Fprintf(os.Stderr, "not refused alike:\n%s\n%s\n", typed, invoked)
		return 1
	}
	fmt.Println(reason)
	return 0
}

// putMain writes a JSON file, or changes fields of one that is there: `put p/.sdd/loop/work.lock
// pid=$DEADPID skill=work`. A .jsonl file gets one more line.
func putMain(args []string) int {
	old, _ := os.ReadFile(args[0])
	text := pairs(strings.TrimSpace(string(old)), args[1:])
	if strings.HasSuffix(args[0], ".jsonl") {
		text = string(old) + pairs("{}", args[1:])
	}
	if err := os.WriteFile(args[0], []byte(text+"\n"), 0o600); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return 0
}

// resealMain makes the records of the project follow what a story put into its budgets: a state that
// no event of today makes, as an older program left it.
func resealMain() int {
	project := os.Getenv("CLAUDE_PROJECT_DIR")
	dir := seal.At(seal.Home(os.Getenv))
	records, err := dir.Of(project)
	for _, r := range records {
		for i := range r.Loops {
			text, rerr := os.ReadFile(filepath.Join(project, r.Loops[i].Budget))
			r.Loops[i].State.Budget = seal.Trim(text)
			err = errors.Join(err, rerr)
		}
		err = errors.Join(err, dir.Save(r))
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return 0
}

// storyCmds are what stories do to real processes and to the transcript. `client NAME` starts a
// process that lives until `die NAME`, with its pid in the variable NAME. `esc` is the client's
// mark of a person's Esc, `fires PROMPT` its mark of a prompt that its scheduler submits.
// `gh-answers DIR` puts gh, glab and tea on PATH that answer from the files of DIR and log their
// calls in DIR/calls.log: see package forgetest. `tracker 142 def5678 ann` has the project's GitHub
// answer that PR #142 is at that commit and that ann commented; without a name no one did. `by-client event …` and `by-client answer …` come
// over a socket of the client, as real events do; what `exec` sends comes through a pipe.
var storyCmds = map[string]func(*testscript.TestScript, bool, []string){
	"client": func(ts *testscript.TestScript, _ bool, args []string) {
		c := exec.Command("lives")
		ts.Check(c.Start())
		ts.Setenv(args[0], strconv.Itoa(c.Process.Pid))
		ts.Defer(func() { _ = c.Process.Kill() })
	},
	"die": func(ts *testscript.TestScript, _ bool, args []string) {
		pid, err := strconv.Atoi(ts.Getenv(args[0]))
		ts.Check(err)
		c, err := os.FindProcess(pid)
		ts.Check(err)
		ts.Check(c.Kill())
		_, err = c.Wait()
		ts.Check(err)
	},
	"esc": func(ts *testscript.TestScript, _ bool, _ []string) {
		line, err := sjson.Set(
			`{"type":"user","message":{"role":"user","content":[{"type":"text","text":"[Request interrupted by user]"}]}}`, "promptId", ts.Getenv("PROMPT"))
		ts.Check(err)
		perform(ts, "append", line)
	},
	"gh-answers": func(ts *testscript.TestScript, _ bool, args []string) {
		ghAnswers(ts, args[0])
	},
	"agree":     agree,
	"tracker":   trackerCmd,
	"by-client": byClient,
	"forged":    forged,
	// queued writes the lines with which the client sends a prompt of its own.
	"queued": func(ts *testscript.TestScript, _ bool, args []string) {
		line, err := sjson.Set(`{"type":"queue-operation","operation":"enqueue"}`, "content",
			strings.Join(args, " "))
		ts.Check(err)
		perform(ts, "append", line)
		perform(ts, "append", `{"type":"queue-operation","operation":"dequeue"}`)
	},
	"fires": func(ts *testscript.TestScript, _ bool, args []string) {
		line, err := sjson.Set(`{"type":"system","subtype":"scheduled_task_fire"}`, "prompt",
			strings.Join(args, " "))
		ts.Check(err)
		perform(ts, "append", line)
	},
}

func ghAnswers(ts *testscript.TestScript, dir string) {
	self, err := os.Executable()
	ts.Check(err)
	bin := ts.MkAbs(".forges")
	ts.Check(forgetest.Install(bin, ts.MkAbs(dir), self))
	if !strings.HasPrefix(ts.Getenv("PATH"), bin) {
		ts.Setenv("PATH", bin+string(os.PathListSeparator)+ts.Getenv("PATH"))
	}
}

func trackerCmd(ts *testscript.TestScript, _ bool, args []string) {
	const answers = ".answers"
	ghAnswers(ts, answers)
	ts.Check(os.MkdirAll(ts.MkAbs(answers), 0o755))
	config := filepath.Join(ts.Getenv("CLAUDE_PROJECT_DIR"), "CLAUDE.md")
	text, _ := os.ReadFile(config)
	if !strings.Contains(string(text), "# Tracker") {
		if !strings.Contains(string(text), "SDD Configuration") {
			text = append(text, "\n### SDD Configuration\n"...)
		}
		text = append(text, "\n#### Tracker\n\n- **Type**: github\n- **Repo**: acme/app\n"...)
		ts.Check(os.WriteFile(config, text, 0o644))
	}
	var spoke []string
	for _, login := range args[2:] {
		spoke = append(spoke, fmt.Sprintf(
			`{"createdAt":"2026-11-20T10:00:00Z","author":{"__typename":"User","login":%q}}`, login))
	}
	pr := fmt.Sprintf(`{"data":{"repository":{"nameWithOwner":"acme/app","pullRequest":{`+
		`"number":%[1]s,"state":"OPEN","headRefName":"feature/%[1]s","headRefOid":%[2]q,`+
		`"comments":{"totalCount":%[3]d,"nodes":[%[4]s]},"reviews":{"totalCount":0,"nodes":[]}}}}}`,
		args[0], args[1], len(spoke), strings.Join(spoke, ","))
	ts.Check(os.WriteFile(ts.MkAbs(answers+"/pr-"+args[0]+".json"), []byte(pr), 0o644))
}

// dropMain takes one value out of a JSON file: `drop FILE PATH`.
func dropMain(args []string) int {
	text, err := os.ReadFile(args[0])
	if err == nil {
		text, err = sjson.DeleteBytes(text, args[1])
	}
	if err == nil {
		err = os.WriteFile(args[0], text, 0o600)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return 0
}

// forgeMain adds a copy of a history's last line that claims to be a later one.
func forgeMain(args []string) int {
	text, err := os.ReadFile(args[0])
	if err == nil {
		lines := strings.Split(strings.TrimSpace(string(text)), "\n")
		line, _ := sjson.Set(lines[len(lines)-1], "seq", 50)
		err = os.WriteFile(args[0], []byte(string(text)+line+"\n"), 0o600)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return 0
}

// canMount is the condition [mount]: a story can mount things in a namespace of its own.
func canMount(cond string) (bool, error) {
	if cond != "mount" {
		return false, fmt.Errorf("unknown condition %q", cond)
	}
	return exec.Command("unshare", "--user", "--map-root-user", "--mount", "true").Run() == nil, nil
}
