package powershell

import (
	"cmp"
	"strings"

	"hooks/internal/guard/forges"
	"hooks/internal/guard/shell"
	"hooks/internal/guard/word"
)

// param is the value behind one of the parameters, in any case and abbreviated as PowerShell allows.
func param(args []word.Word, names ...string) (word.Word, bool) {
	for i, w := range args {
		t := strings.ToLower(w.Text)
		if len(t) < 2 || t[0] != '-' {
			continue
		}
		t, val, glued := strings.Cut(t[1:], ":")
		for _, n := range names {
			if t == n || len(t) > 2 && strings.HasPrefix(n, t) {
				if glued && val != "" {
					return word.Lit(w.Text[len(t)+2:]), true
				}
				if i+1 < len(args) {
					return args[i+1], true
				}
			}
		}
	}
	return word.Word{}, false
}

// whenItRuns is why a text is opaque.
const whenItRuns = "the text it would run is only known when it runs"

// command runs one PowerShell command.
func command(f *shell.Frame, words []word.Word, piped string) string {
	args := words[1:]
	switch name := strings.ToLower(words[0].Text); name {
	case "invoke-expression", "iex":
		return expression(f, args, piped)
	case "start-process", "saps", "start":
		start(f, args)
	case "invoke-restmethod", "irm", "invoke-webrequest", "iwr":
		request(f, words)
		return word.Hole
	case "set-alias", "new-alias", "sal", "nal":
		if n, ok := param(args, "name"); ok {
			v, _ := param(args, "value")
			f.Aliases[n.Text] = v.Text
		} else if len(args) > 1 {
			f.Aliases[args[0].Text] = args[1].Text
		}
	case "write-output", "echo":
		return word.JoinText(args)
	case "return":
		if len(args) > 0 {
			return statement(f, args, piped)
		}
	case "write-host", "write-verbose", "write-warning", "write-error", "write-information",
		"select-string", "get-content", "out-null", "if", "else", "elseif", "while", "foreach",
		"for", "try", "catch", "finally", "function", "param", "switch", "foreach-object", "%",
		"where-object", "?", "do":
	case "get-process", "gps":
		return named(args).Text
	case "stop-process", "spps":
		return f.Named(word.Lits("pkill", "-x", cmp.Or(named(args).Text, piped)))
	case "cmd", "cmd.exe":
		cmd(f, args)
	case "powershell", "powershell.exe", "pwsh", "pwsh.exe":
		Pwsh(f, args)
	default:
		return other(f, words, name, piped)
	}
	return ""
}

// named is a command's -Name, or its first word.
func named(args []word.Word) word.Word {
	w, _ := param(args, "name")
	if rest := word.Command(args, "-Id", 0); w.Text == "" && len(rest) > 0 {
		w = rest[0]
	}
	return w
}

func other(f *shell.Frame, words []word.Word, name, piped string) string {
	args := words[1:]
	if word.Has(`set-content add-content out-file clear-content remove-item ri del erase rd rmdir rm
move-item mi mv move copy-item cpi cp copy new-item ni rename-item rni ren tee-object
set-itemproperty sc ac clc export-clixml set-acl`, name) {
		write(f, words, name)
		leaves(f, name, args, piped)
		return ""
	}
	for i, w := range args {
		if (w.Text == ">" || w.Text == ">>") && i+1 < len(args) {
			f.Writes(args[i+1], "> "+args[i+1].Show())
			words = words[:i+1]
			break
		}
	}
	if text, ok := f.Aliases[words[0].Text]; ok {
		words = append(f.WordsOf(text), words[1:]...)
	}
	if piped != "" {
		saved := f.Stdin
		f.Stdin = &shell.Stream{Text: piped}
		defer func() { f.Stdin = saved }()
	}
	if len(words) == 0 {
		return ""
	}
	if !words[0].Known() {
		return f.UnknownName(words)
	}
	return f.Named(words)
}

func expression(f *shell.Frame, args []word.Word, piped string) string {
	text := piped
	if w, ok := param(args, "command"); ok {
		text = w.Text
	} else if len(args) > 0 {
		text = word.JoinText(args)
	}
	const name = "Invoke-Expression"
	if word.Blank(text) || word.HasWord(args, "+") ||
		len(args) > 0 && strings.HasPrefix(args[0].Src, "[") {
		f.Opaque(name+" "+word.Join(args), whenItRuns)
		return word.Hole
	}
	f.Within(name, func() { Read(f, text) })
	return word.Hole
}

