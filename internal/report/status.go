package report

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"hooks/internal/attempt"
	"hooks/internal/english"
	"hooks/internal/loop"
	"hooks/internal/term"
)

// Status returns the status block for an iteration or a skipped tick (R117, R128). wake describes
// what triggers the next tick, for example "scheduled by /loop". It is ignored if the iteration
// halted or paused the run.
func Status(l *loop.Iteration, wake string) string {
	t, b := &text{}, l.Budget.Now(nil, loop.Spent{}, false, l.EndedAt)
	own := kindOf(b).Block(b, l)
	spent := fmt.Sprintf("Spent: $%s this iteration, $%s in total (API-equivalent)%s", l.Dollars,
		b.DollarsEstimate, outside(b))
	if b.Own != nil && b.Drive() != "" && l.Ran() { // a task attempt or an audit phase
		t.lines("", own)
		t.line("%s; left: %s", spent, Remaining(b))
		t.remarks(l)
		return t.String()
	}
	t.line("## Loop Iteration %s — %s", outOf(l.Iteration, b.Ceilings.Iterations, "/"),
		invocation(b))
	t.line("Started: %s", l.StartedAt.UTC().Format(time.RFC3339))
	t.lines("", own)
	t.line("Budget remaining: %s", Remaining(b))
	t.line("%s", spent)
	t.line("Stop conditions evaluated: %s", cmp.Or(strings.Join(l.Fired, ", "), "none triggered"))
	holder := fmt.Sprintf("%d, released at the end of this iteration", b.Owner.PID)
	if l.SkippedForPID != 0 { // also if the loop ended while this tick waited
		holder = strconv.Itoa(l.SkippedForPID)
	}
	t.line("Concurrency: lock held by pid %s", holder)
	outcome := string(l.Outcome)
	switch {
	case !l.Ran() && len(l.Notes) > 0:
		outcome = l.Notes[0]
	case l.Outcome == loop.Waiting && len(b.Pending) > 0:
		outcome += " — waiting for a person at gate " + b.Pending[0].Name
	}
	t.line("Outcome: %s", outcome)
	t.remarks(l)
	if l.Facts != "" {
		t.line("Facts: %s — the skill reported nothing, "+
			"so this iteration is judged by what was observed", l.Facts)
	}
	switch {
	case !l.Ran(), b.Status == loop.Active:
	case b.Status == loop.Paused:
		wake = Paused
	default:
		wake = "Loop ended"
	}
	t.line("Next tick: %s", wake)
	return t.String()
}

// Paused describes the next tick of a paused run.
const Paused = "none until the run is resumed"

// remarks writes an iteration's overrun, refusals, weakened tests and notes.
func (t *text) remarks(l *loop.Iteration) {
	if l.Overrun != nil {
		t.line("Overrun: %s", l.Overrun)
	}
	if len(l.Denied) > 0 && l.Ran() {
		t.line("%s", refusals(l.Denied))
	}
	if l.Own != nil && len(l.Own.Judged().Weakened) > 0 {
		t.line("Note: Tests weakened: %s", strings.Join(l.Own.Judged().Weakened, "; "))
	}
	for _, n := range l.Notes {
		if l.Ran() || n != l.Notes[0] {
			t.line("Note: %s", n)
		}
	}
}

// Notes formats an iteration's notes as lines of a status block.
func Notes(notes []string) string {
	var t text
	t.lines("Note: ", notes)
	return t.String()
}

func inBacklog(b *loop.Backlog) string {
	if b == nil {
		return "not reported"
	}
	return fmt.Sprintf("%d unblocked, %d blocked, %d in-progress", len(b.Unblocked), len(b.Blocked),
		len(b.InProgress))
}

func trackedPR(l *loop.Iteration, number int) string {
	for _, p := range l.TrackedPRs {
		if p.Number == number {
			return fmt.Sprintf("#%d (%s, head_sha %s)", number, p.StateAtEnd,
				cmp.Or(attempt.Short(p.EndSHA), "unknown"))
		}
	}
	return fmt.Sprintf("#%d (state not reported)", number)
}

// Remaining lists the remainder of each active budget, for example "2 iterations, 16 PRs, 42
// minutes, $14.57" (R95, R117).
func Remaining(b *loop.Budget) string {
	c := b.Ceilings
	left := func(limited bool, ceiling, used int, unit string) string {
		return when(limited, english.Plural(max(0, ceiling-used), unit))
	}
	iterations := left(c.Iterations < loop.MaxUnits, c.Iterations, b.IterationsUsed, "iteration")
	dollars := when(c.Dollars > 0, "$"+max(0, c.Dollars-b.DollarsEstimate).String())
	return strings.Join(loop.AppendNew(nil, cmp.Or(iterations, "unlimited iterations"),
		left(b.CountsPRs(), c.PRs, len(b.PRsTouched), "PR"),
		left(c.Minutes < loop.MaxUnits, c.Minutes, b.MinutesElapsed, "minute"),
		cmp.Or(dollars, "unlimited dollars")), ", ")
}

