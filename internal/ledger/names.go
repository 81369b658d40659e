package ledger

import (
	"slices"
	"strings"

	"hooks/internal/hint"
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

// phaseOf is the phase of a ledger by its file name, "" if no ledger has that name.
func phaseOf(name string) string {
	stem, ok := strings.CutSuffix(name, ".md")
	if !ok {
		return ""
	}
	for _, phase := range Phases() {
		number, numbered := strings.CutPrefix(stem, phase+"-")
		if !perTask(phase) && stem == phase ||
			perTask(phase) && numbered && len(number) > 1 && digits(number) {
			return phase
		}
	}
	return ""
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
	if phaseOf(name) != "" {
		return nil
	}
	return &Finding{Line: 1, Rule: UnknownFile,
		Text: name + " is no ledger's name; the nearest is " + nearest(name)}
}

// nearest is the ledger's name that takes the fewest edits.
func nearest(name string) string {
	stem := strings.ToLower(strings.TrimSuffix(name, ".md"))
	number := padded(strings.Map(func(r rune) rune {
		if r >= '0' && r <= '9' {
			return r
		}
		return -1
	}, stem))
	if number == "0" {
		number = "01"
	}
	best, least := "", len(stem)+100
	for _, phase := range Phases() {
		if perTask(phase) {
			phase += "-" + number
		}
		if n := edits(stem, phase); n < least {
			best, least = phase, n
		}
	}
	return best + ".md"
}

// edits counts the bytes that must be added, removed or replaced to make one text another.
func edits(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			replaced := diagonal
			if a[i] != b[j] {
				replaced++
			}
			diagonal = row[j+1]
			row[j+1] = min(replaced, diagonal+1, row[j]+1)
		}
	}
	return row[len(b)]
}
