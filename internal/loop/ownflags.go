package loop

import (
	"errors"
	"fmt"
	"slices"
	"strings"
)

// TaskFlags holds the additional flags of loops whose iterations are attempts.
type TaskFlags struct {
	List     string // --tasks PATH
	Check    string // --check CMD
	Minutes  int    // --check-timeout N; 0 for the default
	Drive    string // --drive; "" for the default
	Mode     string // --mode; "" for the spec's mode
	Issue    string // --issue ID
	MaxTries int    // --max-task-iterations N; 0 for the default
	Dollars  USD    // --max-task-dollars N; 0 for no ceiling
	Untidy   string // --untidy: LeaveOut, or "" to stop
	Require  string // --require verified; "" if nothing is required
}

// LeaveOut is the value of --untidy that lets a fresh run begin with uncommitted files, and
// excludes them from the run.
const LeaveOut = "leave-out"

// Modes lists the ways to execute tasks. The modes pair and swarm do not loop (T23, T38–T43).
var Modes = []string{"quick", "tdd", "pair", "checkpoint", "swarm"}

func (f *TaskFlags) set(name, value string) error {
	if value == "" || strings.HasPrefix(value, "--") {
		return &flagError{name + " has no value", name + " takes one, as in " + name + "=VALUE"}
	}
	switch name {
	case "--tasks":
		f.List = value
	case "--check":
		f.Check = value
	case "--issue":
		f.Issue = value
	case "--drive":
		if f.Drive = value; value != DriveStop && value != DriveProcess {
			return &flagError{fmt.Sprintf("--drive %q is not a drive", value),
				"leave --drive out; `hooks go` sets process itself"}
		}
	case "--untidy":
		if f.Untidy = value; value != LeaveOut && value != "stop" {
			return &flagError{fmt.Sprintf("--untidy %q is not a way to begin", value),
				"use stop or " + LeaveOut}
		}
	case "--mode":
		if f.Mode = value; !slices.Contains(Modes, value) {
			return &flagError{fmt.Sprintf("--mode %q is not a mode", value),
				"use one of " + strings.Join(Modes, ", ")}
		}
	case "--require":
		if f.Require = value; value != string(Verified) {
			return &flagError{fmt.Sprintf("--require %q is not a verdict to require", value),
				"use --require verified, or leave it out"}
		}
	case "--max-task-dollars":
		return dollars(name, value, "as in "+name+" 2.50", &f.Dollars)
	case "--check-timeout":
		value = strings.TrimSuffix(value, "m")
		return bounded(name, value, 1, 50, "as in "+name+" 5", &f.Minutes)
	case "--max-task-iterations":
		return bounded(name, value, 2, MaxUnits, "as in "+name+" 5", &f.MaxTries)
	}
	return nil
}

// flags returns all flags of a kind whose commands accept no others.
func (k Kind) flags() []string {
	return slices.Concat(k.Flags, k.Switches, []string{"--max-iterations", "--max-minutes",
		"--max-dollars", "--near-limit", "--merges", "--resume", "--lock", "--budget-file"})
}

// unknown returns the error for an unknown flag, which would otherwise be taken for the spec or
// plan.
func (k Kind) unknown(word string) error {
	text := fmt.Sprintf("%q is not a flag of %s", word, k.Invoked())
	bare := strings.ToLower(strings.TrimLeft(word, dashes))
	if near := Nearest("--"+strings.ReplaceAll(bare, "_", "-"), k.flags()); near != "" {
		text += ", did you mean " + near
	}
	return &flagError{text, flagHint}
}

// hinted replaces the general hint of an error by the kind's own flags.
func (k Kind) hinted(err error) error {
	if e, ok := errors.AsType[*flagError](err); ok && e.Way == flagHint && k.Commands != nil {
		e.Way = "its flags are " + strings.Join(k.flags(), ", ")
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

// edits returns the number of letters to insert, delete, change or swap with the next one that turn
// one word into the other.
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

func (f TaskFlags) words() (list []string) {
	for _, w := range [][2]string{{"tasks", f.List}, {"check", f.Check}, {"drive", f.Drive},
		{"mode", f.Mode}, {"issue", f.Issue}, {"require", f.Require}} {
		if w[1] != "" {
			list = append(list, w[0]+"="+w[1])
		}
	}
	if f.Dollars > 0 {
		list = append(list, "task-dollars="+f.Dollars.Decimal())
	}
	return list
}
