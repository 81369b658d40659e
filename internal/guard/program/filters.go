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

// translated is what tr prints where it only takes white space away, else unknown.
func translated(s string, args []word.Word) string {
	fl := word.ParseFlags(args, "")
	if set := word.Unescape(fl.Arg(0).Text, true); fl.On("-d") && strings.Trim(set, " \t\r\n[:space]") == "" {
		return s
	}
	return word.Hole
}

// filtered is what a line filter lets through: at most what it reads.
func filtered(f *shell.Frame, name string, args []word.Word) string {
	for _, w := range args {
		if word.Has("-c --count -q --quiet -l --files-with-matches -L -o --only-matching -r -R --recursive -n --line-number", w.Text) && strings.Contains(name, "g") {
			return word.Hole
		}
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
