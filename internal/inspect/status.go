package inspect

import (
	"cmp"
	"errors"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/tidwall/gjson"

	"hooks/internal/hint"
	"hooks/internal/kind"
	"hooks/internal/loop"
	"hooks/internal/page"
	"hooks/internal/proc"
	"hooks/internal/report"
	"hooks/internal/safefile"
	"hooks/internal/store"
	"hooks/internal/tracker"
	"hooks/internal/tracker/forge"
)

// Stands returns the current state of each loop. An error in one loop does not hide the others;
// errors are joined.
func (d *Inspector) Stands(skills []loop.Skill) ([]report.Stand, error) {
	var list []report.Stand
	w := d.walk()
	for l := range w.loops(w.projects(), skills) {
		list = append(list, l.stand())
	}
	return list, w.err()
}

func (l *loopState) stand() report.Stand {
	b, st := l.Budget, l.brief()
	st.Project, st.Raise = l.named(), report.In(l.named(), st.Raise)
	st.Stale, st.Head = l.Budget.Stale(l.head), l.head
	if st.Lock = l.Lock; l.Lock != nil {
		st.LockAlive = proc.Of(l.Lock.Process) != loop.Dead
	}
	st.Deferred = slices.Clone(b.DeferredTargets)
	if l.Tick != nil {
		st.Deferred = loop.AppendNew(st.Deferred, l.Tick.Deferred...)
		st.Notes = loop.AppendNew(st.Notes, l.Tick.Notes...)
	}
	if last, err := l.last((*loop.Iteration).Began); err == nil && last != nil {
		st.Last = report.RanIn(last)
		if l.Tick == nil {
			st.Notes = loop.AppendNew(st.Notes, last.Notes...)
		}
	}
	st.Notes = loop.AppendNew(st.Notes, l.changed)
	if b.Attempts().Publishes {
		for _, e := range l.files.Unsent() {
			st.Notes = append(st.Notes, "not sent to the Sync command yet: "+e.Text)
		}
	}
	if b.Status != loop.Active || !st.OwnerAlive {
		st.Resume = report.In(st.Project, report.Resume(l.saved, l.Elsewhere()))
	}
	st.Next = l.next(st)
	return st
}

// brief returns a loop's state for a one-line summary. It does not read the history.
func (l *loopState) brief() report.Stand {
	b, going := l.Budget, l.present && alive(l.Budget)
	near := b
	if b.Status == loop.Paused { // b also counts the waiting iteration
		near = l.saved
	}
	st := report.Stand{Run: b, Tick: l.Tick, Minutes: b.MinutesElapsed, OwnerAlive: going,
		Archived: !l.present,
		Gates:    openGates(l), Budgets: report.Axes(l.saved, b, l.Tick, going, l.now)}
	if l.present {
		st.Raise = near.RaiseCommand(l.Tick, l.now)
	}
	if l.open() {
		st.Open = loop.Sum(l.since.ByModel).Dollars
	}
	return st
}

// next describes what triggers the next tick.
func (d *Inspector) next(st report.Stand) string {
	b, wake, s := st.Run, report.Wake(st.Run), page.Screen{Now: d.Now()}
	switch {
	case b.Status == loop.Paused:
		return report.Paused
	case b.Status != loop.Active:
		return "none — the loop ended"
	case !st.OwnerAlive:
		return "none — the session is gone"
	case st.Tick != nil && st.Tick.Halting():
		return "none — the loop ends with this iteration"
	case st.Tick != nil, len(b.Scheduled) == 0, b.NextTick.IsZero():
		return wake
	case b.NextTick.Add(time.Minute).Before(s.Now):
		return wake + ", due since " + s.At(b.NextTick)
	}
	return wake + ", about " + s.At(b.NextTick)
}

// openGates returns the pending questions of a run and of its open iteration.
func openGates(l *loopState) (list []report.Waiting) {
	gates := l.Budget.Pending
	if l.Tick != nil {
		gates = slices.Concat(gates, l.Tick.Pending)
	}
	for i, g := range gates {
		w := report.Wait(l.Skill, g, i < len(l.Budget.Pending))
		w.Project, w.Answer = l.named(), report.In(l.named(), w.Answer)
		pages := forge.Pages(l.Budget.Tracker)
		if pages.PR != "" && strings.HasPrefix(g.Target, "PR #") {
			w.Link = pages.PR + report.TargetNumber(g)
		}
		list = append(list, w)
	}
	return list
}

