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
		"subagent-stop", "session-start", "session-end", "stop-failure":
		f.act(Act{Kind: AnswerGate, Ref: "event " + verb.text}, argv)
	case "gate":
		if sub.text == "answer" || !sub.known() {
			f.act(Act{Kind: AnswerGate, Ref: "gate"}, argv)
		}
	case "loop":
		if sub.text == "reset" || !sub.known() {
			f.act(Act{Kind: AnswerGate, Ref: "loop reset"}, argv)
		}
	case "uninstall":
		f.act(Act{Kind: DropRegistration, Ref: "uninstall"}, argv)
	default:
		if !verb.known() {
			f.opaque(joinWords(argv), "the hooks command is only known when it runs")
		}
	}
}

// claude reads a command line of the client: taking plugins out, or starting it without hooks.
func (f *frame) claude(argv []word) {
	fl := parseFlags(argv[1:], "-p --print --settings --setting-sources --scope -s --model --add-dir --plugin-dir")
	if asksHelp(argv) {
		return
	}
	switch {
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
