package program

import (
	"path"
	"strings"

	"hooks/internal/guard/shell"
	"hooks/internal/guard/shellword"
)

// runTextTool runs the programs whose output can be known: what they print may be run by a shell
// further on.
func runTextTool(f *shell.Frame, name string, args []shellword.Word) (out string, ok bool) {
	switch name {
	case "echo":
		return echo(args), true
	case "printf":
		return printf(f, args), true
	case "cat", "tac", "bat", "pv":
		return input(f, args), true
	case "tee", "sponge":
		return tee(f, args), true
	case "head", "tail", "sort", "uniq", "shuf", "grep", "egrep", "fgrep", "rg", "column", "fold",
		"fmt", "iconv", "dos2unix", "nl", "strings":
		if to, ok := shellword.ParseFlags(args, "-o --output -k -t -S -T").Get("-o",
			"--output"); ok &&
			name == "sort" {
			f.Writes(to, "sort "+shellword.Join(args))
		}
		return input(f, nil), true // at most what it reads
	case "basename", "dirname", "realpath", "readlink":
		if len(args) > 0 {
			return pathPart(f, name, args[len(args)-1].Text) + "\n", true
		}
	case "mktemp":
		return f.TempFile() + "\n", true
	case "ls", "seq", "tr", "cut", "rev", "date", "hostname", "whoami", "id", "uname", "nproc",
		"wc", "ps", "jq":
		return shellword.Unknown, true
	}
	if shellword.Has(setups, name) {
		runs := len(args) > 0 && shellword.Has("exec x run r tasks task", args[0].Text)
		if runs && shellword.Has("direnv mise asdf", name) {
			return "", false
		}
		f.Quietly(func() { runInner(f, name, args, false) })
		return shellword.UnknownEnv, true
	}
	if len(args) > 0 && args[0].Text == "completion" && name != "git" {
		return shellword.UnknownEnv, true
	}
	return "", false
}

// setups are programs whose output sets up an environment.
const setups = `ssh-agent direnv pyenv rbenv nodenv goenv plenv brew opam docker-machine minikube
conda mamba micromamba fnm mise asdf rtx starship zoxide thefuck dircolors luarocks
register-python-argcomplete keychain gpg-agent resize lesspipe tset locale volta spack modulecmd fzf
atuin stack ghcup pkg-config python-config llvm-config`

// pathPart is the output of basename, dirname and realpath.
func pathPart(f *shell.Frame, name, text string) string {
	base := shellword.ProgramName(text)
	switch {
	case name == "basename" && !shellword.HasUnknown(base):
		return base
	case name == "basename" || shellword.HasUnknown(text):
		return shellword.Unknown
	case name == "dirname":
		return path.Dir(text)
	}
	return f.Resolve(text)
}

// input is the text that a filter reads: its files, else standard input.
func input(f *shell.Frame, args []shellword.Word) string {
	var files []shellword.Word
	for _, w := range args {
		if w.Text == "-" || !strings.HasPrefix(w.Text, "-") {
			files = append(files, w)
		}
	}
	if len(files) == 0 {
		return f.Input()
	}
	var out strings.Builder
	for _, w := range files {
		text := f.FileText(w.Text)
		if out.WriteString(text); !f.M.Burn(len(text)/64) || out.Len() > shellword.MaxShell {
			break
		}
	}
	return shellword.ClipHole(out.String())
}

// tee writes its input into files and hands it on.
func tee(f *shell.Frame, args []shellword.Word) string {
	text := f.Input()
	fl := shellword.ParseFlags(args, "--output-error")
	for _, w := range fl.Pos {
		f.Writes(w, "tee "+w.Show())
		if w.Known() {
			f.WriteFile(w.Text, text, fl.On("-a", "--append"))
		}
	}
	return text
}

func echo(args []shellword.Word) string {
	escapes, newline := false, true
	for len(args) > 0 && len(args[0].Text) > 1 && args[0].Text[0] == '-' &&
		strings.Trim(args[0].Text[1:], "neE") == "" {
		escapes = escapes || strings.Contains(args[0].Text, "e")
		newline = newline && !strings.Contains(args[0].Text, "n")
		args = args[1:]
	}
	text := shellword.JoinText(args)
	if escapes {
		text = shellword.Unescape(text, false)
	}
	if newline {
		text += "\n"
	}
	return text
}

// printf prints its format once for every set of arguments; -v puts the text into a variable.
func printf(f *shell.Frame, args []shellword.Word) string {
	target := ""
	if len(args) > 1 && args[0].Text == "-v" {
		target, args = args[1].Text, args[2:]
	}
	if len(args) > 0 && args[0].Text == "--" {
		args = args[1:]
	}
	if len(args) == 0 {
		return ""
	}
	out, rest := "", shellword.Texts(args[1:])
	for f.M.Burn(1) {
		text, left := format(args[0].Text, rest)
		out += text
		f.M.Burn(len(out) / 64)
		if len(left) == 0 || len(left) == len(rest) {
			break
		}
		rest = left
	}
	out = shellword.ClipHole(out)
	if target != "" {
		f.Set(target, out)
		return ""
	}
	return out
}

// format fills %s and %d of one printf format and returns the arguments that are left; any other
// verb prints something unknown.
func format(text string, args []string) (string, []string) {
	var out strings.Builder
	text = shellword.Unescape(strings.ReplaceAll(text, "%%", "\ue003"), true)
	for {
		before, rest, ok := strings.Cut(text, "%")
		out.WriteString(before)
		if !ok {
			break
		}
		arg := ""
		if len(args) > 0 {
			arg, args = args[0], args[1:]
		}
		text = strings.TrimLeft(rest, "-+ #0123456789.*")
		if text == "" || text != rest || text[0] != 's' && text[0] != 'd' {
			arg = shellword.Unknown
		}
		text = text[min(1, len(text)):]
		out.WriteString(arg)
	}
	return strings.ReplaceAll(out.String(), "\ue003", "%"), args
}
