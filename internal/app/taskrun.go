package app

import (
	"errors"
	"strings"
	"time"

	"hooks/internal/config"
	"hooks/internal/drive"
	"hooks/internal/hint"
	"hooks/internal/loop"
	"hooks/internal/proc"
	"hooks/internal/report"
	"hooks/internal/seal"
	"hooks/internal/tracker"
)

// taskRun is a task loop as its driver sees it. What to do next is decided by loop.Driving, from
// the state on disk.
type taskRun struct {
	*App
	name  string // of the command that begins an attempt, as in "/hooks:go"
	words string // of the person's own command but for --resume, for the first process
	first bool
	seq   int    // of the run when the last process was started
	why   string // how that process ended
	// spared says that the process ended before it need have begun anything.
	spared bool
}

// TaskRun is the run that `hooks go` drives: the one that its command continues, else a fresh one.
// command is as in "/hooks:go docs/spec.md --check 'go test ./...'". A fresh run begins here, by
// the same entry as a session's, and waits at its gates before any client is started (T49, T50,
// T92).
func (a *App) TaskRun(command string) (drive.Run, error) {
	cmd, ok := loop.ParsePrompt(command,
		config.Load(tracker.Project(a.Env, a.cwd())).TaskNamespaces...)
	if !ok || cmd.Skill != loop.Tasks || cmd.Tick() {
		return nil, hint.New("use --plugin hooks or --plugin sdd",
			"%q begins no task loop", strings.TrimSpace(command))
	}
	if a.InAgent() {
		return nil, hint.New("run it in a terminal of your own; inside a session type /sdd:go",
			"`hooks go` starts clients, and this is a session of the client")
	}
	d := &taskRun{App: a, first: true, name: "/" + cmd.Name,
		words: strings.TrimSuffix(cmd.Args, "--resume")}
	cmd.Args = strings.TrimSpace(cmd.Args + " " + byDriver)
	flags, _, err := loop.ParseFlags(cmd.Skill, cmd.Args)
	if err != nil {
		return nil, err
	}
	alone := *a
	alone.Env = func(name string) string {
		if name == "CLAUDE_CODE_SESSION_ATTENDED" { // no session is there to ask in
			return "0"
		}
		return a.Env(name)
	}
	h := &handler{App: &alone, now: a.now(), began: time.Now()}
	h.ev.SessionID = "hooks-go-" + a.runID()
	h.project, h.seals = tracker.Project(a.Env, a.cwd()), seal.At(seal.Home(a.Env))
	list, why, err := h.taskEntry(cmd, &flags)
	switch {
	case err != nil:
		return nil, err
	case why != "":
		return nil, hint.New("do its tasks in a session, or choose another --mode", "%s", why)
	case list == nil:
		return d.continues(h.taskRun()), nil
	}
	d.words = ""
	return d, d.begin(h, cmd, flags, list)
}

// continues asks for the skill that the run began with, where its driver named no other.
func (d *taskRun) continues(run *loop.Budget) *taskRun {
	name, _, _ := strings.Cut(run.Command, " ")
	if run.Tasks.Drive == loop.DriveProcess && d.name == "/hooks:go" && name != "" {
		d.name = name
	}
	return d
}

// byDriver are the words that a driver adds to a command.
const byDriver = "--drive " + loop.DriveProcess

// begin begins a fresh run, which pauses at its first gates.
func (d *taskRun) begin(
	h *handler, cmd loop.Command, flags loop.Flags, list *loop.TaskRun,
) error {
	reply, err := h.enterWith(cmd, flags, freshRun{tasks: list})
	if err == nil && h.after != nil {
		err = h.after()
	}
	if err != nil {
		return err
	}
	if run := h.taskRun(); run == nil || run.SessionID != h.ev.SessionID {
		return hint.New("see `hooks status`", "no run has begun: %s", reply.PersonText())
	}
	return nil
}

// load is the run as it is on disk, with a handler for it.
func (d *taskRun) load() (*handler, *loopState, error) {
	h, err := d.visitor()
	if err != nil {
		return nil, nil, err
	}
	s, err := h.load(loop.Tasks)
	return h, &loopState{loop.Tasks, s}, err
}

