package ledger

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"hooks/internal/hint"
	"hooks/internal/loop"
)

// Phases are the phases that keep a ledger (L3–L10).
func Phases() []string {
	return []string{
		"ideation", "proposal", "specs", "discovery", "tasks", "plan", "implement", "reconcile",
	}
}

// perTask reports whether a phase has one ledger for each task.
func perTask(phase string) bool { return phase == "plan" || phase == "implement" }

// Name is the file name of a phase's ledger. number is that of a task, "" for a phase of the whole
// change.
func Name(phase, number string) (string, error) {
	switch {
	case !slices.Contains(Phases(), phase):
		return "", hint.New("the phases are "+strings.Join(Phases(), ", "),
			"there is no phase %q", phase)
	case perTask(phase) && (number == "" || !digits(number)):
		return "", hint.New("give the task's number, as in `hooks ledger new "+phase+" CHANGE 01`",
			"%q is no number of a task", number)
	case !perTask(phase) && number != "":
		return "", hint.New("leave the number out: plan and implement alone have one",
			"the ledger of %s has no number, got %q", phase, number)
	case number == "":
		return phase + ".md", nil
	}
	return phase + "-" + padded(number) + ".md", nil
}

// padded is a number of two digits or more.
func padded(number string) string {
	if len(number) < 2 {
		return "0" + number
	}
	return number
}

// Place splits a path of slashes that ends in changes/<name>/loops/<file>. ok is false for any
// other.
func Place(path string) (change, file string, ok bool) {
	parts := strings.Split(path, "/")
	n := len(parts)
	if n < 4 || parts[n-4] != "changes" || parts[n-2] != "loops" || parts[n-3] == "" {
		return "", "", false
	}
	return parts[n-3], parts[n-1], true
}

// CheckName returns the finding about a file in a folder of ledgers whose name is no ledger's, nil
// if it is one.
func CheckName(name string) *Finding {
	if near := nearest(name); near != name {
		return &Finding{Line: 1, Rule: UnknownFile,
			Text: name + " is no ledger's name; the nearest is " + near}
	}
	return nil
}

// nearest is the ledger's name that takes the fewest edits, the name itself if it is one.
func nearest(name string) string {
	stem := strings.ToLower(strings.TrimSuffix(name, ".md"))
	number := strings.Map(func(r rune) rune {
		if digits(string(r)) {
			return r
		}
		return -1
	}, stem)
	best, least := "", len(stem)+100
	for _, phase := range Phases() {
		if perTask(phase) {
			phase += "-" + padded(cmp.Or(number, "1"))
		}
		if n := loop.Edits(stem, phase); n < least {
			best, least = phase, n
		}
	}
	return best + ".md"
}

// Title is the first line of a new ledger, by its file name.
func Title(name string) string {
	phase, number, _ := strings.Cut(strings.TrimSuffix(name, ".md"), "-")
	word := strings.ToUpper(phase[:1]) + phase[1:]
	switch {
	case phase == "implement":
		return fmt.Sprintf("# Implementation: Task %s\n", number)
	case number != "":
		return fmt.Sprintf("# %s Loop: Task %s\n", word, number)
	}
	return fmt.Sprintf("# %s Loop\n", word)
}
