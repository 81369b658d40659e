package report

import (
	"fmt"
	"strings"

	"hooks/internal/loop"
)

// block writes the end of an attempt, in the words of the specification where it has them
// (T68–T71).
func (b taskLoop) block(t *text, l *loop.Iteration) {
	r := b.Tasks
	if l.Task != nil {
		t.line("%s", attempted(r, l.Task))
	}
	if l.Task != nil && l.Task.Task == len(r.List) && r.PRStep() {
		t.line("%s Opening PR for Gate 3 review.", r.AllDone())
	}
	t.line("%s", r.Result())
	t.awaiting(b.Budget)
}

// attempted is the end of one attempt (T68).
func attempted(r *loop.TaskRun, l *loop.TaskLine) string {
	j := l.Judgement
	if l.Task > len(r.List) {
		return fmt.Sprintf("Pull request, attempt %d: %s%s", l.Try, j.Verdict,
			prefixed(" — ", j.Why))
	}
	switch j.Verdict {
	case loop.Verified, loop.Unbroken, loop.Claimed:
		return fmt.Sprintf("Task %d/%d complete: %s%s (%s)", l.Task, len(r.List), l.Title,
			prefixed(" -- ", shortSHA(j.SHA)), &j)
	}
	return fmt.Sprintf("Task %d/%d, attempt %d of %d: %s — %s", l.Task, len(r.List), l.Try,
		r.MaxTries-1, j.Verdict, j.Why)
}

// awaiting names the numbered gate for which the run waits (T69).
func (t *text) awaiting(b *loop.Budget) {
	n := b.AwaitingGate()
	for _, g := range b.Pending {
		name := fmt.Sprintf("Gate %d: ", n)
		if about, ok := strings.CutPrefix(g.Question, name); ok && n > 0 {
			t.line("Awaiting %s%s", name, about)
		}
	}
}

// Resuming is the first line of a task loop that is resumed (T72).
func Resuming(b *loop.Budget) string {
	r := b.Tasks
	return fmt.Sprintf("Resuming execution from task %d/%d.", min(r.Index+1, len(r.List)),
		len(r.List))
}

// tried is an attempt in a few words, as in "task 3.1 refused: the check is red: exit 1".
func tried(l *loop.TaskLine) string {
	return fmt.Sprintf("task %d.%d %s%s", l.Task, l.Try, l.Judgement.Verdict,
		prefixed(": ", l.Judgement.Why))
}

// Verdict is the verdict on the attempt of an iteration with its reason, "" where it has none.
func Verdict(l *loop.Iteration) string {
	var j loop.Judgement
	switch {
	case l.Task != nil:
		j = l.Task.Judgement
	case l.Audit != nil:
		j = l.Audit.Judgement
	}
	if j.Verdict.Worked() {
		return j.String()
	}
	return j.Verdict.String() + prefixed(": ", j.Why)
}

// stand draws how far the loop is with its list.
func (b taskLoop) stand(p *page) {
	r := b.Tasks
	done := r.Finished()
	drawn := bar(int64(done), int64(len(r.List)), min(max(p.Width/5, 6), 24))
	p.row("done", plain, "%s  %s", drawn, r.Result())
	switch {
	case r.Complete():
		return
	case r.PRStep():
		p.row("under way", plain, "open the pull request, attempt %d of %d", r.Try, r.MaxTries-1)
	case blocked(b.Budget):
		p.row("blocked", bad, "task %d: %s", r.Index+1, r.List[r.Index].Title)
	default:
		p.row("under way", plain, "task %d, attempt %d of %d: %s", r.Index+1, r.Try, r.MaxTries-1,
			r.List[r.Index].Title)
	}
	p.given("last try", warn, r.Reason)
}

// wakes is what brings the next attempt of a task loop, by its drive.
func wakes(b *loop.Budget) string {
	if b.Drive() == loop.DriveProcess {
		return "a new client, started by `hooks go`"
	}
	return "sent by the Stop hook"
}
