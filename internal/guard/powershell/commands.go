package powershell

import (
	"cmp"
	"strings"

	"hooks/internal/guard/forges"
	"hooks/internal/guard/shell"
	"hooks/internal/guard/shellword"
)

const whenItRuns = "the text it would run is only known when it runs"

// param is the value of one of the parameters, in any case and abbreviated as PowerShell allows.
func param(args []shellword.Word, names ...string) (shellword.Word, bool) {
	for i, w := range args {
		t, val, glued := strings.Cut(strings.ToLower(w.Text), ":")
		if len(t) < 2 || t[0] != '-' {
			continue
		}
		for _, n := range names {
			switch {
			case t[1:] != n && (len(t) < 4 || !strings.HasPrefix(n, t[1:])):
			case glued && val != "":
				return shellword.Lit(w.Text[len(t)+1:]), true
			case i+1 < len(args):
				return args[i+1], true
			}
		}
	}
	return shellword.Word{}, false
}

// writers are the commands that write, move or remove items.
const writers = `set-content add-content out-file clear-content remove-item ri del erase rd rmdir rm
move-item mi mv move copy-item cpi cp copy new-item ni rename-item rni ren tee-object
set-itemproperty sc ac clc export-clixml set-acl`

// command runs one command and returns its output, where that is plain text.
func command(f *shell.Frame, words []shellword.Word, piped string) string {
	args := words[1:]
	switch name := strings.ToLower(words[0].Text); name {
	case "invoke-expression", "iex":
		expression(f, args, piped)
		return shellword.Unknown
	case "start-process", "saps", "start":
		start(f, args)
	case "invoke-restmethod", "irm", "invoke-webrequest", "iwr":
		request(f, words)
		return shellword.Unknown
	case "write-output", "echo":
		return shellword.JoinText(args)
	case "return":
		if len(args) > 0 {
			return statement(f, args, piped)
		}
	case "write-host", "write-verbose", "write-warning", "write-error", "write-information",
		"select-string", "get-content", "out-null", "if", "else", "elseif", "while", "foreach",
		"for", "try", "catch", "finally", "function", "param", "switch", "foreach-object", "%",
		"where-object", "?", "do":
	case "stop-process", "spps":
		name, _ := param(args, "name")
		f.Named(shellword.Lits("pkill", "-x", name.Text))
	case "cmd", "cmd.exe", "powershell", "powershell.exe", "pwsh", "pwsh.exe":
		Pwsh(f, args)
	default:
		if shellword.Has(writers, name) {
			write(f, words, name, piped)
			return ""
		}
		return other(f, words, piped)
	}
	return ""
}

// other runs a program.
func other(f *shell.Frame, words []shellword.Word, piped string) string {
	for i, w := range words[:len(words)-1] {
		if w.Text == ">" || w.Text == ">>" {
			f.Writes(words[i+1], "> "+words[i+1].Show())
			words = words[:i]
			break
		}
	}
	if len(words) == 0 {
		return ""
	}
	if piped != "" {
		defer func(saved *shell.Stream) { f.Stdin = saved }(f.Stdin)
		f.Stdin = &shell.Stream{Text: piped}
	}
	if !words[0].Known() {
		return f.UnknownName(words)
	}
	return f.Named(words)
}

func expression(f *shell.Frame, args []shellword.Word, piped string) {
	text := piped
	if w, ok := param(args, "command"); ok {
		text = w.Text
	} else if len(args) > 0 {
		text = shellword.JoinText(args)
	}
	if shellword.Blank(text) || shellword.HasWord(args, "+") ||
		len(args) > 0 && strings.HasPrefix(args[0].Src, "[") {
		f.Opaque("Invoke-Expression "+shellword.Join(args), whenItRuns)
		return
	}
	f.Within("Invoke-Expression", func() { Read(f, text) })
}

// start is Start-Process. Each word of -ArgumentList may be several.
func start(f *shell.Frame, args []shellword.Word) {
	argv := make([]shellword.Word, 0, len(args))
	if file, ok := param(args, "filepath"); ok {
		argv = append(argv, file)
	}
	for i := 0; i < len(args); i++ {
		w := args[i]
		_, valued := param(args[i:min(i+2, len(args))], "filepath", "workingdirectory", "verb",
			"windowstyle")
		switch {
		case strings.HasPrefix(w.Text, "-") && valued:
			i++
		case strings.HasPrefix(w.Text, "-") && !strings.HasPrefix(w.Text, "--") && !quoted(w):
		case len(argv) == 0:
			argv = append(argv, w)
		default:
			argv = append(argv, shellword.Lits(strings.Fields(w.Text)...)...)
		}
	}
	if len(argv) > 0 {
		f.Within("Start-Process", func() { command(f, argv, "") })
	}
}

