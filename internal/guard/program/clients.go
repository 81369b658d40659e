package program

import (
	"slices"
	"strings"

	"hooks/internal/guard/act"
	"hooks/internal/guard/shell"
	"hooks/internal/guard/word"
)

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

// nested finds the client behind an interpreter: its own script, or a program that imports its
// library.
func nested(f *shell.Frame, argv []word.Word) {
	texts := ""
	if f.Stdin != nil {
		texts = f.Stdin.Text
	}
	script := false
	for i, w := range argv[1:] {
		switch {
		case clientScript(w.Text):
			claude(f, append(word.Lits("claude"), argv[i+2:]...))
			return
		case !script && w.Text != "" && w.Text[0] != '-' && strings.Contains(w.Text, ".") &&
			!strings.ContainsAny(w.Text, " \n"):
			script = true
			texts += "\n" + f.FileText(w.Text)
		default:
			texts += "\n" + w.Text
		}
	}
	library(f, texts, argv)
}

func clientScript(path string) bool {
	return strings.Contains(path, "claude-code/") && word.HasPart(path, ".js .mjs .cjs")
}

// library records the client's library in a program's text.
func library(f *shell.Frame, text string, argv []word.Word) {
	const names = `claude_agent_sdk claude-agent-sdk claude_code_sdk claude-code-sdk
@anthropic-ai/claude-code`
	if word.HasPart(text, names) {
		f.Act(act.Act{Kind: act.OtherSession, Ref: "a client of its own, by its library"}, argv)
	}
}

// halts reads a command that ends a process, stops it or looks into it, by its number: the client's
// own would end the hooks with it, or hold them.
func halts(f *shell.Frame, name string, argv []word.Word) {
	if !word.Has(`kill skill snice pkill gdb lldb gcore strace ltrace dtruss reptyr dlv prlimit
renice
cpulimit taskset chrt nsenter`, name) {
		return
	}
	if name == "kill" && probes(argv[1:]) {
		return
	}
	pid := f.M.Call.PID
	ofClient := func(w word.Word) bool {
		text := strings.TrimLeft(w.Text, "-p")
		if _, value, ok := strings.Cut(text, "="); ok {
			text = value
		}
		names := strings.FieldsFunc(w.Src, func(c rune) bool {
			return c > 0x7f || !word.NameByte(byte(c)) || c == '$'
		})
		return pid != "" && text == pid || !w.Known() && word.AnyOf(names, "CLAUDE_PID PPID")
	}
	everybody := name == "kill" && len(argv) > 2 && argv[len(argv)-1].Text == "-1"
	unknown := func(w word.Word) bool { return !w.Known() }
	searched := name == "kill" && slices.ContainsFunc(argv[1:], unknown) &&
		looksForOurs(f.M.Call.CommandText())
	if everybody || searched || slices.ContainsFunc(argv[1:], ofClient) {
		f.Act(act.Act{Kind: act.DropRegistration, Ref: "the client's process"}, argv)
	}
}

// probes reports whether kill sends nothing and only asks whether a process is there: kill -0 PID.
func probes(args []word.Word) bool {
	is := func(i int, text string) bool { return args[i].Known() && args[i].Text == text }
	return len(args) == 2 && is(0, "-0") || len(args) == 3 && is(0, "-s") && is(1, "0")
}

// looksForOurs finds a search for the processes of the hooks or of the client in a command line.
func looksForOurs(text string) bool {
	text = strings.NewReplacer("[", "", "]", "").Replace(text)
	ends := func(c rune) bool { return strings.ContainsRune("|;&()`\n", c) }
	for part := range strings.FieldsFuncSeq(text, ends) {
		words := strings.Fields(part)
		searches := len(words) > 1 && word.Has("pgrep pidof grep egrep rg ps awk", words[0])
		if searches && word.HasPart(part, "hooks claude") {
			return true
		}
	}
	return false
}
