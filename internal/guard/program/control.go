package program

import (
	"strings"

	"hooks/internal/guard/act"
	"hooks/internal/guard/shell"
	"hooks/internal/guard/word"
)

// hooks reads a command line of this very program: what answers a gate or forges an event is for a person alone.
func hooks(f *shell.Frame, argv []word.Word) {
	args := argv[1:]
	for len(args) > 0 && strings.HasPrefix(args[0].Text, "-") {
		args = args[1:]
	}
	if len(args) == 0 || word.AsksHelp(args, "") {
		return
	}
	verb := args[0]
	sub := word.ParseFlags(args[1:], "").Arg(0)
	switch verb.Text {
	case "stop", "pre-tool-use", "post-tool-use", "post-tool-use-failure", "user-prompt-submit", "user-prompt-expansion",
		"subagent-stop", "session-start", "session-end", "stop-failure", "deliver":
		f.Act(act.Act{Kind: act.AnswerGate, Ref: "event " + verb.Text}, argv)
	case "gate":
		if sub.Text == "answer" || !sub.Known() {
			f.Act(act.Act{Kind: act.AnswerGate, Ref: "gate"}, argv)
		}
	case "loop":
		if sub.Text == "reset" || !sub.Known() {
			f.Act(act.Act{Kind: act.AnswerGate, Ref: "loop reset"}, argv)
		}
	case "install", "uninstall":
		f.Act(act.Act{Kind: act.DropRegistration, Ref: verb.Text}, argv)
	case "doctor":
		if word.HasWord(args, "--fix") {
			f.Act(act.Act{Kind: act.WriteState, Ref: ".sdd/loop"}, argv)
		}
	case "report":
		for _, name := range []string{"CLAUDE_CODE_SESSION_ID", "CLAUDE_PROJECT_DIR"} {
			if f.Known(name) { // facts told in another session's name
				f.Act(act.Act{Kind: act.AnswerGate, Ref: name}, argv)
			}
		}
	default:
		if !verb.Known() {
			f.Opaque(word.Join(argv), "the hooks command is only known when it runs")
		}
	}
}

// hooksElsewhere is this program under another name: what stands behind the name is like nothing else.
func hooksElsewhere(argv []word.Word) bool {
	if len(argv) < 2 {
		return false
	}
	switch argv[1].Text {
	case "gate":
		return len(argv) > 2 && argv[2].Text == "answer"
	case "loop":
		return len(argv) > 2 && argv[2].Text == "reset"
	}
	return word.Has("pre-tool-use post-tool-use post-tool-use-failure user-prompt-submit user-prompt-expansion", argv[1].Text)
}

// ends reads a command that ends or stops processes by their name: a hook that is killed decides nothing, and the tool
// call that it was asked about passes.
func ends(f *shell.Frame, name string, argv []word.Word) {
	samples := []string{"hooks"}
	for _, w := range argv[1:] {
		if w.Text == "--full" || word.Shorts(w.Text, 'f') {
			samples = []string{"bin/hooks pre-tool-use", "bin/hooks post-tool-use", "bin/hooks stop", "bin/hooks user-prompt-submit"}
		}
	}
	if name == "pkill" || name == "killall" || name == "skill" || name == "taskkill" {
		samples = append(samples, "claude", "claude -p")
	}
	for _, w := range argv[1:] {
		pattern := strings.TrimSuffix(strings.Trim(w.Text, "^$.*"), ".exe")
		for _, s := range samples {
			if len(pattern) > 2 && w.Text[0] != '-' && (s == pattern || name != "killall" && name != "pidof" && strings.Contains(s, pattern)) {
				f.Act(act.Act{Kind: act.DropRegistration, Ref: "the processes of the hooks"}, argv)
				return
			}
		}
	}
}

// claude reads a command line of the client: taking plugins out, or starting it without hooks.
func claude(f *shell.Frame, argv []word.Word) {
	fl := word.ParseFlags(argv[1:], "--settings --setting-sources --scope -s --model --add-dir --plugin-dir --allowedTools --permission-mode --output-format")
	if word.AsksHelp(argv, "") || fl.On("-v", "--version") {
		return
	}
	switch {
	case !word.Has("plugin plugins config mcp doctor update upgrade install migrate-installer setup-token auth agents", fl.Arg(0).Text) || fl.On("-p", "--print"):
		f.Act(act.Act{Kind: act.OtherSession, Ref: "a client of its own"}, argv)
	case fl.Arg(0).Text == "plugin" || fl.Arg(0).Text == "plugins":
		if word.Has("uninstall disable remove rm install i enable update", fl.Arg(1).Text) ||
			fl.Arg(1).Text == "marketplace" && word.Has("remove rm add update", fl.Arg(2).Text) {
			f.Act(act.Act{Kind: act.DropRegistration, Ref: word.JoinText(fl.Pos)}, argv)
		}
	case fl.Arg(0).Text == "config" && word.Has("set add remove rm", fl.Arg(1).Text):
		if !word.Has("model theme verbose preferredNotifChannel", fl.Arg(2).Text) {
			f.Act(act.Act{Kind: act.DropRegistration, Ref: fl.Arg(2).Text}, argv)
		}
	}
}
