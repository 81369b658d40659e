package guard

import (
	"path"
	"strings"
)

// textTool runs the programs whose output can be known: what they print may be run by a shell further on.
func (f *frame) textTool(name string, argv []word) (out string, ok bool) {
	args := argv[1:]
	switch name {
	case "echo":
		return echo(args), true
	case "printf":
		return f.printf(args), true
	case "cat", "tac", "bat", "pv":
		return f.cat(args), true
	case "tee", "sponge":
		return f.tee(args), true
	case "ls":
		return listed(args), true
	case "seq":
		return seq(args), true
	case "rev":
		return reversed(f.input(args)), true
	case "tr":
		return translate(f.input(nil), args), true
	case "head", "tail", "sort", "uniq", "shuf", "grep", "egrep", "fgrep", "rg", "column", "fold", "fmt", "iconv", "dos2unix", "nl", "strings":
		return f.filtered(name, args), true
	case "basename":
		return baseName(args), true
	case "dirname":
		if len(args) > 0 {
			return path.Dir(args[len(args)-1].text) + "\n", true
		}
	case "realpath", "readlink":
		if len(args) > 0 {
			return f.resolve(args[len(args)-1].text) + "\n", true
		}
	case "mktemp":
		return f.tempFile() + "\n", true
	case "date", "hostname", "whoami", "id", "uname", "nproc", "wc", "ps", "jq", "yq":
		return hole, true
	case "ssh-agent", "direnv", "pyenv", "rbenv", "nodenv", "goenv", "plenv", "brew", "opam", "docker-machine", "minikube", "conda", "mamba", "micromamba",
		"fnm", "mise", "asdf", "rtx", "starship", "zoxide", "thefuck", "dircolors", "luarocks", "register-python-argcomplete", "keychain", "gpg-agent",
		"resize", "lesspipe", "tset", "locale", "volta", "spack", "modulecmd", "fzf", "atuin", "stack", "ghcup", "pkg-config", "python-config", "llvm-config":
		if name == "direnv" && len(args) > 1 && args[0].text == "exec" || (name == "mise" || name == "asdf") && len(args) > 0 && has("exec x", args[0].text) {
			return "", false
		}
		f.quietly(func() { f.inner(name, args) })
		return soft, true
	}
	if len(args) > 0 && args[0].text == "completion" && name != "git" {
		return soft, true
	}
	return "", false
}

// input is what a filter reads: its files, else standard input.
func (f *frame) input(args []word) string {
	var files []word
	for _, w := range args {
		if w.text == "-" || !strings.HasPrefix(w.text, "-") {
			files = append(files, w)
		}
	}
	if len(files) == 0 {
		if f.stdin == nil {
			return hole
		}
		return f.stdin.text
	}
	var out strings.Builder
	for _, w := range files {
		text := f.fileText(w.text)
		if out.WriteString(text); !f.m.spend(len(text)/64) || out.Len() > maxText {
			break
		}
	}
	return clipHole(out.String())
}

func (f *frame) cat(args []word) string {
	if len(args) == 0 && f.stdin != nil {
		return f.stdin.text
	}
	return f.input(args)
}

// tee writes its input into files and hands it on.
func (f *frame) tee(args []word) string {
	text := hole
	if f.stdin != nil {
		text = f.stdin.text
	}
	fl := parseFlags(args, "--output-error")
	for _, w := range fl.pos {
		f.writes(w, "tee "+w.show())
		if w.known() {
			f.writeFile(w.text, text, fl.on("-a", "--append"))
		}
	}
	return text
}

func echo(args []word) string {
	escapes, newline := false, true
	for len(args) > 0 && len(args[0].text) > 1 && args[0].text[0] == '-' && strings.Trim(args[0].text[1:], "neE") == "" {
		escapes = escapes || strings.Contains(args[0].text, "e")
		newline = newline && !strings.Contains(args[0].text, "n")
		args = args[1:]
	}
	text := joinText(args)
	if escapes {
		text = decoded(text, false)
	}
	if newline {
		text += "\n"
	}
	return text
}

// decoded resolves backslash escapes; bare tells printf's from echo's.
func decoded(s string, bare bool) string {
	if !strings.Contains(s, `\`) {
		return s
	}
	var out strings.Builder
	for i := 0; i < len(s); i++ {
		if s[i] != '\\' || i+1 >= len(s) {
			out.WriteByte(s[i])
			continue
		}
		i += escape(&out, s[i+1:], bare)
	}
	return out.String()
}

// printf prints its format once for every set of arguments; -v puts the text into a variable.
func (f *frame) printf(args []word) string {
	target := ""
	if len(args) > 1 && args[0].text == "-v" {
		target, args = args[1].text, args[2:]
	}
	if len(args) > 0 && args[0].text == "--" {
		args = args[1:]
	}
	if len(args) == 0 {
		return ""
	}
	out := ""
	rest := texts(args[1:])
	for round := 0; round < maxRounds*4; round++ {
		text, left := format(args[0].text, rest)
		out += text
		if len(left) == 0 || len(left) == len(rest) {
			break
		}
		rest = left
	}
	out = clipHole(out)
	if target != "" {
		f.set(target, out)
		return ""
	}
	return out
}

// format fills one printf format and returns the arguments that are left.
func format(text string, args []string) (string, []string) {
	var out strings.Builder
	for i := 0; i < len(text); i++ {
		switch {
		case text[i] == '\\' && i+1 < len(text):
			i += escape(&out, text[i+1:], true)
		case text[i] == '%' && i+1 < len(text) && text[i+1] == '%':
			out.WriteByte('%')
			i++
		case text[i] == '%':
			end := i + 1
			for end < len(text) && strings.IndexByte("-+ #0123456789.*", text[end]) >= 0 {
				end++
			}
			if end == len(text) {
				return out.String(), args
			}
			arg := ""
			if len(args) > 0 {
				arg, args = args[0], args[1:]
			}
			out.WriteString(verb(text[i:end], text[end], arg))
			i = end
		default:
			out.WriteByte(text[i])
		}
	}
	return out.String(), args
}

func verb(flags string, kind byte, arg string) string {
	switch kind {
	case 'b':
		return decoded(arg, false)
	case 'q':
		return quoted([]word{lit(arg)})
	case 'c':
		return clipBytes(arg, 1)
	case 'd', 'i', 'u':
		if arg == "" {
			return "0"
		}
	case 'x', 'X', 'o', 'e', 'f', 'g', '(':
		return hole
	case 's':
		if _, prec, ok := strings.Cut(flags, "."); ok {
			if n, ok := atoi(prec); ok {
				return clipBytes(arg, n)
			}
		}
	}
	return arg
}

func clipBytes(s string, n int) string {
	if len(s) > n && n >= 0 && !unknown(s) {
		return s[:n]
	}
	return s
}
