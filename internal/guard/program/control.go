package program

import (
	"slices"
	"strings"

	"hooks/internal/guard/effect"
	"hooks/internal/guard/plain"
	"hooks/internal/guard/shellword"
)

// judgeHooks reads a command line of this very program. Only a person may answer a gate, reset a
// loop or send an event.
func judgeHooks(f *plain.Frame, argv []shellword.Word) {
	args := argv[1:]
	for len(args) > 0 && strings.HasPrefix(args[0].Text, "-") {
		args = args[1:]
	}
	if len(args) == 0 || shellword.AsksHelp(args, "") {
		return
	}
	verb := args[0]
	sub := shellword.ParseFlags(args[1:], "").Arg(0)
	switch verb.Text {
	case "stop", "pre-tool-use", "post-tool-use", "post-tool-use-failure", "user-prompt-submit",
		"user-prompt-expansion", "subagent-stop", "session-start", "session-end", "stop-failure",
		"deliver":
		f.Act(effect.Act{Kind: effect.AnswerGate, Ref: "event " + verb.Text}, argv)
	case "gate":
		if sub.Text == "answer" || !sub.Known() {
			f.Act(effect.Act{Kind: effect.AnswerGate, Ref: "gate"}, argv)
		}
	case "loop":
		if sub.Text == "reset" || !sub.Known() {
			f.Act(effect.Act{Kind: effect.AnswerGate, Ref: "loop reset"}, argv)
		}
	case "go":
		f.Act(effect.Act{Kind: effect.OtherSession, Ref: "clients of its own, one for each task"},
			argv)
	case "install", "uninstall":
		f.Act(effect.Act{Kind: effect.DropRegistration, Ref: verb.Text}, argv)
	case "doctor":
		if shellword.HasWord(args, "--fix") {
			f.Act(effect.Act{Kind: effect.WriteState, Ref: ".sdd/loop"}, argv)
		}
	case "report":
		for _, name := range []string{"CLAUDE_CODE_SESSION_ID", "CLAUDE_PROJECT_DIR"} {
			if f.Known(name) { // facts in another session's name
				f.Act(effect.Act{Kind: effect.AnswerGate, Ref: name}, argv)
			}
		}
	default:
		if !verb.Known() {
			f.Opaque(shellword.Join(argv), "the hooks command is only known when it runs")
		}
	}
}

// hooksElsewhere reports whether words are this program's under any name: no other program has such
// commands.
func hooksElsewhere(argv []shellword.Word) bool {
	if len(argv) < 2 {
		return false
	}
	switch line := shellword.JoinText(argv[1:min(3, len(argv))]); line {
	case "gate answer", "loop reset":
		return true
	}
	return shellword.Has(`pre-tool-use post-tool-use post-tool-use-failure user-prompt-submit
user-prompt-expansion`, argv[1].Text)
}

// judgeClaude reads a command line of the client: changing plugins, or starting a client of its
// own.
func judgeClaude(f *plain.Frame, argv []shellword.Word) {
	fl := shellword.ParseFlags(argv[1:], `--settings --setting-sources --scope -s --model --add-dir
--plugin-dir --allowedTools --permission-mode --output-format`)
	if shellword.AsksHelp(argv, "") || fl.On("-v", "--version") {
		return
	}
	const manages = `plugin plugins config mcp doctor update upgrade install migrate-installer
setup-token auth agents`
	verb, sub, third := fl.Arg(0).Text, fl.Arg(1).Text, fl.Arg(2).Text
	switch {
	case !shellword.Has(manages, verb),
		fl.On("-p", "--print", "--bg", "--background", "--cloud"):
		f.Act(effect.Act{Kind: effect.OtherSession, Ref: "a client of its own"}, argv)
	case shellword.Has("plugin plugins", verb) &&
		(shellword.Has("uninstall disable remove rm install i enable update", sub) ||
			sub == "marketplace" && shellword.Has("remove rm add update", third)),
		verb == "config" && shellword.Has("set add remove rm", sub) &&
			!shellword.Has("model theme verbose preferredNotifChannel", third):
		f.Act(effect.Act{Kind: effect.DropRegistration, Ref: shellword.JoinText(fl.Pos)}, argv)
	}
}

