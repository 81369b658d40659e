package guard

import "strings"

// psParam is the value behind one of the parameters, in any case and abbreviated as PowerShell allows.
func psParam(args []word, names ...string) (word, bool) {
	for i, w := range args {
		t := strings.ToLower(w.text)
		if len(t) < 2 || t[0] != '-' {
			continue
		}
		t, val, glued := strings.Cut(t[1:], ":")
		for _, n := range names {
			if t == n || len(t) > 2 && strings.HasPrefix(n, t) {
				if glued && val != "" {
					return lit(w.text[len(t)+2:]), true
				}
				if i+1 < len(args) {
					return args[i+1], true
				}
			}
		}
	}
	return word{}, false
}

// psCommand runs one PowerShell command.
func (f *frame) psCommand(words []word, piped string) string {
	args := words[1:]
	switch name := strings.ToLower(words[0].text); name {
	case "invoke-expression", "iex":
		return f.psExpression(args, piped)
	case "start-process", "saps", "start":
		f.psStart(args)
	case "invoke-restmethod", "irm", "invoke-webrequest", "iwr":
		f.psRequest(words)
		return hole
	case "set-alias", "new-alias", "sal", "nal":
		if n, ok := psParam(args, "name"); ok {
			v, _ := psParam(args, "value")
			f.aliases[n.text] = v.text
		} else if len(args) > 1 {
			f.aliases[args[0].text] = args[1].text
		}
	case "write-host", "write-output", "write-verbose", "write-warning", "write-error", "write-information", "echo",
		"select-string", "get-content", "out-null", "if", "else", "elseif", "while", "foreach", "for", "try", "catch", "finally",
		"function", "return", "param", "switch", "foreach-object", "%", "where-object", "?", "do":
		if name == "write-output" || name == "echo" {
			return joinText(args)
		}
		if name == "return" && len(args) > 0 {
			return f.psStatement(args, piped)
		}
	case "cmd", "cmd.exe":
		f.psCmd(args)
	case "powershell", "powershell.exe", "pwsh", "pwsh.exe":
		f.pwsh(args)
	default:
		return f.psOther(words, name, piped)
	}
	return ""
}

func (f *frame) psOther(words []word, name, piped string) string {
	args := words[1:]
	if has(`set-content add-content out-file clear-content remove-item ri del erase rd rmdir rm move-item mi mv move
copy-item cpi cp copy new-item ni rename-item rni ren tee-object set-itemproperty sc ac clc export-clixml
set-acl`, name) {
		f.psWrite(words, name)
		return ""
	}
	for i, w := range args {
		if (w.text == ">" || w.text == ">>") && i+1 < len(args) {
			f.writes(args[i+1], "> "+args[i+1].show())
			words = words[:i+1]
			break
		}
	}
	if text, ok := f.aliases[words[0].text]; ok {
		words = append(f.wordsOf(text), words[1:]...)
	}
	if piped != "" {
		saved := f.stdin
		f.stdin = &stream{text: piped}
		defer func() { f.stdin = saved }()
	}
	if len(words) == 0 {
		return ""
	}
	if !words[0].known() {
		return f.unknownName(words)
	}
	return f.named(words)
}

func (f *frame) psExpression(args []word, piped string) string {
	text := piped
	if w, ok := psParam(args, "command"); ok {
		text = w.text
	} else if len(args) > 0 {
		text = psJoined(args)
	}
	if blank(text) || psComputes(args) {
		f.opaque("Invoke-Expression "+joinWords(args), "the text it would run is only known when it runs")
		return hole
	}
	f.within("Invoke-Expression", func() { f.powershell(text) })
	return hole
}

// psJoined is an argument's text; parts added with + are one text.
func psJoined(args []word) string {
	var parts []string
	sep := " "
	for _, w := range args {
		if w.src == "+" {
			sep = ""
			continue
		}
		parts = append(parts, w.text)
	}
	return strings.Join(parts, sep)
}

// psComputes tells an argument that is itself a command or a method call: its text is only known when it runs.
func psComputes(args []word) bool {
	if len(args) == 0 {
		return false
	}
	first := strings.ToLower(args[0].src)
	return has("invoke-webrequest iwr irm invoke-restmethod new-object get-content gc curl wget [system.text.encoding]", first) || strings.HasPrefix(first, "[")
}

