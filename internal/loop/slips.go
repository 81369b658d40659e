package loop

import (
	"errors"
	"slices"
	"strings"

	"hooks/internal/hint"
)

// bounds reports whether a word is one of limits, or was probably meant to be one.
func bounds(word string) bool {
	name := plainFlag(word)
	near := Nearest(name, limits)
	return near != "" && (near != "--merges" || name == near) // a skill may have a similar flag
}

// plainFlag normalizes a word to a flag without a value: in lower case, with two leading hyphens
// and with hyphens for underscores. It returns "" if the word does not begin with a dash, and for
// skills' flags such as --max-agents and --max-pairs.
func plainFlag(word string) string {
	word, _, _ = strings.Cut(word, "=")
	if !dashed(word) {
		return ""
	}
	bare := strings.ToLower(strings.TrimLeft(word, dashes))
	name := "--" + strings.ReplaceAll(bare, "_", "-")
	if strings.HasSuffix(name, "agents") || strings.HasSuffix(name, "pairs") {
		return ""
	}
	return name
}

// meansLoop reports whether a word is --loop, even if it is misspelt: with another dash or case,
// with a letter missing, doubled or swapped, or with punctuation attached.
func meansLoop(word string) bool {
	word = strings.Trim(word, "\"'“”‘’`()[],.;:")
	bare := strings.TrimLeft(word, dashes)
	return bare != word && slices.Contains([]string{"loop", "lop", "loo", "oop", "looop", "lloop",
		"loopp", "loops", "lopo", "llop", "lopp", "olop"}, strings.ToLower(bare))
}

// dashes are the hyphen and the characters that editors substitute for one or two hyphens.
const dashes = "-‐‑‒–—―−－"

// mistyped returns the loop flag that an unknown word was probably meant to be, or "". The word may
// be in another case, have underscores, one hyphen or an editor's dash, or differ in a few letters.
func mistyped(word string) string {
	name := plainFlag(word)
	if name == "" {
		return ""
	}
	long := append(slices.Clip(limits), "--lock", "--budget-file", "--resume")
	for n := len(name); n >= 6; n-- { // find the longest prefix that name shares with a flag
		for _, f := range long {
			if n >= min(7, len(f)) && strings.HasPrefix(f, name[:n]) {
				return f
			}
		}
	}
	switch {
	case name == "--loop", name == "--pr":
		return name
	case strings.HasPrefix(name, "--max"):
		return "one of --max-iterations, --max-prs, --max-minutes, --max-dollars"
	case name == "--prs":
		return "--pr or --max-prs"
	}
	return Nearest(name, long)
}

// flags returns all flags that the kind's own commands accept.
func (k Kind) flags() []string {
	return slices.Concat(k.Flags, k.Switches, []string{"--max-iterations", "--max-minutes",
		"--max-dollars", "--near-limit", "--merges", "--resume", "--lock", "--budget-file"})
}

// unknown returns the error for an unknown flag, which would otherwise be taken for the spec or
// plan.
func (k Kind) unknown(word string) error {
	meant := ""
	bare := strings.ToLower(strings.TrimLeft(word, dashes))
	if near := Nearest("--"+strings.ReplaceAll(bare, "_", "-"), k.flags()); near != "" {
		meant = "; did you mean " + near + "?"
	}
	return hint.New(flagHint, "%q is not a flag of %s%s", word, k.Invoked(), meant)
}

// hinted replaces an error's general hint with a list of the kind's flags if the kind's commands
// accept no others.
func (k Kind) hinted(err error) error {
	if e, ok := errors.AsType[*hint.Error](err); ok && e.Way == flagHint && k.Commands != nil {
		e.Way = "the flags of " + k.Invoked() + " are " + strings.Join(k.flags(), ", ")
	}
	return err
}

func dashed(word string) bool {
	bare := strings.TrimLeft(word, dashes)
	return bare != word && bare != ""
}

// Nearest returns the known word that a mistyped word was probably meant to be, or "" if none is
// close enough: at most two letters may differ, and fewer in a short word.
func Nearest(word string, known []string) (near string) {
	least := min(3, 1+len(word)/4)
	for _, k := range known {
		if n := edits(word, k); n < least {
			near, least = k, n
		}
	}
	return near
}

// edits returns the edit distance between two words in bytes. A swap of neighbors is one edit.
func edits(a, b string) int {
	var before []int
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		next := make([]int, len(b)+1)
		next[0] = i + 1
		for j := range len(b) {
			change := row[j]
			if a[i] != b[j] {
				change++
			}
			next[j+1] = min(change, next[j]+1, row[j+1]+1)
			if i > 0 && j > 0 && a[i] == b[j-1] && a[i-1] == b[j] {
				next[j+1] = min(next[j+1], before[j-1]+1)
			}
		}
		before, row = row, next
	}
	return row[len(b)]
}
