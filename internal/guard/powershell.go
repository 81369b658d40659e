package guard

import (
	"cmp"
	"strings"

	"hooks/internal/guard/forges"
	"hooks/internal/guard/plain"
	"hooks/internal/guard/shellword"
)

// powershell reads PowerShell text by its words: every command that begins with a program's name
// counts, wherever it stands. There is no brake before such commands, so text that is only known
// when it runs is noted.
func powershell(f *plain.Frame, text string) {
	if !f.M.Burn(1 + len(text)/8) {
		return
	}
	var argv []shellword.Word
	vars, name := map[string]string{}, "" // the first word as written
	end := func() {
		if len(argv) > 2 && argv[1].Text == "=" { // $x = gh pr merge 5
			argv = argv[2:]
			vars[name] = shellword.Unknown
			if len(argv) == 1 {
				vars[name] = argv[0].Text
			} else if shellword.JoinText(argv) == "git branch --show-current" {
				vars[name] = forges.Checkout(f)
			}
		}
		if len(argv) > 0 {
			powershellCommand(f, argv)
		}
		argv = nil
	}
	for i := 0; i < len(text) && f.M.Burn(1); {
		switch c := text[i]; {
		case c == '#' && (i == 0 || strings.IndexByte(" \t\n;", text[i-1]) >= 0):
			for i < len(text) && text[i] != '\n' {
				i++
			}
		case strings.IndexByte("\n;|{}()&", c) >= 0:
			if c == '&' && len(argv) == 0 {
				argv = shellword.Lits("&")
			} else {
				end()
			}
			i++
		case c == ' ' || c == '\t' || c == '\r':
			i++
		case c == '`' && i+1 < len(text) && text[i+1] == '\n':
			i += 2
		default:
			var w shellword.Word
			w, i = powershellWord(text, i, vars)
			if argv = append(argv, w); len(argv) == 1 {
				name = strings.ToLower(w.Src)
			}
		}
	}
	end()
}

// powershellWord reads the word at a place. A variable is known by the text that was assigned.
func powershellWord(text string, i int, vars map[string]string) (w shellword.Word, end int) {
	start := i
	var out strings.Builder
	quote := byte(0)
	for ; i < len(text); i++ {
		c := text[i]
		switch {
		case quote == 0 && strings.IndexByte(" \t\r\n;|{}()", c) >= 0:
			return shellword.Word{Text: out.String(), Src: text[start:i]}, i
		case c == quote:
			quote = 0
		case quote == 0 && (c == '\'' || c == '"'):
			quote = c
		case c == '`' && quote != '\'' && i+1 < len(text):
			i++
			out.WriteByte(text[i])
		case c == '$' && quote != '\'':
			from := i
			for i+1 < len(text) && shellword.NameByte(text[i+1]) && text[i+1] != '$' {
				i++
			}
			value, ok := vars[strings.ToLower(text[from:i+1])]
			if !ok {
				value = shellword.Unknown
			}
			out.WriteString(value)
		default:
			out.WriteByte(c)
		}
	}
	return shellword.Word{Text: out.String(), Src: text[start:]}, i
}

// powershellCommand reads one command. A quoted string is none without &.
func powershellCommand(f *plain.Frame, argv []shellword.Word) {
	called := argv[0].Text == "&" || argv[0].Text == "."
	if called {
		argv = argv[1:]
	}
	quoted := len(argv) > 0 && strings.IndexAny(argv[0].Src, `'"`) == 0
	if len(argv) == 0 || quoted && !called {
		return
	}
	for i, w := range argv {
		if strings.Trim(w.Text, ">") == "" && w.Text != "" && i+1 < len(argv) {
			f.Writes(argv[i+1], "> "+argv[i+1].Show())
		}
	}
	name := strings.ToLower(shellword.ProgramName(argv[0].Text))
	args, line := argv[1:], shellword.Join(argv)
	switch {
	case !argv[0].Known():
		if called {
			f.Opaque(line, "the command's name is only known when it runs")
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
	case shellword.Has("start-process saps start", name): // its program and the list of its arguments
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
		f.Opaque(line, "the text it would run is only known when it runs")
	case shellword.Has(`remove-item ri del erase rd rmdir set-content sc add-content ac out-file
clear-content new-item ni move-item mi move rename-item rni copy-item cpi copy tee-object rm mv cp`,
		name):
		for _, w := range args {
			if !strings.HasPrefix(w.Text, "-") {
				for p := range strings.SplitSeq(w.Text, ",") {
					f.Takes(shellword.Lit(p), line, !shellword.Has("set-content sc out-file", name))
				}
			}
		}
	default:
		argv[0].Text = name
		f.Exec(argv)
	}
}
