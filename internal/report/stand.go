package report

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"hooks/internal/english"
	"hooks/internal/loop"
	"hooks/internal/page"
)

// Stand is the current state of one loop.
type Stand struct {
	// set if several projects are shown or the project is not the current one
	Project    string       `json:"project,omitempty"`
	Run        *loop.Budget `json:"run"`
	Tick       *loop.Tick   `json:"tick,omitempty"`
	Lock       *loop.Lock   `json:"lock,omitempty"`
	Minutes    int          `json:"minutes_now"`
	LockAlive  bool         `json:"lock_alive"`
	OwnerAlive bool         `json:"owner_alive"`
	// dollars spent in the open iteration so far
	Open     loop.USD  `json:"open_iteration_dollars"`
	Budgets  []Axis    `json:"budgets"`
	Gates    []Waiting `json:"gates"`
	Last     *Ran      `json:"last_iteration,omitempty"`
	Next     string    `json:"next_tick"`
	Deferred []string  `json:"deferred_targets"`
	Notes    []string  `json:"notes"`
	// true if an audit's verdict applies to a commit other than HEAD
	Stale bool   `json:"verdict_stale,omitempty"`
	Head  string `json:"-"` // HEAD of an audit's worktree
	// Tried maps a task loop's attempted tasks to their newest records, for NewCard and List.
	Tried map[int]loop.Record `json:"-"`
	// Raise is the command for a person to raise the ceilings that are nearly reached.
	Raise string `json:"raise,omitempty"`
	// Resume is the command that continues a stopped loop.
	Resume   string `json:"resume,omitempty"`
	Archived bool   `json:"-"`
}

// Ran summarizes an iteration that has ended.
type Ran struct {
	Iteration int              `json:"iteration"`
	Outcome   loop.LineOutcome `json:"outcome"`
	Ended     time.Time        `json:"ended_at"`
	Minutes   int              `json:"minutes"`
	Dollars   loop.USD         `json:"dollars"`
	PRs       []string         `json:"prs_touched"`
	Task      loop.Record      `json:"task,omitempty"` // set for a task loop
}

// taskOf returns the record in l if l is from a task loop, and nil otherwise.
func taskOf(l *loop.Iteration) loop.Record {
	if slices.Contains(loop.KindOf(l.Skill).Columns, "task") {
		return l.Own
	}
	return nil
}

// RanIn summarizes an iteration's history line.
func RanIn(l *loop.Iteration) *Ran {
	return &Ran{l.Iteration, l.Outcome, l.EndedAt, minutesOf(l), l.Dollars,
		l.PRsTouched, taskOf(l)}
}

// minutesOf returns how many minutes an iteration took, rounded, or 0 if the clock went backwards.
func minutesOf(l *loop.Iteration) int {
	return int(max(0, l.EndedAt.Sub(l.StartedAt)+30*time.Second) / time.Minute)
}

// Waiting is a question that waits for a person.
type Waiting struct {
	Skill   loop.Skill `json:"skill"`
	Gate    loop.Gate  `json:"gate"`
	Paused  bool       `json:"paused"`            // the run is paused; answer in a terminal
	Answer  string     `json:"answer"`            // how to answer
	Project string     `json:"project,omitempty"` // see Stand
	// Link is the web address of the PR in question. It is empty if there is no PR or its page is
	// unknown.
	Link string `json:"link,omitempty"`
}

// AnswerWord is the placeholder for a person's answer in a command.
const AnswerWord = "ANSWER"

// Wait returns gate g with how to answer it: an exact command, or the session's dialog.
func Wait(skill loop.Skill, g loop.Gate, paused bool) Waiting {
	w := Waiting{Skill: skill, Gate: g, Paused: paused, Answer: "in the session's dialog"}
	switch {
	case g.Answer != "":
		w.Answer = fmt.Sprintf("%q; it takes effect with --resume", g.Answer)
	case paused:
		w.Answer = "hooks gate answer " + gateName(g) + " " + AnswerWord
	}
	return w
}

