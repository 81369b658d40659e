package program

import (
	"slices"
	"strings"

	"hooks/internal/guard/effect"
	"hooks/internal/guard/plain"
	"hooks/internal/guard/shellword"
)

// judgeHooks records a hooks command line that the model must not run. Only a person may run
// commands such as gate answer, loop reset or install, and only the client may send events.
func judgeHooks(f *plain.Frame, argv []shellword.Word) {
	args := argv[1:]
	for len(args) > 0 && strings.HasPrefix(args[0].Text, "-") {
		args = args[1:]
	}
	if len(args) == 0 || shellword.AsksHelp(args, "") {
		return
	}
	verb, sub := args[0].Text, shellword.ParseFlags(args[1:], "").Arg(0)
	a := effect.Act{Kind: effect.AnswerGate, Ref: verb}
	switch {
	case !args[0].Known():
		f.Opaque(shellword.Join(argv), "the hooks command is only known at run time")
		return
	case shellword.Has(events, verb):
		a.Ref = "event " + verb
	case verb == "gate" && (sub.Text == "answer" || !sub.Known()):
	case shellword.Has("loop tasks audit", verb) &&
		(shellword.Has("reset raise add accept close", sub.Text) || !sub.Known()):
		a.Ref = verb + " " + sub.Show()
	case verb == "report" && (f.Known("CLAUDE_CODE_SESSION_ID") || f.Known("CLAUDE_PROJECT_DIR")):
		a.Ref = "another session's report"
	case verb == "go":
		a.Kind, a.Ref = effect.OtherSession, "a separate client for each task"
	case verb == "install" || verb == "uninstall":
		a.Kind = effect.DropRegistration
	case verb == "doctor" && slices.Contains(shellword.Texts(args), "--fix"):
		a.Kind, a.Ref = effect.WriteState, ".sdd/loop"
	default:
		return
	}
	f.Act(a, argv)
}

// events lists subcommands that only the client or this program itself runs.
const events = `stop pre-tool-use post-tool-use post-tool-use-failure user-prompt-submit
user-prompt-expansion subagent-stop session-start session-end stop-failure config-change
permission-request deliver`

// judgeClaude records a client command that starts a session or changes plugins or settings.
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
		f.Act(effect.Act{Kind: effect.OtherSession, Ref: "a separate client"}, argv)
	case shellword.Has("plugin plugins", verb) &&
		(shellword.Has("uninstall disable remove rm install i enable update", sub) ||
			sub == "marketplace" && shellword.Has("remove rm add update", third)),
		verb == "config" && shellword.Has("set add remove rm", sub) &&
			!shellword.Has("model theme verbose preferredNotifChannel", third):
		f.Act(effect.Act{Kind: effect.DropRegistration, Ref: shellword.JoinText(fl.Pos)}, argv)
	}
}

// clientName returns "claude" if name or text identifies the client: its package, claude@VERSION,
// the path of an installed version, or /proc/PID/exe. Otherwise it returns name.
func clientName(name, text string) string {
	bare, _, versioned := strings.Cut(name, "@")
	if bare == "claude-code" || strings.HasPrefix(bare, "claude-code-") ||
		bare == "claude" && versioned || strings.Contains(text, "/claude/versions/") ||
		strings.HasPrefix(text, "/proc/") && strings.HasSuffix(text, "/exe") {
		return "claude"
	}
	return name
}

// judgeKill records a command that may end, stop, trace or look up the hooks or the client, by name
// or by process id. If a hook is killed before it decides, the client lets the tool call pass.
func judgeKill(f *plain.Frame, name string, argv []shellword.Word) {
	named := shellword.Has("pkill killall pgrep pidof taskkill", name)
	if !named && !shellword.Has("kill gdb lldb strace ltrace renice", name) {
		return
	}
	ours, pid := "hooks", f.M.Call.PID
	if named && slices.ContainsFunc(argv[1:], func(w shellword.Word) bool {
		return w.Text == "--full" || shellword.Shorts(w.Text, 'f')
	}) {
		ours = "bin/hooks pre-tool-use post-tool-use stop user-prompt-submit"
	}
	if strings.Contains(f.M.Call.CommandText(), "kill") {
		ours += " claude -p"
	}
	for i, w := range argv[1:] {
		number := w.Text[strings.LastIndexByte(w.Text, '=')+1:]
		variable := strings.Trim(w.Src[strings.LastIndexAny(w.Src, "=$")+1:], `{}"`)
		pattern := strings.TrimSuffix(strings.Trim(w.Text, "^$.*"), ".exe")
		switch {
		case named && len(pattern) > 2 && w.Text[0] != '-' && strings.Contains(ours, pattern):
			f.Act(effect.Act{Kind: effect.DropRegistration, Ref: "the processes of the hooks"},
				argv)
			return
		case name == "kill" && (argv[1].Text == "-0" || len(argv) < 3 && w.Text == "-1"):
			return // -0 only tests whether a process exists; -1 alone is a signal
		case pid != "" && strings.TrimLeft(number, "-p") == pid,
			!w.Known() && shellword.Has("CLAUDE_PID PPID", variable),
			name == "kill" && i > 0 && w.Text == "-1":
			f.Act(effect.Act{Kind: effect.DropRegistration, Ref: "the client's process"}, argv)
			return
		}
	}
}