func request(f *shell.Frame, words []shellword.Word) {
	method, _ := param(words, "method", "custommethod")
	url, ok := param(words, "uri")
	for _, w := range words {
		if !ok && strings.Contains(w.Text, "://") {
			url = w
		}
	}
	body, _ := param(words, "body")
	verb := strings.ToUpper(cmp.Or(method.Text, "GET"))
	forges.Send(f, forges.Request{Method: verb, URL: url.Text, Body: body.Text, Argv: words})
}

// Pwsh is PowerShell or cmd started from another shell.
func Pwsh(f *shell.Frame, args []shellword.Word) {
	for i, w := range args {
		switch t := strings.ToLower(w.Text); {
		case t == "/c" || t == "/k": // cmd runs its words as they stand, without carets
			text := strings.NewReplacer("^", "", `\`, "/").Replace(shellword.JoinText(args[i+1:]))
			f.Within("cmd", func() { f.Child().Run(text) })
			return
		case len(t) > 1 && strings.HasPrefix("-encodedcommand", t):
			f.Opaque("pwsh "+shellword.Join(args), "the command is encoded")
			return
		case len(t) > 1 && strings.HasPrefix("-command", t):
			nested(f, shellword.JoinText(args[i+1:]), args)
			return
		case len(t) > 1 && strings.HasPrefix("-file", t) && i+1 < len(args):
			file(f, args[i+1])
			return
		}
	}
	rest := shellword.Command(args, `-ExecutionPolicy -ep -ex -Version -WindowStyle -OutputFormat
-InputFormat -WorkingDirectory`, 0)
	switch {
	case len(rest) > 0 && strings.HasSuffix(strings.ToLower(rest[0].Text), ".ps1"):
		file(f, rest[0])
	case len(rest) > 0:
		nested(f, shellword.JoinText(rest), args)
	case f.Stdin != nil:
		nested(f, f.Stdin.Text, args)
	}
}

func nested(f *shell.Frame, text string, args []shellword.Word) {
	if shellword.Blank(text) {
		f.Opaque("pwsh "+shellword.Join(args), whenItRuns)
		return
	}
	Read(f, text)
}

func file(f *shell.Frame, w shellword.Word) {
	if text, from := f.Open(w.Text); from != shell.Nowhere && !shellword.Blank(text) {
		defer func(saved bool) { f.Disk = saved }(f.Disk)
		f.Disk = f.Disk || from == shell.Disk
		Read(f, text)
	}
}

// write judges a command that writes or removes items by every path that it names. It notes the
// text that a file is given, so that running the file later on can be read.
func write(f *shell.Frame, words []shellword.Word, name, piped string) {
	how := shellword.Join(words)
	takes := shellword.Has(`
		remove-item ri del erase rd rmdir rm move-item mi mv move rename-item rni
ren`, name)
	for i, w := range words[1:] {
		before := strings.ToLower(words[i].Text)
		switch {
		case strings.HasPrefix(w.Text, "-"),
			shellword.Has("-value -inputobject -itemtype -encoding", before):
		case shellword.Has("copy-item cpi cp copy", name) && i == 0 && len(words) > 2:
		case takes:
			f.Takes(w, how, true)
		default:
			f.Writes(w, how)
		}
	}
	if !shellword.Has("set-content sc add-content ac out-file tee-object new-item ni", name) {
		return
	}
	path, _ := param(words, "path", "literalpath", "filepath")
	value, _ := param(words, "value", "inputobject")
	rest := shellword.Command(words[1:], "-Path -LiteralPath -FilePath -Value -Encoding -ItemType",
		0)
	for _, w := range rest {
		if path.Text == "" {
			path = w
		} else if value.Text == "" {
			value = w
		}
	}
	f.WriteFile(path.Text, cmp.Or(value.Text, piped), shellword.Has("add-content ac", name))
}