// In returns a command of this program, preceded by a cd into the project. It returns any other
// text unchanged. If project is empty, it always returns command unchanged.
func In(project, command string) string {
	if project == "" || !strings.HasPrefix(command, "hooks ") {
		return command
	}
	return "cd " + OneWord(project) + " && " + command
}

// unanswered returns the questions that no person has answered yet. An answer takes effect only
// when the run resumes.
func unanswered(list []Waiting) []Waiting {
	return slices.DeleteFunc(slices.Clone(list),
		func(w Waiting) bool { return w.Gate.Answer != "" })
}

// gateName returns the argument that selects a gate. The target distinguishes gates with the same
// name.
func gateName(g loop.Gate) string {
	if g.Target == "" {
		return g.Name
	}
	return "'" + g.Name + ":" + strings.ReplaceAll(g.Target, "'", "") + "'"
}

// TargetNumber returns a gate's target without a leading "PR #" or "#": "142" for "PR #142".
func TargetNumber(g loop.Gate) string { return strings.TrimLeft(g.Target, "PR #") }

func (w Waiting) Draw(p *page.Text) {
	p.Line(page.Plain, "%s", w.Skill)
	p.Facts(w.facts())
}

// facts returns the question, its options, and how to answer it.
func (w Waiting) facts() (list page.Facts) {
	list.Row("waiting", page.Warn, "[%s] %s", w.Gate.Name, w.Gate.Question)
	for _, o := range w.Gate.Options {
		list.Row("option", page.Plain, "%s: %s", o.Label, o.Description)
	}
	if w.Link != "" {
		list.GivenCell("link", page.Cell{{Text: w.Gate.Target, Link: w.Link, Address: true}})
	}
	switch {
	case w.Gate.Answer != "":
		list.Row("answered", page.Strong, "%s", w.Answer)
	case w.Paused:
		list.Command("answer", w.Answer)
	default:
		list.Row("answer", page.Strong, "%s", w.Answer)
	}
	return list
}

func (st Stand) Draw(p *page.Text) {
	b, about := st.Run, page.Facts{}
	style, title := st.title()
	about.Given("project", st.Project)
	about.Row("run", page.Plain, "%s, started %s", cmp.Or(b.RunID, "unknown"), p.At(b.StartedAt))
	about = slices.Concat(about, spending(p.Screen, b, st.Budgets, st.Raise),
		kindOf(b).Stand(st.shown()))
	if text := b.Standstill(); text != "" {
		about.Row("no progress", page.Warn, "%s", text)
	}
	about = append(about, slices.Concat(each(st.Gates, Waiting.facts)...)...)
	if l := st.Lock; l != nil {
		about.Row("lock", page.Plain, "pid %d (%s), iteration %d, since %s", l.PID,
			aliveOrGone(st.LockAlive), l.Iteration, p.At(l.StartedAt))
	}
	about.Row("session", page.Plain, "%s, pid %d (%s)", cmp.Or(b.SessionID, "unknown"), b.Owner.PID,
		aliveOrGone(st.OwnerAlive))
	if l := st.Last; l != nil {
		task := ""
		if l.Task != nil {
			task = fmt.Sprintf(", task %s %s", strings.Join(l.Task.Cells(), "."), l.Task.Judged())
		}
		about.Row("last", page.Plain, "iteration %d: %s at %s, %d min, $%s%s%s", l.Iteration,
			l.Outcome, p.At(l.Ended), l.Minutes, l.Dollars, prefixed(", ", commas(l.PRs...)), task)
	}
	about.Row("next tick", page.Plain, "%s", st.Next)
	about.Given("deferred", commas(st.Deferred...))
	about.Rows("note", page.Plain, st.Notes)
	about.Command("next", st.Resume)
	p.Line(style, "%s", title)
	p.Facts(about)
}

func (st Stand) shown() loop.Shown {
	return loop.Shown{Run: st.Run, Tick: st.Tick, Open: st.Open, Head: st.Head, Tried: st.Tried}
}

