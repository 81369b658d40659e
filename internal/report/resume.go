package report

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"hooks/internal/loop"
)

// Resume is the exact command to continue a run, empty if nothing is left to do. path is its budget
// file if that is not in its default place.
func Resume(b *loop.Budget, path string) string {
	return goOn(b, Ended{Budget: path, Elsewhere: path != ""})
}

// Next is the exact command that comes next for a run that has paused or halted: the answer to its
// first waiting question, else how to continue, else where to read what became of it.
func Next(b *loop.Budget, path string) string {
	for _, g := range b.Pending {
		if w := Wait(b.Skill, g, true); w.unanswered() {
			return w.Answer
		}
	}
	return cmp.Or(Resume(b, path), "hooks report-card "+string(b.Skill))
}

func goOn(b *loop.Budget, e Ended) string {
	switch {
	case b.StopCause == "backlog_empty": // a fresh run looks at the backlog of then
		return typed(b, b.Command)
	case loop.Completes(b.StopCause):
		return ""
	}
	way, place := typed(b, invocation(b)), where(b, e)
	if b.Drive() == loop.DriveProcess {
		way, place = b.Kind().Driver, ""
	}
	if b.Status == loop.Halted && slices.Contains(b.Kind().Switches, "--restart") {
		return way + " --restart" + place + lifted(b, true)
	}
	return way + " --resume" + place + lifted(b, false)
}

// where are the flags that select this run.
func where(b *loop.Budget, e Ended) (s string) {
	if b.SinglePR != 0 {
		s = fmt.Sprintf(" --pr %d", b.SinglePR)
	}
	if e.Elsewhere {
		s += " --budget-file " + OneWord(e.Budget)
	}
	return s
}

// OneWord quotes a word for a skill's arguments, which know quotes but no escapes.
func OneWord(word string) string {
	if word != "" && !strings.ContainsAny(word, " \t\r\n'\"") {
		return word
	}
	return "'" + strings.ReplaceAll(word, "'", `'"'"'`) + "'"
}

// typed is a command that brings more than one iteration: without /loop a scheduled loop would run
// one. The interval of its schedule is not known.
func typed(b *loop.Budget, command string) string {
	if b.UnderLoop {
		return "/loop " + command
	}
	return command
}

// lifted are the flags without which a resumed run would stop again at once: every ceiling that was
// reached, raised by half as the gate would. A restarted run counts its iterations from 0.
func lifted(b *loop.Budget, restarted bool) (flags string) {
	c, half := b.Ceilings, func(ceiling, used int) int { return max(ceiling+(ceiling+1)/2, used+1) }
	if used, most := b.IterationsUsed, c.Iterations; used >= most {
		if restarted {
			used, most = b.Iteration(used)
		}
		flags += fmt.Sprintf(" --max-iterations %d", half(most, used))
	}
	if b.CountsPRs() && len(b.PRsTouched) >= c.PRs {
		flags += fmt.Sprintf(" --max-prs %d", half(c.PRs, len(b.PRsTouched)))
	}
	if b.MinutesElapsed >= c.Minutes {
		flags += fmt.Sprintf(" --max-minutes %d", half(c.Minutes, b.MinutesElapsed))
	}
	if c.Dollars > 0 && b.DollarsEstimate >= c.Dollars {
		cents := half(int(c.Dollars.Cents()), int(b.DollarsEstimate.Cents()))
		flags += " --max-dollars " + ceiling(loop.USD(cents) * loop.Cent)[1:]
	}
	if r := b.Tasks; r != nil && r.Dollars > 0 && r.Index < len(r.List) {
		if used := r.List[r.Index].Dollars; used >= r.Dollars {
			cents := half(int(r.Dollars.Cents()), int(used.Cents()))
			flags += " --max-task-dollars " + ceiling(loop.USD(cents) * loop.Cent)[1:]
		}
	}
	return flags
}

// Missed names what ended or reported while no person was there, and where its output is.
func Missed(wakes []loop.Wakeup) string {
	text := []string{"hooks: while you were away, this was not passed to the model:"}
	for _, w := range wakes {
		what := w.What()
		if w.Task != "" && w.Summary != "" {
			what = "task " + w.Task + ": " + what
		}
		if w.Output != "" {
			what += ", output in " + w.Output
		}
		text = append(text, "- "+what)
	}
	return strings.Join(text, "\n")
}
