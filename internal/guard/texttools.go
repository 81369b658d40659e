package guard

import (
	"path"
	"strconv"
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
		return f.mktemp(), true
	case "date", "hostname", "whoami", "id", "uname", "nproc", "ls", "wc", "ps", "jq", "yq":
		return hole, true
	case "ssh-agent", "direnv", "pyenv", "rbenv", "nodenv", "goenv", "plenv", "brew", "opam", "docker-machine", "minikube", "conda", "mamba", "micromamba",
		"fnm", "mise", "asdf", "rtx", "starship", "zoxide", "thefuck", "dircolors", "luarocks", "register-python-argcomplete", "keychain", "gpg-agent",
		"resize", "lesspipe", "tset", "locale", "volta", "spack", "modulecmd", "fzf", "atuin", "stack", "ghcup", "pkg-config", "python-config", "llvm-config":
		if name == "direnv" && len(args) > 1 && args[0].text == "exec" || (name == "mise" || name == "asdf") && len(args) > 0 && has("exec x", args[0].text) {
			return "", false
		}
		f.inner(name, args)
		return soft, true
	}
	if len(args) > 0 && args[0].text == "completion" && name != "gh" && name != "git" {
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

func seq(args []word) string {
	var nums []int
	for _, w := range args {
		n, ok := atoi(w.text)
		if !ok {
			return hole
		}
		nums = append(nums, n)
	}
	first, step, last := 1, 1, 0
	switch len(nums) {
	case 1:
		last = nums[0]
	case 2:
		first, last = nums[0], nums[1]
	case 3:
		first, step, last = nums[0], nums[1], nums[2]
	default:
		return hole
	}
	var out strings.Builder
	for n, i := first, 0; step > 0 && n <= last || step < 0 && n >= last; n, i = n+step, i+1 {
		if i == 64 {
			return out.String() + hole
		}
		out.WriteString(strconv.Itoa(n) + "\n")
	}
	return out.String()
}

func reversed(s string) string {
	if unknown(s) {
		return hole
	}
	lines := strings.Split(s, "\n")
	for i, l := range lines {
		r := []rune(l)
		for a, b := 0, len(r)-1; a < b; a, b = a+1, b-1 {
			r[a], r[b] = r[b], r[a]
		}
		lines[i] = string(r)
	}
	return strings.Join(lines, "\n")
}

// translate is tr: -d deletes, two sets map one to one.
func translate(s string, args []word) string {
	fl := parseFlags(args, "")
	from, to := ranges(decoded(fl.arg(0).text, true)), ranges(decoded(fl.arg(1).text, true))
	if unknown(s) || unknown(from) || unknown(to) || strings.Contains(from, "[:") || fl.on("-c", "-C", "-s") {
		if strings.Trim(s, hole) != "" && !fl.on("-c", "-C") && len(fl.pos) > 0 && strings.Contains(from, "\n") {
			return s
		}
		return hole
	}
	var out strings.Builder
	for _, c := range s {
		i := strings.IndexRune(from, c)
		switch {
		case i < 0:
			out.WriteRune(c)
		case fl.on("-d", "--delete") || to == "":
		default:
			out.WriteByte(to[min(i, len(to)-1)])
		}
	}
	return out.String()
}

// ranges spells out a-z.
func ranges(set string) string {
	var out strings.Builder
	for i := 0; i < len(set); i++ {
		if i+2 < len(set) && set[i+1] == '-' && set[i] <= set[i+2] {
			for c := int(set[i]); c <= int(set[i+2]); c++ {
				out.WriteByte(byte(c))
			}
			i += 2
			continue
		}
		out.WriteByte(set[i])
	}
	return out.String()
}

// filtered is what a line filter lets through: at most what it reads.
func (f *frame) filtered(name string, args []word) string {
	for _, w := range args {
		if has("-c --count -q --quiet -l --files-with-matches -L -o --only-matching -r -R --recursive -n --line-number", w.text) && strings.Contains(name, "g") {
			return hole
		}
	}
	if name == "sort" {
		f.writerOf(name, args)
	}
	if f.stdin == nil {
		if name == "head" || name == "tail" || name == "sort" {
			if fl := parseFlags(args, "-n -c -k -t -o --lines --bytes --key --output"); len(fl.pos) > 0 {
				return f.input(fl.pos)
			}
		}
		return hole
	}
	return f.stdin.text
}

func baseName(args []word) string {
	if len(args) == 0 {
		return hole
	}
	if !args[0].known() {
		if i := strings.LastIndexByte(args[0].text, '/'); i < 0 || unknown(args[0].text[i+1:]) {
			return hole
		}
	}
	name := path.Base(args[0].text)
	if len(args) > 1 {
		name = strings.TrimSuffix(name, args[1].text)
	}
	return name + "\n"
}

// mktemp makes a path that is the same wherever the command uses it.
func (f *frame) mktemp() string {
	f.m.fds++
	return "/tmp/tmp." + strconv.Itoa(f.m.fds) + "\n"
}

// sedOutput is the text sed prints where a plain s/a/b/ on known text tells; else unknown.
func (f *frame) sedOutput(args []word) string {
	fl := parseFlags(args, "-e -f -l --expression --file")
	if fl.on("-i", "--in-place") || fl.on("-n") {
		return hole
	}
	scripts := fl.all("-e", "--expression")
	files := fl.pos
	if len(scripts) == 0 && len(files) > 0 {
		scripts, files = files[:1], files[1:]
	}
	text := ""
	switch {
	case len(files) > 0:
		text = f.input(files)
	case f.stdin != nil:
		text = f.stdin.text
	}
	for _, s := range scripts {
		var ok bool
		if text, ok = substituted(text, s.text); !ok {
			return hole
		}
	}
	return text
}

// substituted applies one s/a/b/ whose left side is plain text, ^ or $.
func substituted(text, script string) (string, bool) {
	if len(script) < 4 || script[0] != 's' || unknown(script) {
		return "", false
	}
	parts := strings.Split(script[2:], script[1:2])
	if len(parts) != 3 || strings.Trim(parts[2], "g") != "" || strings.ContainsAny(parts[1], `\&`) {
		return "", false
	}
	lines := strings.Split(text, "\n")
	for i, l := range lines {
		if l == "" && i == len(lines)-1 {
			continue
		}
		switch {
		case parts[0] == "^":
			lines[i] = parts[1] + l
		case parts[0] == "$":
			lines[i] = l + parts[1]
		case strings.ContainsAny(parts[0], `\.*[]^$`):
			return "", false
		case parts[2] == "g":
			lines[i] = swap(l, parts[0], parts[1])
		default:
			lines[i] = strings.Replace(l, parts[0], parts[1], 1)
		}
	}
	return strings.Join(lines, "\n"), true
}