// List returns the page for a loop with a task list, or none's empty page for any other loop.
func List(st Stand, none Lister) page.Page {
	own, ok := st.Run.Own.(Lister)
	if !ok {
		return none.Page(loop.Shown{}, "", "", "")
	}
	next := st.Next
	switch waits := unanswered(st.Gates); {
	case len(waits) > 0:
		next = fmt.Sprintf("answer [%s]: %s", waits[0].Gate.Name, waits[0].Answer)
	case st.Run.Status != loop.Active || !st.OwnerAlive:
		next = cmp.Or(st.Resume, "hooks report-card "+string(st.Run.Skill))
	}
	style, title := st.title()
	return own.Page(st.shown(), style, title, next)
}

func aliveOrGone(alive bool) string { return cmp.Or(when(alive, "alive"), "gone") }

// ending reports whether the open iteration is the last one, because a person ended the loop or a
// condition already holds.
func (st Stand) ending() bool { return st.Tick != nil && st.Tick.Halting() }

// title returns the style and text of a page title, which shows the loop's command and state.
func (st Stand) title() (style, text string) {
	style, state := st.state()
	return style, invocation(st.Run) + ": " + state
}

// state describes a loop and returns its style. A status line shows only the part before the dash.
func (st Stand) state() (style, text string) {
	b := st.Run
	style = endStyle(b)
	switch {
	case b.Status == loop.Halted && state(b) != "halted":
		return style, "finished — " + b.StopText
	case b.Status == loop.Halted, b.Status == loop.Paused && len(b.Pending) == 0:
		return style, fmt.Sprintf("%s, %s — %s", b.Status, b.StopCause, b.StopText)
	case b.Status == loop.Paused && len(unanswered(st.Gates)) > 0:
		return style, "paused, a question waits for a person" + prefixed(" — ", b.StopText)
	case b.Status == loop.Paused:
		return style, "paused; continue with --resume"
	case st.Archived:
		return page.Warn, "cut off and archived"
	case !st.OwnerAlive:
		return page.Warn, "active, but its session is gone"
	case st.ending():
		return page.Warn, fmt.Sprintf("active, ends with iteration %d — %s", st.Tick.Iteration,
			st.Tick.HaltedBy())
	case len(st.Gates) > 0:
		style = page.Warn
	}
	switch {
	case st.Tick != nil:
		return style, fmt.Sprintf("active, iteration %d is running", st.Tick.Iteration)
	case !b.RetryAt.IsZero():
		return style, "active, waiting for the service until " + b.RetryAt.Local().Format("15:04")
	}
	return style, "active, between iterations"
}

// short returns the state for a status line. It is empty if the loop runs normally.
func (st Stand) short() string {
	if st.Run.Status == loop.Active && st.OwnerAlive && !st.ending() {
		return ""
	}
	_, text := st.state()
	text, _, _ = strings.Cut(text, " — ")
	return text
}

// Line describes the loops in one line, cut to the screen's width. It is empty if there are no
// loops. session is the client's session, or empty in a terminal.
func Line(s page.Screen, loops []Stand, session string) string {
	lines := each(loops, func(st Stand) string { return st.line(session, len(loops) > 1) })
	return s.Cut(strings.Join(lines, " | "))
}

// line describes one loop. If short is set, the only budget it shows is iterations.
func (st Stand) line(session string, short bool) string {
	b, state, waits := st.Run, st.short(), unanswered(st.Gates)
	switch {
	case b.Status != loop.Halted && len(waits) > 0:
		state = "waits for you: " + waits[0].Gate.Name
		if more := len(waits) - 1; more > 0 {
			state += fmt.Sprintf(" +%d", more)
		}
	case state == "" && session != "" && b.SessionID != session:
		state = "(another session)"
	}
	parts := []string{string(b.Skill) + prefixed(" ", state)}
	// before the budgets, because a narrow screen cuts off the end
	if n := loop.Refusals(cmp.Or(st.Tick, &loop.Tick{}).Denied); n > 0 {
		parts = append(parts, fmt.Sprintf("%d refused", n))
	}
	if a := b.Attempts(); a.Unit == "task" {
		parts = append(parts, fmt.Sprintf("%d/%s", a.Finished, english.Plural(a.Total, a.Unit)))
	}
	for i, a := range st.Budgets {
		if i == 0 || !short {
			unit := map[string]string{"iterations": " it", "PRs": " PRs", "minutes": " min"}[a.Name]
			parts = append(parts, a.usage()+unit)
		}
	}
	return strings.Join(parts, " · ")
}

