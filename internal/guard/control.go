package guard

import "strings"

// hooks reads a command line of this very program: what answers a gate or forges an event is for a person alone.
func (f *frame) hooks(argv []word) {
	args := argv[1:]
	for len(args) > 0 && strings.HasPrefix(args[0].text, "-") {
		args = args[1:]
	}
	if len(args) == 0 || asksHelp(args) {
		return
	}
	verb := args[0]
	sub := parseFlags(args[1:], "").arg(0)
	switch verb.text {
	case "stop", "pre-tool-use", "post-tool-use", "post-tool-use-failure", "user-prompt-submit", "user-prompt-expansion",
		"subagent-stop", "session-start", "session-end", "stop-failure", "deliver":
		f.act(Act{Kind: AnswerGate, Ref: "event " + verb.text}, argv)
	case "gate":
		if sub.text == "answer" || !sub.known() {
			f.act(Act{Kind: AnswerGate, Ref: "gate"}, argv)
		}
	case "loop":
		if sub.text == "reset" || !sub.known() {
			f.act(Act{Kind: AnswerGate, Ref: "loop reset"}, argv)
		}
	case "install", "uninstall":
		f.act(Act{Kind: DropRegistration, Ref: verb.text}, argv)
	case "doctor":
		if hasWord(args, "--fix") {
			f.act(Act{Kind: WriteState, Ref: ".sdd/loop"}, argv)
		}
	case "report":
		for _, name := range []string{"CLAUDE_CODE_SESSION_ID", "CLAUDE_PROJECT_DIR"} {
			if f.known(name) { // facts told in another session's name
				f.act(Act{Kind: AnswerGate, Ref: name}, argv)
			}
		}
	default:
		if !verb.known() {
			f.opaque(joinWords(argv), "the hooks command is only known when it runs")
		}
	}
}

// hooksElsewhere is this program under another name: what stands behind the name is like nothing else.
func hooksElsewhere(argv []word) bool {
	if len(argv) < 2 {
		return false
	}
	switch argv[1].text {
	case "gate":
		return len(argv) > 2 && argv[2].text == "answer"
	case "loop":
		return len(argv) > 2 && argv[2].text == "reset"
	}
	return has("pre-tool-use post-tool-use post-tool-use-failure user-prompt-submit user-prompt-expansion", argv[1].text)
}

// ends reads a command that ends or stops processes by their name: a hook that is killed decides nothing, and the tool
// call that it was asked about passes.
func (f *frame) ends(name string, argv []word) {
	samples := []string{"hooks"}
	for _, w := range argv[1:] {
		if w.text == "--full" || shorts(w.text, 'f') {
			samples = []string{"bin/hooks pre-tool-use", "bin/hooks post-tool-use", "bin/hooks stop", "bin/hooks user-prompt-submit"}
		}
	}
	for _, w := range argv[1:] {
		pattern := strings.Trim(w.text, "^$.*")
		for _, s := range samples {
			if len(pattern) > 2 && w.text[0] != '-' && (s == pattern || name != "killall" && name != "pidof" && strings.Contains(s, pattern)) {
				f.act(Act{Kind: DropRegistration, Ref: "the processes of the hooks"}, argv)
				return
			}
		}
	}
}

// claude reads a command line of the client: taking plugins out, or starting it without hooks.
func (f *frame) claude(argv []word) {
	fl := parseFlags(argv[1:], "--settings --setting-sources --scope -s --model --add-dir --plugin-dir --allowedTools --permission-mode --output-format")
	if asksHelp(argv) || fl.on("-v", "--version") {
		return
	}
	switch {
	case !has("plugin plugins config mcp doctor update upgrade install migrate-installer setup-token auth agents", fl.arg(0).text) || fl.on("-p", "--print"):
		f.act(Act{Kind: OtherSession, Ref: "a client of its own"}, argv)
	case fl.arg(0).text == "plugin" || fl.arg(0).text == "plugins":
		if has("uninstall disable remove rm", fl.arg(1).text) || fl.arg(1).text == "marketplace" && has("remove rm", fl.arg(2).text) {
			f.act(Act{Kind: DropRegistration, Ref: joinText(fl.pos)}, argv)
		}
	case fl.arg(0).text == "config" && has("set remove rm", fl.arg(1).text):
		if has("hooks disableAllHooks enabledPlugins", fl.arg(2).text) || strings.HasPrefix(fl.arg(2).text, "hooks") {
			f.act(Act{Kind: DropRegistration, Ref: fl.arg(2).text}, argv)
		}
	}
}
