package program

import (
	"path"
	"strconv"
	"strings"

	"hooks/internal/guard/shell"
	"hooks/internal/guard/word"
)

// listed is what ls -d names; what is in a directory is unknown.
func listed(args []word.Word) string {
	if !word.HasWord(args, "-d") {
		return word.Hole
	}
	var out strings.Builder
	for _, w := range args {
		if !strings.HasPrefix(w.Text, "-") {
			out.WriteString(word.Swap(w.Text, "*", word.Hole) + "\n")
		}
	}
	return out.String()
}

// seq is what seq prints, its first 64 numbers.
func seq(args []word.Word) string {
	var nums []int
	for _, w := range args {
		n, ok := word.Atoi(w.Text)
		if !ok {
			return word.Hole
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
		return word.Hole
	}
	var out strings.Builder
	for n, i := first, 0; step > 0 && n <= last || step < 0 && n >= last; n, i = n+step, i+1 {
		if i == 64 {
			return out.String() + word.Hole
		}
		out.WriteString(strconv.Itoa(n) + "\n")
	}
	return out.String()
}

func reversed(s string) string {
	if word.Unknown(s) {
		return word.Hole
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
func translate(s string, args []word.Word) string {
	fl := word.ParseFlags(args, "")
	from, to := ranges(word.Unescape(fl.Arg(0).Text, true)), ranges(word.Unescape(fl.Arg(1).Text, true))
	if word.Unknown(s) || word.Unknown(from) || word.Unknown(to) || strings.Contains(from, "[:") || fl.On("-c", "-C", "-s") {
		if strings.Trim(s, word.Hole) != "" && !fl.On("-c", "-C") && len(fl.Pos) > 0 && strings.Contains(from, "\n") {
			return s
		}
		return word.Hole
	}
	var out strings.Builder
	for _, c := range s {
		i := strings.IndexRune(from, c)
		switch {
		case i < 0:
			out.WriteRune(c)
		case fl.On("-d", "--delete") || to == "":
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
func filtered(f *shell.Frame, name string, args []word.Word) string {
	for _, w := range args {
		if word.Has("-c --count -q --quiet -l --files-with-matches -L -o --only-matching -r -R --recursive -n --line-number", w.Text) && strings.Contains(name, "g") {
			return word.Hole
		}
	}
	if name == "sort" {
		writerOf(f, name, args)
	}
	if f.Stdin == nil {
		if name == "head" || name == "tail" || name == "sort" {
			if fl := word.ParseFlags(args, "-n -c -k -t -o --lines --bytes --key --output"); len(fl.Pos) > 0 {
				return input(f, fl.Pos)
			}
		}
		return word.Hole
	}
	return f.Stdin.Text
}

func baseName(args []word.Word) string {
	if len(args) == 0 {
		return word.Hole
	}
	if strings.Contains(args[0].Text, word.Trunk) {
		return word.Trunk + "\n"
	}
	if !args[0].Known() {
		if i := strings.LastIndexByte(args[0].Text, '/'); i < 0 || word.Unknown(args[0].Text[i+1:]) {
			return word.Hole
		}
	}
	name := path.Base(args[0].Text)
	if len(args) > 1 {
		name = strings.TrimSuffix(name, args[1].Text)
	}
	return name + "\n"
}

// sedOutput is the text sed prints where a plain s/a/b/ on known text tells; else unknown.
func sedOutput(f *shell.Frame, args []word.Word) string {
	fl := word.ParseFlags(args, "-e -f -l --expression --file")
	if fl.On("-i", "--in-place") || fl.On("-n") {
		return word.Hole
	}
	scripts := fl.All("-e", "--expression")
	files := fl.Pos
	if len(scripts) == 0 && len(files) > 0 {
		scripts, files = files[:1], files[1:]
	}
	text := ""
	switch {
	case len(files) > 0:
		text = input(f, files)
	case f.Stdin != nil:
		text = f.Stdin.Text
	}
	for _, s := range scripts {
		var ok bool
		if text, ok = substituted(text, s.Text); !ok {
			return word.Hole
		}
	}
	return text
}

// substituted applies one s/a/b/ whose left side is plain text, ^ or $.
func substituted(text, script string) (string, bool) {
	if len(script) < 4 || script[0] != 's' || word.Unknown(script) {
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
			lines[i] = word.Swap(l, parts[0], parts[1])
		default:
			lines[i] = strings.Replace(l, parts[0], parts[1], 1)
		}
	}
	return strings.Join(lines, "\n"), true
}
