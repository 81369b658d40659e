package loop

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"hooks/internal/english"
)

// Explained describes a run's condition or gate for a person.
type Explained struct {
	Number  int    `json:"number,omitempty"` // number of a condition; 0 for a gate
	Name    string `json:"name"`
	Applies bool   `json:"applies"` // whether it applies to this kind of run
	// Holds is the condition's text if it would stop the run now, or the gate's pending question.
	Holds string `json:"holds,omitempty"`
	// Now describes the current value, or when the row fires, for example "3 of 5 iterations".
	Now string `json:"now"`
}

// States describes the conditions. It decides nothing.
func States(f *Facts) []Explained {
	var list []Explained
	for _, c := range Conditions {
		s := Explained{Number: c.Number, Name: c.Name, Applies: c.Applies(f.Run)}
		if !s.Applies && c.Number > conditionsOfSpec {
			continue
		}
		if s.Applies && c.Holds != nil {
			s.Holds = c.Holds(f)
		}
		if s.Applies {
			s.Now = c.Tell(f)
		}
		list = append(list, s)
	}
	return list
}

// GateStates describes each gate with its pending question and when it would ask.
func GateStates(f *Facts) []Explained {
	var list []Explained
	for i, k := range Gates {
		s := Explained{Name: k.Name, Applies: k.Applies(f.Run)}
		if !s.Applies && i >= len(gates) {
			continue
		}
		if s.Applies {
			s.Holds, s.Now = f.waiting(k.Name), k.Tell(f)
		}
		list = append(list, s)
	}
	return list
}

func (f *Facts) waiting(gate string) string {
	var questions []string
	tick := cmp.Or(f.Tick, &Tick{})
	for _, g := range slices.Concat(f.Run.Pending, tick.Pending) {
		if g.Name == gate {
			questions = append(questions, g.Question)
		}
	}
	return strings.Join(questions, " ")
}

// ofUnits describes a ceiling and the amount used, for example "3 of 5 iterations".
func ofUnits(used, most int, unit string) string {
	if most >= MaxUnits {
		return english.Plural(used, unit) + ", no ceiling"
	}
	return fmt.Sprintf("%d of %s", used, english.Plural(most, unit))
}

func tellIterations(f *Facts) string {
	return ofUnits(f.Run.IterationsUsed, f.Run.Ceilings.Iterations, "iteration")
}

func tellPRs(f *Facts) string { return ofUnits(len(f.PRs), f.Run.Ceilings.PRs, "PR") }

func tellMinutes(f *Facts) string { return ofUnits(f.Minutes, f.Run.Ceilings.Minutes, "minute") }

func tellDollars(f *Facts) string {
	most := f.Run.Ceilings.Dollars
	if most == 0 {
		return fmt.Sprintf("$%s, no ceiling", f.Run.DollarsEstimate)
	}
	return fmt.Sprintf("$%s of $%s", f.Run.DollarsEstimate, most)
}

// tellFailure describes repeated-failure, which is both a condition and a gate.
const tellFailure Says = "asks when the same target fails twice in a row with the same cause"

func tellQmd(f *Facts) string {
	return fmt.Sprintf("iterations in a row without qmd: %d; fires at 2",
		f.Run.QmdFailuresConsecutive)
}

func tellBudgets(f *Facts) string {
	var parts []string
	for _, a := range f.axes() {
		parts = append(parts, a.name+" "+a.text)
	}
	which := "this"
	if f.Tick == nil {
		which = "the next"
	}
	then := map[string]string{NearContinue: "does not ask at 80 % (--near-limit continue)",
		NearStop: "stops at 80 % (--near-limit stop)"}[f.Run.NearLimit]
	return strings.Join(parts, ", ") + " including " + which + " iteration; " +
		cmp.Or(then, "asks at 80 %")
}

func tellMerges(f *Facts) string {
	switch f.Run.Merges {
	case MergesNever:
		return "never asks, because every merge is refused (--merges never)"
	case MergesAsk:
		return "asks before every merge (--merges ask)"
	}
	return MergePromise
}