// Waiting returns the pending questions of open iterations and paused runs. An error in one loop
// does not hide the questions of another.
func (d *Inspector) Waiting(skills []loop.Skill) (list []report.Waiting, err error) {
	stands, err := d.Stands(skills)
	for _, s := range stands {
		list = append(list, s.Gates...)
	}
	return list, err
}

// maxLine limits the JSON that the client passes to a status line command, in bytes.
const maxLine = 1 << 20

// StatusLine returns the line that the client shows under its prompt. It covers this project's
// running and paused loops, and loops that ended in this session. It is empty if there are none or
// if an error occurs, because a status line has no room for errors.
func (d *Inspector) StatusLine(stdin io.Reader, s page.Screen) string {
	raw, err := io.ReadAll(io.LimitReader(stdin, maxLine))
	if err != nil {
		return ""
	}
	if !gjson.ValidBytes(raw) {
		raw = nil
	}
	given := gjson.GetManyBytes(raw, "session_id", "workspace.project_dir", "cwd")
	session := given[0].Str
	env := func(name string) string { return cmp.Or(d.Env(name), given[1].Str) }
	project := tracker.Project(env, cmp.Or(given[2].Str, cwd()))
	if !store.Exists(project) {
		return ""
	}
	var shown []report.Stand
	for l := range d.walk().loops([]string{project}, kind.Skills()) {
		st := l.brief()
		ended := st.Run.Status == loop.Halted || st.Run.Status == loop.Active && !st.OwnerAlive
		if !ended || st.Run.SessionID == session {
			shown = append(shown, st)
		}
	}
	return report.Line(s, shown, session)
}

// Why reports why each loop stopped or, if it is running, the state of its conditions and gates.
func (d *Inspector) Why(skills []loop.Skill) ([]report.Why, error) {
	var list []report.Why
	w := d.walk()
	for l := range w.loops(w.projects(), skills) {
		why, err := l.why()
		list = append(list, why)
		w.note(l.project, err)
	}
	return list, w.err()
}

func (l *loopState) why() (report.Why, error) {
	b, st := l.Budget, l.stand()
	w := report.NewWhy(st)
	previous, err := l.last((*loop.Iteration).Began)
	if b.Status != loop.Active {
		last, lerr := l.last((*loop.Iteration).Ran)
		w.Last(b, last)
		w.Stopped = report.StoppedBy(b, last, st.Gates, l.Elsewhere())
		return w, errors.Join(err, lerr)
	}
	w.Last(b, previous)
	if l.Tick != nil {
		w.Denied = l.Tick.Denied
	}
	f := loop.Look(b, l.Tick, previous, l.now)
	w.Conditions, w.Gates = loop.States(f), loop.GateStates(f)
	return w, err
}

// Runs lists the skills' runs: first the present runs in the project and its linked worktrees, then
// the project's archived runs, newest first.
func (d *Inspector) Runs(skills []loop.Skill) (report.Runs, error) {
	var present, earlier report.Runs
	w := d.walk()
	for l := range w.runs() {
		run := report.Run{Budget: *l.Budget, Present: l.present, Tree: l.named(), Head: l.head}
		switch {
		case !slices.Contains(skills, l.Skill):
		case l.present:
			present = append(present, run)
		case run.Tree == "" || d.Everywhere:
			earlier = append(earlier, run)
		}
	}
	return append(present, earlier...), w.err()
}

// missing returns an error if the requested run was not found. id is empty if none was requested.
func missing(id string, found bool) error {
	if found || id == "" {
		return nil
	}
	return hint.New("see `hooks loop list` for the runs", "there is no run %q", id)
}

// kindsWith returns the kinds whose run payload implements T, and a nil payload of the last such
// kind.
func kindsWith[T any]() (skills []loop.Skill, none T) {
	for _, k := range loop.Kinds {
		if own, ok := k.Run.Of.(T); ok {
			skills, none = append(skills, k.Name), own
		}
	}
	return skills, none
}

// Tasks returns the task list of the project's task loop. It is empty if there is no such loop.
func (d *Inspector) Tasks() (list page.Page, err error) {
	skills, none := kindsWith[report.Lister]()
	list = report.List(report.Stand{Run: &loop.Budget{}}, none)
	w := d.walk()
	for l := range w.loops([]string{w.here}, skills) {
		st := l.stand()
		st.Tried, err = l.tried()
		w.note(l.project, err)
		list = report.List(st, none)
	}
	return list, w.err()
}

