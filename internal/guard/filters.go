package guard

import (
	"path"
	"strconv"
	"strings"
)

// listed is what ls -d names; what is in a directory is unknown.
func listed(args []word) string {
	if !hasWord(args, "-d") {
		return hole
	}
	var out strings.Builder
	for _, w := range args {
		if !strings.HasPrefix(w.text, "-") {
			out.WriteString(swap(w.text, "*", hole) + "\n")
		}
	}
	return out.String()
}

// seq is what seq prints, its first 64 numbers.
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