// outside returns the end of a line about dollars spent while no iteration was open, or "".
func outside(b *loop.Budget) string {
	return when(b.DollarsOutside != 0, ", $"+b.DollarsOutside.String()+" outside of iterations")
}

// StopLine describes in one line why a run stopped, and lists its pending questions.
func StopLine(b *loop.Budget) string {
	s := fmt.Sprintf("%s: %s", b.StopCause, stopText(b))
	for _, g := range b.Pending {
		s += fmt.Sprintf(" [%s] %s", g.Name, g.Question)
	}
	return s
}

// Asked is a gate with its answer and the iteration that asked it.
type Asked struct {
	Iteration int `json:"Iteration"`
	loop.GateAnswer
}

// Ended holds the facts that a final report needs besides the run.
type Ended struct {
	Asked           []Asked
	Budget, History string        // file paths, relative to the project if inside it
	Elsewhere       bool          // the budget is not in its default place
	LastError       string        // last qmd error, if qmd ended the run (R56)
	Left            []string      // unfinished work of an interrupted iteration (R44)
	Denied          []loop.Denial // refusals in the whole run
	Overrun         *loop.Overrun // overrun of the last iteration
}

// maxFinal is the maximum number of lines in a final report. Mandatory lines may exceed it.
const maxFinal = 12

// Final returns the report for a halt or pause: the cause's machine name and its description, the
// totals, the gates with their answers, both paths, and the command that continues the run (R150,
// R152). The last line points to the report card and counts the lines that did not fit.
func Final(b *loop.Budget, e Ended) string {
	saved, b := b, b.Now(nil, loop.Spent{}, false, time.Time{})
	must, more := kindOf(b).Final(loop.Shown{Run: b})
	var list []string
	add := func(lines ...string) { list = loop.AppendNew(list, lines...) } // skips empty lines
	add(fmt.Sprintf("# Loop %s — %s", state(b), invocation(b)),
		fmt.Sprintf("Cause: %s — %s", b.StopCause, stopText(b)))
	add(when(b.StopCause == "qmd_unreachable", prefixed("Last error: ", e.LastError)))
	if d := b.StopDetail; d != nil {
		add(fmt.Sprintf("Gate: %s in iteration %d", d.Gate, d.Iteration))
	}
	add(must...)
	add(totals(b, e.Overrun))
	for _, g := range b.Pending {
		add(fmt.Sprintf("Waiting: %s — %s Answer it in a terminal: hooks gate answer %s ANSWER",
			g.Name, g.Question, gateName(g)))
	}
	add(prefixed("Next: type ", Resume(saved, when(e.Elsewhere, e.Budget))),
		fmt.Sprintf("Budget: %s; History: %s (keep them secret: they may contain issue texts and "+
			"answers)", e.Budget, e.History))
	for _, l := range e.Left {
		add("Left half done: " + l + " — nothing was cleaned up; finish or undo it")
	}
	if len(e.Denied) > 0 {
		more = append([]string{refusals(e.Denied)}, more...)
	}
	add(gatesAnswered(b, e.Asked))
	card, room := "More: hooks report-card "+string(b.Skill), max(0, maxFinal-1-len(list))
	if left := len(more) - room; left > 0 {
		card += fmt.Sprintf(" (%s)", english.Plural(left, "further line"))
	}
	var t text
	t.lines("", slices.Concat(list, more[:min(room, len(more))], []string{card}))
	return t.String()
}

// totals returns a run's totals and their ceilings in two lines.
func totals(b *loop.Budget, over *loop.Overrun) (used, dollars string) {
	limit := when(b.CountsPRs(), fmt.Sprintf(" / %d", b.Ceilings.PRs))
	prs := cmp.Or(limit, ", not limited") +
		when(len(b.PRsTouched) > 0, " ("+commas(b.PRsTouched...)+")")
	used = fmt.Sprintf("Iterations: %s; PRs touched: %d%s; Minutes: %s; Comments pushed: %d, "+
		"merges attempted: %d; Workers dispatched: %d",
		outOf(b.IterationsUsed, b.Ceilings.Iterations, " / "), len(b.PRsTouched), prs,
		outOf(b.MinutesElapsed, b.Ceilings.Minutes, " / "),
		b.CommentsPushed, b.MergesAttempted, b.AgentsDispatched)
	limit = when(b.Ceilings.Dollars > 0, ceiling(b.Ceilings.Dollars))
	dollars = fmt.Sprintf("Dollars: dollars_estimate=$%s / max_dollars=%s (API-equivalent)%s",
		b.DollarsEstimate, cmp.Or(limit, "none"), outside(b))
	if over != nil {
		dollars += fmt.Sprintf("; Overrun: %s", over)
	}
	return used, dollars
}

// gatesAnswered lists a run's gates and their answers in one line.
func gatesAnswered(b *loop.Budget, asked []Asked) string {
	if len(asked) == 0 {
		return "Gates: none " + cmp.Or(when(len(b.Pending) > 0, "answered"), "fired")
	}
	list := each(asked, func(a Asked) string {
		return fmt.Sprintf("%s%s in iteration %d %s", a.Name, prefixed(" ", a.Target), a.Iteration,
			term.Clip(a.Given(), 80))
	})
	return term.Clip("Gates: "+strings.Join(list, "; "), 2000)
}