// start is Start-Process: each word behind the program may be several, those of -ArgumentList
// 'pr','merge','5' too.
func start(f *shell.Frame, args []word.Word) {
	argv := make([]word.Word, 0, len(args))
	if file, ok := param(args, "filepath"); ok {
		argv = append(argv, file)
	}
	for i := 0; i < len(args); i++ {
		w := args[i]
		_, valued := param(args[i:min(i+2, len(args))], "filepath", "workingdirectory", "verb",
			"windowstyle")
		bare := w.Src == w.Text && !strings.HasPrefix(w.Text, "--")
		switch {
		case strings.HasPrefix(w.Text, "-") && valued && !strings.Contains(w.Text, ":"):
			i++
		case strings.HasPrefix(w.Text, "-") && bare:
		case len(argv) == 0:
			argv = append(argv, w)
		default:
			argv = append(argv, word.Lits(strings.Fields(w.Text)...)...)
		}
	}
	if len(argv) > 0 {
		f.Within("Start-Process", func() { command(f, argv, "") })
	}
}

func request(f *shell.Frame, words []word.Word) {
	args := words[1:]
	q := forges.Request{Method: "GET", Argv: words}
	if m, ok := param(args, "method", "custommethod"); ok {
		q.Method = strings.ToUpper(m.Text)
	}
	if u, ok := param(args, "uri"); ok {
		q.URL = u.Text
	} else {
		for _, w := range args {
			if strings.Contains(w.Text, "://") {
				q.URL = w.Text
			}
		}
	}
	if b, ok := param(args, "body"); ok {
		q.Body = b.Text
	}
	if word.Unknown(q.Method) {
		q.Method = word.Hole
	}
	forges.Send(f, q)
}

// cmd is cmd /c …: its words are run as they stand, carets dropped.
func cmd(f *shell.Frame, args []word.Word) {
	for i, w := range args {
		if t := strings.ToLower(w.Text); t == "/c" || t == "/k" {
			text := strings.NewReplacer("^", "", `\`, "/").Replace(word.JoinText(args[i+1:]))
			f.Within("cmd", func() { f.Child().Run(text) })
			return
		}
	}
}

// Pwsh is PowerShell started from another shell.
func Pwsh(f *shell.Frame, args []word.Word) {
	for i, w := range args {
		t := strings.ToLower(w.Text)
		if t == "/c" {
			cmd(f, args[i:])
			return
		}
		if len(t) < 2 || t[0] != '-' {
			continue
		}
		switch {
		case strings.HasPrefix("-encodedcommand", t) && len(t) > 1 && t[1] == 'e' && t != "-ex":
			f.Opaque("pwsh "+word.Join(args), "the command is encoded")
			return
		case strings.HasPrefix("-command", t):
			nested(f, word.JoinText(args[i+1:]), args)
			return
		case strings.HasPrefix("-file", t) && i+1 < len(args):
			file(f, args[i+1])
			return
		}
	}
	rest := word.Command(args, `-ExecutionPolicy -ep -Version -WindowStyle -OutputFormat
-InputFormat -WorkingDirectory`, 0)
	switch {
	case len(rest) > 0 && strings.HasSuffix(strings.ToLower(rest[0].Text), ".ps1"):
		file(f, rest[0])
	case len(rest) > 0:
		nested(f, word.JoinText(rest), args)
	case f.Stdin != nil:
		nested(f, f.Stdin.Text, args)
	}
}

func nested(f *shell.Frame, text string, args []word.Word) {
	if word.Blank(text) {
		f.Opaque("pwsh "+word.Join(args), whenItRuns)
		return
	}
	Read(f, text)
}

func file(f *shell.Frame, w word.Word) {
	text, from := f.Open(w.Text)
	if from == shell.Nowhere || word.Blank(text) {
		return
	}
	onDisk := f.Disk
	f.Disk = f.Disk || from == shell.Disk
	Read(f, text)
	f.Disk = onDisk
}

// leaves notes the text that a file is given, so that running it later on can be read.
func leaves(f *shell.Frame, name string, args []word.Word, piped string) {
	if !word.Has("set-content sc add-content ac out-file tee-object new-item ni", name) {
		return
	}
	file, _ := param(args, "path", "literalpath", "filepath")
	value, _ := param(args, "value", "inputobject")
	for _, w := range word.Command(args, "-Path -LiteralPath -FilePath -Value -Encoding -ItemType",
		0) {
		switch {
		case file.Text == "":
			file = w
		case value.Text == "":
			value = w
		}
	}
	f.WriteFile(file.Text, cmp.Or(value.Text, piped), word.Has("add-content ac", name))
}

// write judges the commands that write or remove items by every path they name.
func write(f *shell.Frame, words []word.Word, name string) {
	how := word.Join(words)
	takes := word.Has(`remove-item ri del erase rd rmdir rm move-item mi mv move rename-item rni
ren`, name)
	for i, w := range words[1:] {
		before := strings.ToLower(words[i].Text)
		ofFlag := word.Has("-value -inputobject -itemtype -encoding", before)
		switch {
		case strings.HasPrefix(w.Text, "-"), ofFlag:
		case word.Has("copy-item cpi cp copy", name) && i == 0 && len(words) > 2:
		case takes:
			f.Takes(w, how, true)
		default:
			f.Writes(w, how)
		}
	}
}