func (f *frame) psStart(args []word) {
	file, ok := psParam(args, "filepath")
	list, _ := psParam(args, "argumentlist", "args")
	rest := command(args, "-FilePath -ArgumentList -Args -WorkingDirectory -Verb -WindowStyle -filepath -argumentlist", 0)
	if !ok && len(rest) > 0 {
		file, rest = rest[0], rest[1:]
	}
	var words []word
	for i, w := range args { // -ArgumentList 'pr','merge','5' is several words
		if t := strings.ToLower(w.text); t == "-argumentlist" || t == "-args" {
			for _, v := range args[i+1:] {
				if strings.HasPrefix(v.text, "-") && v.src == v.text && !strings.HasPrefix(v.text, "--") && len(words) > 0 {
					break
				}
				words = append(words, lits(strings.Fields(v.text)...)...)
			}
		}
	}
	if list.text == "" {
		for _, w := range rest {
			words = append(words, lits(strings.Fields(w.text)...)...)
		}
	}
	f.within("Start-Process", func() { f.psCommand(append([]word{file}, words...), "") })
}

func (f *frame) psRequest(words []word) {
	args := words[1:]
	q := request{method: "GET", argv: words}
	if m, ok := psParam(args, "method", "custommethod"); ok {
		q.method = strings.ToUpper(m.text)
	}
	if u, ok := psParam(args, "uri"); ok {
		q.url = u.text
	} else {
		for _, w := range args {
			if strings.Contains(w.text, "://") {
				q.url = w.text
			}
		}
	}
	if b, ok := psParam(args, "body"); ok {
		q.body = b.text
	}
	if unknown(q.method) {
		q.method = hole
	}
	f.send(q)
}

// psCmd is cmd /c …: its words are run as they stand, carets dropped.
func (f *frame) psCmd(args []word) {
	for i, w := range args {
		if t := strings.ToLower(w.text); t == "/c" || t == "/k" {
			f.within("cmd", func() { f.child().run(strings.ReplaceAll(strings.ReplaceAll(joinText(args[i+1:]), "^", ""), `\`, "/")) })
			return
		}
	}
}

// pwsh is PowerShell started from another shell.
func (f *frame) pwsh(args []word) {
	for i, w := range args {
		t := strings.ToLower(w.text)
		if t == "/c" {
			f.psCmd(args[i:])
			return
		}
		if len(t) < 2 || t[0] != '-' {
			continue
		}
		switch {
		case strings.HasPrefix("-encodedcommand", t) && len(t) > 1 && t[1] == 'e' && t != "-ex":
			f.opaque("pwsh "+joinWords(args), "the command is encoded")
			return
		case strings.HasPrefix("-command", t):
			f.psNested(joinText(args[i+1:]), args)
			return
		case strings.HasPrefix("-file", t) && i+1 < len(args):
			f.psFile(args[i+1])
			return
		}
	}
	rest := command(args, "-ExecutionPolicy -ep -Version -WindowStyle -OutputFormat -InputFormat -WorkingDirectory", 0)
	switch {
	case len(rest) > 0 && strings.HasSuffix(strings.ToLower(rest[0].text), ".ps1"):
		f.psFile(rest[0])
	case len(rest) > 0:
		f.psNested(joinText(rest), args)
	case f.stdin != nil:
		f.psNested(f.stdin.text, args)
	}
}

func (f *frame) psNested(text string, args []word) {
	if blank(text) {
		f.opaque("pwsh "+joinWords(args), "the text it would run is only known when it runs")
		return
	}
	f.powershell(text)
}

func (f *frame) psFile(w word) {
	text, from := f.open(w.text)
	if from == nowhere || blank(text) {
		return
	}
	onDisk := f.disk
	f.disk = f.disk || from == disk
	f.powershell(text)
	f.disk = onDisk
}

// psWrite judges the commands that write or remove items by every path they name.
func (f *frame) psWrite(words []word, name string) {
	how := joinWords(words)
	takes := has("remove-item ri del erase rd rmdir rm move-item mi mv move rename-item rni ren", name)
	whole := name == "rd" || name == "rmdir"
	for _, w := range words[1:] {
		whole = whole || strings.HasPrefix(strings.ToLower(w.text), "-rec") || strings.EqualFold(w.text, "-r") || strings.Contains(name, "mov") || strings.Contains(name, "ren")
	}
	for i, w := range words[1:] {
		if strings.HasPrefix(w.text, "-") {
			continue
		}
		if prev := strings.ToLower(words[i].text); prev == "-value" || prev == "-inputobject" || prev == "-itemtype" || prev == "-encoding" {
			continue
		}
		if has("copy-item cpi cp copy", name) && i == 0 && len(words) > 2 {
			continue
		}
		if takes {
			f.takes(w, how, whole)
		} else {
			f.writes(w, how)
		}
	}
}