// clientName is "claude" for every name under which the client is started: a package with its
// version, an installed version's own file, the running program of a process.
func clientName(name, text string) string {
	bare, _, _ := strings.Cut(name, "@")
	switch {
	case bare == "claude-code", strings.HasPrefix(bare, "claude-code-"),
		bare == "claude" && bare != name,
		strings.HasPrefix(text, "/proc/") && strings.HasSuffix(text, "/exe"),
		strings.Contains(text, "/claude/versions/"):
		return "claude"
	}
	return name
}

// noteLibrary records the client's library in a program's text.
func noteLibrary(f *plain.Frame, text string, argv []shellword.Word) {
	const names = `claude_agent_sdk claude-agent-sdk claude_code_sdk claude-code-sdk
@anthropic-ai/claude-code`
	if shellword.HasPart(text, names) {
		f.Act(effect.Act{Kind: effect.OtherSession, Ref: "a client of its own, by its library"},
			argv)
	}
}

// judgeKill reads a command that ends processes by their name. A hook that is killed decides
// nothing, and the tool call that it was asked about passes.
func judgeKill(f *plain.Frame, name string, argv []shellword.Word) {
	ours := "hooks"
	for _, w := range argv[1:] {
		if w.Text == "--full" || shellword.Shorts(w.Text, 'f') {
			ours = `bin/hooks pre-tool-use bin/hooks post-tool-use bin/hooks stop bin/hooks
user-prompt-submit`
		}
	}
	if !shellword.Has("pgrep pidof", name) {
		ours += " claude -p"
	}
	for _, w := range argv[1:] {
		pattern := strings.TrimSuffix(strings.Trim(w.Text, "^$.*"), ".exe")
		if len(pattern) > 2 && w.Text[0] != '-' && strings.Contains(ours, pattern) {
			f.Act(effect.Act{Kind: effect.DropRegistration, Ref: "the processes of the hooks"},
				argv)
			return
		}
	}
}

// judgeSignal reads a command that ends a process, stops it or looks into it, by its number. The
// client's own would end the hooks with it, or hold them.
func judgeSignal(f *plain.Frame, name string, argv []shellword.Word) {
	if !shellword.Has(`kill skill snice pkill gdb lldb gcore strace ltrace dtruss reptyr dlv prlimit
renice cpulimit taskset chrt nsenter`, name) {
		return
	}
	if name == "kill" && probes(argv[1:]) {
		return
	}
	pid := f.M.Call.PID
	hits := func(w shellword.Word) bool {
		text := strings.TrimLeft(w.Text, "-p")
		if _, value, ok := strings.Cut(text, "="); ok {
			text = value
		}
		name := strings.Trim(w.Src[strings.LastIndexAny(w.Src, "=$")+1:], `{}"`)
		return pid != "" && text == pid || !w.Known() && shellword.Has("CLAUDE_PID PPID", name)
	}
	unknown := func(w shellword.Word) bool { return !w.Known() }
	everybody := len(argv) > 2 && argv[len(argv)-1].Text == "-1"
	searched := slices.ContainsFunc(argv[1:], unknown) && searchesOurs(f.M.Call.CommandText())
	if slices.ContainsFunc(argv[1:], hits) || name == "kill" && (everybody || searched) {
		f.Act(effect.Act{Kind: effect.DropRegistration, Ref: "the client's process"}, argv)
	}
}

// probes reports whether kill sends nothing and only asks whether a process is there.
func probes(args []shellword.Word) bool {
	head := shellword.JoinText(args[:max(0, len(args)-1)])
	return head == "-0" || head == "-s 0"
}

// searchesOurs finds a search for the processes of the hooks or of the client in a command line.
func searchesOurs(text string) bool {
	text = strings.NewReplacer("[", "", "]", "").Replace(text)
	ends := func(c rune) bool { return strings.ContainsRune("|;&()`\n", c) }
	for part := range strings.FieldsFuncSeq(text, ends) {
		words := strings.Fields(part)
		searches := len(words) > 1 && shellword.Has("pgrep pidof grep egrep rg ps awk", words[0])
		if searches && shellword.HasPart(part, "hooks claude") {
			return true
		}
	}
	return false
}