// tried returns the newest record of each task that the run has attempted.
func (l *loopState) tried() (map[int]loop.Record, error) {
	own, ok := l.Budget.Own.(report.Lister)
	if !ok {
		return nil, nil
	}
	last, most := map[int]loop.Record{}, own.Tried()
	_, err := l.last(func(line *loop.Iteration) bool {
		if line.Own != nil {
			if n, _, _ := line.Own.Cost(l.Budget.Own); last[n] == nil {
				last[n] = line.Own
			}
		}
		return len(last) >= most
	})
	return last, err
}

// auditor is the payload of an audit loop.
type auditor interface {
	Listing() page.Page // its findings
	// Part returns a section of plan. Numbers start at 1; 0 selects the current section.
	Part(plan string, number int) (string, error)
}

// audit returns the payload of the project's audit loop or of the first one in a linked worktree,
// and the plan as it was when the loop began. It returns an error if there is no audit loop.
func (d *Inspector) audit() (own auditor, plan []byte, err error) {
	skills, _ := kindsWith[auditor]()
	w := d.walk()
	for l := range w.loops(w.projects(), skills) {
		if own, _ = l.Budget.Own.(auditor); own != nil {
			plan = l.files.Copy(l.Skill, store.PlanCopy)
			break
		}
	}
	if err = w.err(); err == nil && own == nil {
		err = hint.New("start one with `/hooks:audit PLAN` in a linked worktree",
			"there is no audit loop in this project")
	}
	return own, plan, err
}

// Findings returns the findings of an audit loop (A30), or nil if there is no audit loop.
func (d *Inspector) Findings() (page.Page, error) {
	own, _, err := d.audit()
	if own == nil {
		return nil, err
	}
	return own.Listing(), err
}

// Section returns the text of a section in an audit's plan. Numbers start at 1; 0 selects the
// current section (A43).
func (d *Inspector) Section(number int) (string, error) {
	own, plan, err := d.audit()
	if err != nil {
		return "", err
	}
	return own.Part(string(plan), number)
}

// maxOnCard is the maximum number of history lines on a card, which shows the newest ones.
const maxOnCard = 50

// Cards returns the cards of the present runs. If runID is set, it returns only that run's card,
// even if the run is archived.
func (d *Inspector) Cards(skills []loop.Skill, runID string) ([]report.Card, error) {
	var list []report.Card
	w := d.walk()
	loops := w.runs()
	if runID == "" {
		loops = w.loops(w.projects(), skills)
	}
	for l := range loops {
		if runID != "" && (l.Budget.RunID != runID || !slices.Contains(skills, l.Skill)) {
			continue
		}
		c, err := l.card()
		if err != nil {
			c.Unread = strings.Split(err.Error(), "\n")
		}
		list = append(list, c)
		w.note(l.project, err)
	}
	if d.Everywhere {
		report.SortCards(list)
	}
	return list, cmp.Or(w.err(), missing(runID, len(list) > 0))
}

func (l *loopState) card() (report.Card, error) {
	b, st := l.Budget, l.stand()
	ferr := l.files.Findings(b)
	lines, err := l.lastLines()
	var terr error
	st.Tried, terr = l.tried()
	c := report.NewCard(st, lines)
	c.Worktrees = slices.DeleteFunc(c.Worktrees, func(w loop.Worktree) bool {
		return !safefile.IsDir(safefile.Absolute(l.project, w.Path))
	})
	c.Present, c.Folder, c.Links = l.present, l.project, forge.Pages(b.Tracker)
	c.Resume = report.In(c.Project, report.Resume(l.saved, l.Elsewhere()))
	if b.Status != loop.Active {
		last, _ := l.last((*loop.Iteration).Ran) // lastLines already returned its error
		c.Stopped = report.StoppedBy(b, last, c.Waiting, l.Elsewhere())
	}
	return c, errors.Join(err, terr, ferr)
}

// lastLines returns a run's last maxOnCard lines, oldest first.
func (l *loopState) lastLines() (lines []loop.Iteration, err error) {
	_, err = l.last(func(line *loop.Iteration) bool {
		lines = append(lines, *line)
		return len(lines) == maxOnCard
	})
	slices.Reverse(lines)
	return lines, err
}
