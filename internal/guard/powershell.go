package guard

import (
	"cmp"
	"regexp"
	"strings"

	"hooks/internal/guard/forges"
	"hooks/internal/guard/plain"
	"hooks/internal/guard/shellword"
)

// powershell splits PowerShell text at separators and reads each piece that begins with a program
// name. The brake does not judge these programs when they start, so powershell records any command
// that is only known at run time as opaque.
func powershell(f *plain.Frame, text string) {
	text = strings.NewReplacer("`\r\n", " ", "`\n", " ", "`", "", `\`, "/").Replace(text) + "\n"
	if !f.M.Burn(len(text) / 4) {
		return
	}
	// Compile the pattern here, because few calls are PowerShell. It skips quoted text.
	separators := regexp.MustCompile(`"[^"]*"?|'[^']*'?|#[^\n]*|[\n;|{}()&]`)
	start, called := 0, false
	for _, at := range separators.FindAllStringIndex(text, -1) {
		separator := text[at[0]:at[1]]
		if strings.HasPrefix(separator, `"`) || strings.HasPrefix(separator, "'") {
			continue
		}
		command := text[start:at[0]]
		powershellCommand(f, command, called)
		called = separator == "&" && strings.TrimSpace(command) == ""
		start = at[1]
	}
	powershellCommand(f, text[start:], called) // the rest, after an unclosed quote
}

// powershellCommand reads one command. called reports whether & precedes it. A quoted string is a
// command only after & or the "." operator.
func powershellCommand(f *plain.Frame, text string, called bool) {
	argv := f.WordsOf(text)
	if len(argv) > 2 && argv[1].Text == "=" { // $x = gh pr merge 5
		name, value := strings.TrimPrefix(argv[0].Src, "$"), shellword.Unknown
		switch argv = argv[2:]; {
		case len(argv) == 1:
			value = argv[0].Text
		case shellword.JoinText(argv) == "git branch --show-current":
			value = cmp.Or(f.Branch(f.Place()), shellword.Unknown)
		}
		f.Let(name, value)
	}
	if len(argv) > 0 && argv[0].Text == "." {
		argv, called = argv[1:], true
	}
	if len(argv) == 0 || strings.IndexAny(argv[0].Src, `'"`) == 0 && !called {
		return
	}
	name := strings.ToLower(shellword.ProgramName(argv[0].Text))
	args, line := argv[1:], shellword.Join(argv)
	switch {
	case !argv[0].Known():
		if called {
			f.Opaque(line, "the command's name is only known at run time")
		}
	case shellword.Has("irm iwr invoke-restmethod invoke-webrequest", name):
		q := forges.Request{Argv: argv}
		for _, w := range args {
			switch up := strings.ToUpper(w.Text); {
			case shellword.Has("PUT POST PATCH DELETE", up):
				q.Method = up
			case strings.HasPrefix(w.Text, "{"):
				q.Body = w.Text
			case !strings.HasPrefix(w.Text, "-"):
				q.URL = cmp.Or(q.URL, w.Text)
			}
		}
		forges.Send(f, q)
	case shellword.Has("start-process saps start", name):
		var started []shellword.Word
		for _, w := range args {
			parts := strings.Fields(strings.ReplaceAll(w.Text, ",", " "))
			if !strings.HasPrefix(w.Text, "-") {
				started = append(started, shellword.Lits(parts...)...)
			}
		}
		f.Exec(started)
	case shellword.Has("stop-process spps", name):
		f.Exec(append(shellword.Lits("killall"), args...))
	case shellword.Has("iex invoke-expression invoke-command icm", name),
		strings.HasPrefix(name, "[") && shellword.HasPart(strings.ToLower(line), "process] block]"):
		f.Opaque(line, "the text that it runs is only known at run time")
	case shellword.Has("remove-item ri del erase rd move-item mi move rename-item rni", name):
		f.Exec(append(shellword.Lits("rm", "-r"), args...))
	case shellword.Has("set-content sc add-content ac out-file clear-content new-item ni", name):
		f.Exec(append(shellword.Lits("tee"), args...))
	case strings.HasPrefix(name, "["):
	default:
		argv[0].Text = name
		f.Exec(argv)
	}
}