// Run is a run in a list. Its JSON is the budget's JSON.
type Run struct {
	loop.Budget
	Present bool   `json:"-"` // the run is not archived
	Tree    string `json:"-"` // its project or linked worktree; see Stand.Project
	Head    string `json:"-"` // see Stand
}

// Runs is a list of runs.
type Runs []Run

func (runs Runs) Draw(p *page.Text) {
	if len(runs) == 0 {
		p.Line(page.Plain, "no loop has run %s", Where(p.Screen, false))
		return
	}
	t := page.Table{Columns: []page.Column{{Name: "run"}, {Name: "skill"},
		{Name: "started", Spare: 1}, {Name: "iterations", Spare: 1}}}
	t.Columns = append(append(t.Columns, page.Counts("tasks", "PRs", "minutes")...),
		page.Column{Name: "dollars", Right: true, Spare: 1}, page.Column{Name: "state"})
	for i := range runs {
		b, state, done := &runs[i].Budget, "cut off", ""
		if runs[i].Present || b.Status != loop.Active {
			state = string(b.Status) + prefixed(" ", b.StopCause)
		}
		if b.Stale(runs[i].Head) {
			state += ", verdict stale"
		}
		if a := b.Attempts(); a.Unit == "task" {
			done = fmt.Sprintf("%d/%d", a.Finished, a.Total)
		}
		t.Add(b.RunID, string(b.Skill), p.At(b.StartedAt),
			outOf(b.IterationsUsed, b.Ceilings.Iterations, "/"), done,
			strconv.Itoa(len(b.PRsTouched)), strconv.Itoa(b.MinutesElapsed),
			"$"+b.DollarsEstimate.String(), state+prefixed(", in ", runs[i].Tree))
	}
	p.Table(t)
}

// outOf formats a count with its ceiling, if it has one, for example "3/10".
func outOf(used, most int, between string) string {
	if most >= loop.MaxUnits {
		return strconv.Itoa(used)
	}
	return strconv.Itoa(used) + between + strconv.Itoa(most)
}

// Projects holds the loops of several projects, the most recently changed project last.
type Projects []Stand

// Draw writes a line for each project. Projects that need a person come first, then projects with a
// running loop. Within each group, the most recently changed project comes first.
func (list Projects) Draw(p *page.Text) {
	var projects []string
	needs, loops, rank := map[string]string{}, map[string][]string{}, map[string]int{}
	for _, st := range list {
		at, urgency := st.Project, 0
		if waits := unanswered(st.Gates); len(waits) > 0 {
			urgency, needs[at] = 2, cmp.Or(needs[at], waits[0].Gate.Name)
		} else if st.Run.Status == loop.Active && st.OwnerAlive {
			urgency = 1
		}
		if loops[at] == nil {
			projects = slices.Insert(projects, 0, at)
		}
		rank[at] = max(rank[at], urgency)
		loops[at] = append(loops[at], fmt.Sprintf("%s%s $%s", st.Run.Skill,
			prefixed(" ", st.short()), st.Run.DollarsEstimate))
	}
	slices.SortStableFunc(projects, func(a, b string) int { return rank[b] - rank[a] })
	t := page.Table{Columns: []page.Column{{Name: "needs you"}, {Name: "loops"}, {Name: "project"}}}
	for _, at := range projects {
		t.Add(cmp.Or(needs[at], "-"), commas(loops[at]...), at)
	}
	p.Table(t)
	if len(needs) > 0 {
		p.Line(page.Plain, "`hooks gate list --all` lists the questions")
	}
}