func stopText(b *loop.Budget) string {
	switch {
	case b.StopText != "":
		return b.StopText
	case b.Status == loop.Paused:
		return "a question waits for a person"
	}
	return "no reason was recorded"
}

// Resume returns the exact command that continues a run, or "" if nothing is left to do. path is
// the run's budget file, or "" if the file is in its default place.
func Resume(b *loop.Budget, path string) string {
	// Without /loop, a scheduled run would do only one iteration. The interval was not recorded.
	scheduled := when(b.UnderLoop, "/loop ")
	switch {
	case b.StopCause == "backlog_empty": // a fresh run reads the backlog again
		return scheduled + b.Command
	case loop.Completes(b.StopCause):
		return ""
	}
	command := scheduled + invocation(b)
	for _, word := range b.Invocation().OwnWords() {
		command += " " + OneWord(word)
	}
	place := when(b.SinglePR != 0, fmt.Sprintf(" --pr %d", b.SinglePR)) +
		when(path != "", " --budget-file "+OneWord(path))
	if b.Drive() == loop.DriveProcess {
		command, place = b.Kind().Driver, ""
	}
	restarts := b.Status == loop.Halted && slices.Contains(b.Kind().Switches, "--restart")
	flag := cmp.Or(when(restarts, " --restart"), " --resume")
	return command + flag + place + raisingFlags(b, restarts)
}

// Next returns the next command for a paused or halted run. It answers the first waiting question;
// if there is none, it continues the run; if nothing is left to do, it shows the report card.
func Next(b *loop.Budget, path string) string {
	for _, g := range b.Pending {
		if g.Answer == "" {
			return Wait(b.Skill, g, true).Answer
		}
	}
	return cmp.Or(Resume(b, path), "hooks report-card "+string(b.Skill))
}

// OneWord quotes a word of a skill's arguments if necessary. Arguments have quotes but no escapes.
func OneWord(word string) string {
	if word != "" && !strings.ContainsAny(word, " \t\r\n'\"") {
		return word
	}
	return "'" + strings.ReplaceAll(word, "'", `'"'"'`) + "'"
}

// raisingFlags returns the flags that keep a resumed run from stopping again at once. They raise
// each reached ceiling by half, as the gate does, including a task's ceiling. restarted means that
// the run counts its iterations from 0.
func raisingFlags(b *loop.Budget, restarted bool) (flags string) {
	raise := func(ceiling *int, used int) {
		if used >= *ceiling {
			*ceiling = max(*ceiling+(*ceiling+1)/2, used+1)
		}
	}
	money := func(ceiling, used loop.USD) loop.USD {
		cents := int(ceiling.Cents())
		raise(&cents, int(used.Cents()))
		return loop.USD(cents) * loop.Cent
	}
	to, used := b.Ceilings, b.IterationsUsed
	if restarted && used >= to.Iterations {
		used, to.Iterations = b.SinceRestart(used)
	}
	raise(&to.Iterations, used)
	if b.CountsPRs() {
		raise(&to.PRs, len(b.PRsTouched))
	}
	raise(&to.Minutes, b.MinutesElapsed)
	if to.Dollars > 0 && b.DollarsEstimate >= to.Dollars {
		to.Dollars = money(to.Dollars, b.DollarsEstimate)
	}
	flags = b.Ceilings.Flags(to)
	if d := b.StopDetail; d != nil && d.Gate == loop.BudgetEscalation &&
		b.NearLimit == loop.NearStop {
		flags += " --near-limit " + loop.NearAsk
	}
	if a := b.Attempts(); a.Most > 0 && a.Spent >= a.Most {
		flags += " --max-task-dollars " + ceiling(money(a.Most, a.Spent))[1:]
	}
	return flags
}

// Missed lists the background tasks that ended or reported while the person was away, with their
// output files.
func Missed(wakes []loop.Wakeup) string {
	text := "hooks: while you were away, this was not passed to the model:"
	for _, w := range wakes {
		text += "\n- "
		if w.Task != "" && w.Summary != "" {
			text += "task " + w.Task + ": "
		}
		text += w.What() + prefixed(", output in ", w.Output)
	}
	return text
}

// maxRefusals is the maximum number of refusals named in one line.
const maxRefusals = 3

// refusals lists refusals in one line.
func refusals(list []loop.Denial) string {
	parts := each(list[:min(len(list), maxRefusals)], refusal)
	if more := loop.Refusals(list[len(parts):]); more > 0 {
		parts = append(parts, fmt.Sprintf("%d more", more))
	}
	return english.Plural(loop.Refusals(list), "call") + " refused: " + commas(parts...)
}

// refusal describes one refusal: the rule, the call, and how often it was refused.
func refusal(d loop.Denial) string {
	s := d.Rule + " (" + refusedCall(d) + ")"
	if d.Times > 1 {
		s += fmt.Sprintf(" %d times", d.Times)
	}
	return s
}

func refusedCall(d loop.Denial) string { return strings.Trim(d.Tool+": "+d.What, ": ") }