// step takes an event of the driver's own through the run.
func (d *taskRun) step(session string, eventOf func(*handler) loop.Event) error {
	h, err := d.visitor()
	if err != nil {
		return err
	}
	return h.withStateLock(func() error {
		s, err := h.load(loop.Tasks)
		if err != nil || s.Budget == nil {
			return err
		}
		if h.ev.SessionID = session; session == "" {
			h.ev.SessionID = s.Budget.SessionID
		}
		_, err = h.decide(&loopState{loop.Tasks, s}, eventOf(h), loop.Known{})
		if h.after != nil {
			err = errors.Join(err, h.after())
		}
		return err
	})
}

// Next is the next order, by the state on disk.
func (d *taskRun) Next() (drive.Order, error) {
	h, t, err := d.load()
	if err != nil {
		return drive.Order{}, err
	}
	k := loop.Driving{Run: t.Budget, First: d.first, Spared: d.spared, Why: d.why}
	if t.Budget != nil {
		k.Owner, k.Began = proc.Of(t.Budget.Owner), t.Budget.Seq != d.seq
	}
	next := k.Next()
	if !next.Again {
		return h.lastOrder(t, next), nil
	}
	o := orderOf(t.Budget)
	o.Prompt = d.name + " " + byDriver
	if next.Resume {
		o.Prompt = strings.TrimSpace(d.name + " --resume " + byDriver + " " + d.words)
	}
	d.first, d.seq = false, t.Budget.Seq
	return o, nil
}

// orderOf has what an order tells people about the task under way.
func orderOf(b *loop.Budget) drive.Order {
	r := b.Tasks
	o := drive.Order{Task: r.Index + 1, Tasks: len(r.List), Attempt: r.Try,
		Title: "Open the pull request", Spent: b.DollarsEstimate, Ceiling: b.Ceilings.Dollars}
	if r.Index < len(r.List) {
		o.Title = r.List[r.Index].Title
	}
	if o.Attempt >= r.MaxTries { // a person resumes a task that was blocked
		o.Attempt = 1
	}
	return o
}

// pollTime is how long a driver waits for a process that another driver has left.
const pollTime = 5 * time.Second

// lastOrder is the end of a run, or a wait, in words.
func (h *handler) lastOrder(t *loopState, next loop.DriveStep) drive.Order {
	o := drive.Order{Do: drive.Finish, Cause: next.Cause, Text: next.Text, Code: next.Code}
	if next.Wait {
		o.Do, o.Until = drive.Wait, h.now.Add(pollTime)
		return o
	}
	b := t.Budget
	if b == nil || b.Status == loop.Active || next.Cause != b.StopCause {
		return o
	}
	if b.Status == loop.Halted {
		o.Text = h.finalReport(t)
		return o
	}
	for _, g := range b.Pending {
		if g.Answer == "" {
			o.Text += "\n  " + report.Wait(t.skill, g, true).Answer
		}
	}
	o.Text += "\n  " + report.Resume(b, t.Elsewhere(t.skill))
	return o
}

// Ended takes the verdict of a process. Where no Stop has closed its attempt, it is closed here
// (M5, T59).
func (d *taskRun) Ended(v drive.Verdict) error {
	d.why, d.spared = v.Text, v.Kind == drive.Outage || v.Kind == drive.Stalled
	e := loop.ProcessEnd{Why: string(v.Kind)}
	switch v.Kind {
	case drive.Ended:
		e.Why, e.Counts = "the worker ended without a claim", true
	case drive.MaxTurns, drive.MaxBudget, drive.ContextFull:
		e.Why, e.Counts = "the process ended at its limit: "+string(v.Kind), true
	case drive.Interrupted:
		e.Why, e.Person = byCtrlC, true
	case drive.Outage:
		e.Why = loop.APIError + v.Text
	}
	return d.step(v.Session, func(h *handler) loop.Event {
		e.Turn = h.turn()
		return e
	})
}

// byCtrlC is how a person ends a driver.
const byCtrlC = "Ctrl-C in `hooks go`"

// Halt ends or pauses the run for a cause that only the driver sees.
func (d *taskRun) Halt(cause, text string) (drive.Order, error) {
	if cause == loop.CauseInterrupt {
		text = byCtrlC
	}
	err := d.step("", func(h *handler) loop.Event {
		return loop.DriverStop{Turn: h.turn(), Cause: cause, Text: text}
	})
	if err != nil {
		return drive.Order{}, err
	}
	h, t, err := d.load()
	if err != nil {
		return drive.Order{}, err
	}
	next := loop.DriveStep{Cause: cause, Text: text, Code: 1}
	if t.Budget != nil && t.Budget.Status != loop.Active {
		next = loop.Driving{Run: t.Budget, Began: true}.Next()
	}
	return h.lastOrder(t, next), nil
}
