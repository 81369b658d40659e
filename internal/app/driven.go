package app

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	"hooks/internal/attempt"
	"hooks/internal/config"
	"hooks/internal/drive"
	"hooks/internal/hint"
	"hooks/internal/loop"
	"hooks/internal/proc"
	"hooks/internal/report"
	"hooks/internal/seal"
	"hooks/internal/store"
	"hooks/internal/tracker"
)

// driven is a driver's view of a task or audit loop. loop.Driving decides the next step from the
// state on disk.
type driven struct {
	*App
	skill loop.Skill
	name  string // name of the command that begins an iteration, such as "/hooks:go"
	words string // arguments of the person's command without --resume, for the first process
	check string // the person's --check value, or ""
	first bool   // no process has been started yet
	// release gives up the exclusive right to drive the loop. It is nil until this process has it.
	release func() error
	plan    *loop.Budget // run of a fresh audit loop, which the first process begins
	flags   []string     // the person's flags for the client
	run     string       // ID of the run when the last process was started
	seq     int          // the run's sequence number at that time
	why     string       // how the last process ended
	spared  bool         // the last process stalled, or ended because the service failed
}

// Drive returns the run that `hooks go` drives: a fresh run, or the run that the command resumes. A
// command looks like "/hooks:go docs/spec.md --check 'go test ./...'". Drive begins a fresh task
// loop itself, so that the loop waits at its gates before a client starts (T49, T50, T92). A fresh
// audit loop has no such gates, so its first process begins it. Drive sets client.Dir. If the
// person gave no flags, it sets client.Flags to the run's stored flags.
func (a *App) Drive(command string, client *drive.Client) (run drive.Run, err error) {
	cmd, ok := loop.ParsePrompt(command, config.Load(tracker.Project(a.Env, a.cwd())).Names())
	kind := loop.KindOf(cmd.Skill)
	if !ok || kind.Enter == nil {
		return nil, hint.New("use --plugin hooks or --plugin sdd",
			"%q begins neither a task loop nor an audit loop", strings.TrimSpace(command))
	}
	if a.InAgent() {
		return nil, hint.New("run it in a terminal of your own; inside a session type /sdd:"+
			cmd.Name[strings.Index(cmd.Name, ":")+1:],
			"`hooks go` starts clients, so it cannot run inside a client's session")
	}
	d := &driven{skill: cmd.Skill, first: true, name: "/" + cmd.Name, flags: client.Flags,
		words: strings.TrimSuffix(cmd.Args, "--resume")}
	var dir string
	d.App, dir = a.in(cmd.Skill)
	client.Dir = dir
	cmd.Args = strings.TrimSpace(cmd.Args + " " + byDriver)
	asked, _, err := loop.ParseFlags(cmd.Skill, cmd.Args)
	if err != nil {
		return nil, err
	}
	h := d.entering(dir)
	fresh, said, err := kind.Enter(h.setup(cmd, &asked))
	switch {
	case err != nil:
		return nil, err
	case said != "":
		return nil, hint.New("work on the tasks in a session, or choose another --mode", "%s", said)
	}
	d.check = asked.Task.Check
	old := h.runOf(cmd.Skill)
	if fresh.Own == nil {
		name, _, _ := strings.Cut(old.Command, " ")
		// Continue with the skill that began the run, if the person did not name another one.
		if old.Driven() && strings.HasPrefix(d.name, "/hooks:") && name != "" {
			d.name = name
		}
		if len(d.flags) == 0 {
			d.flags, client.Flags, h.clientFlags = old.Client, old.Client, old.Client
		}
		err = h.permitted(old.Attempts().Check)
	}
	if err = cmp.Or(err, h.plugged(d.name)); err != nil {
		return nil, err
	}
	if fresh.Own != nil && !kind.Linked {
		d.words = ""
		return d, d.begin(h, cmd, asked, fresh)
	}
	if old != nil {
		d.run, d.seq = old.RunID, old.Seq
	}
	if fresh.Own != nil {
		d.plan = &loop.Budget{Skill: cmd.Skill, Ceilings: asked.Ceilings, KindRun: fresh.KindRun}
	}
	return d, nil
}

// alone takes the exclusive right to drive the loop. It returns an error if another process has it.
func (d *driven) alone(h *handler) error {
	if d.release != nil {
		return nil
	}
	pid := 0
	if d.release, pid = h.files.Drive(d.skill); d.release != nil {
		return nil
	}
	return hint.New("run `hooks status --watch` to watch it, or `hooks loop stop` to end it after "+
		"this task", "process %d is already driving the %s loop of this project", pid, d.skill)
}

// in returns the App and the folder for driving a loop. If this kind of loop may work in a linked
// worktree and this process runs in one, the worktree is the project, as it is for a client.
func (a *App) in(skill loop.Skill) (in *App, dir string) {
	dir = tracker.Project(a.Env, a.cwd())
	if !loop.KindOf(skill).Linked {
		return a, dir
	}
	if top, linked := tracker.LinkedWorktree(a.cwd()); linked {
		dir = top
	}
	return a.with("CLAUDE_PROJECT_DIR", dir), dir
}

// with returns a copy of the App with one environment variable changed.
func (a *App) with(variable, value string) *App {
	other := *a
	other.Env = func(name string) string {
		if name == variable {
			return value
		}
		return a.Env(name)
	}
	return &other
}

// entering returns a handler for an entry without an event. Its session is unattended.
func (d *driven) entering(dir string) *handler {
	h := &handler{App: d.with("CLAUDE_CODE_SESSION_ATTENDED", "0"), now: d.Now(),
		ctx: context.Background(), began: time.Now(), project: dir,
		seal: sealRecord{Dir: seal.At(seal.Home(d.Env))}}
	h.ev.SessionID, h.ev.Cwd = "hooks-go-"+d.RunID(), d.cwd()
	h.clientFlags = d.flags
	return h
}

// byDriver holds the flags that a driver adds to a command.
const byDriver = "--drive " + loop.DriveProcess

// begin starts a fresh run, which pauses at its first gates.
func (d *driven) begin(
	h *handler, cmd loop.Command, flags loop.Flags, fresh loop.Fresh,
) error {
	reply, err := h.enterWith(cmd, flags, fresh)
	if err == nil && h.out.After != nil {
		err = h.out.After()
	}
	if err != nil {
		return err
	}
	if run := h.runOf(d.skill); run == nil || run.SessionID != h.ev.SessionID {
		return hint.New("run `hooks status` to see every loop here", "no run has begun: %s",
			cmp.Or(reply.Reason, reply.Said))
	}
	return nil
}

// open returns a handler, or nil if the project has no state and an audit loop is about to begin.
func (d *driven) open() (*handler, error) {
	if d.plan != nil && !store.Exists(tracker.Project(d.Env, d.cwd())) {
		return nil, nil
	}
	return d.openForPerson()
}

func (d *driven) load() (*handler, *store.State, error) {
	t := &store.State{Skill: d.skill}
	h, err := d.open()
	if err == nil && h != nil {
		err = h.withStateLock(func() error {
			*t, err = h.load(d.skill)
			return err
		})
	}
	return h, t, err
}

// step applies a driver's own event to the run. An empty session means the run's session.
func (d *driven) step(session string, eventOf func(*handler) loop.Event) error {
	h, err := d.open()
	if err != nil || h == nil {
		return err
	}
	take := func() error {
		s, err := h.load(d.skill)
		if err != nil || s.Budget == nil {
			return err
		}
		if h.ev.SessionID = session; session == "" {
			h.ev.SessionID = s.Budget.SessionID
		}
		_, err = h.decide(&s, eventOf(h))
		if h.out.After != nil {
			err = errors.Join(err, h.out.After())
		}
		return err
	}
	for range busyTries {
		if err = h.withStateLock(take); !errors.Is(err, store.ErrBusy) {
			break
		}
	}
	return err
}

// busyTries bounds how often a driver retries while a hook holds the state lock. It is high because
// nothing waits for the driver's answer.
const busyTries = 15

// Next returns the driver's next order, derived from the state on disk.
func (d *driven) Next() (drive.Order, error) {
	if d.first && d.plan != nil {
		d.first = false
		o := orderOf(d.plan, d.name)
		o.Left = d.plan.DollarsLeft(config.Load(tracker.Project(d.Env, d.cwd())).Overrun)
		o.Prompt = strings.TrimSpace(d.name + " " + byDriver + " " + d.words)
		return o, nil
	}
	h, t, err := d.load()
	if errors.Is(err, store.ErrBusy) { // a slow hook must not end the run
		return drive.Order{Do: drive.Wait, Text: err.Error()}, nil
	}
	if err == nil && h != nil {
		err = d.alone(h)
	}
	if err != nil {
		return drive.Order{}, err
	}
	k := loop.Driving{Run: t.Budget, First: d.first, Spared: d.spared, Why: d.why}
	if b := t.Budget; b != nil {
		k.Owner, k.Began = proc.Of(b.Owner), b.Seq != d.seq || b.RunID != d.run
	}
	if d.plan != nil && !k.Began { // the run on disk is from an earlier command
		k.Run = nil
	}
	if err := d.keepFlags(k.Run); err != nil {
		return drive.Order{}, err
	}
	next := k.Next()
	if !next.Again {
		return h.lastOrder(t, next), nil
	}
	if why, err := d.measure(h, t); why != "" || err != nil {
		return drive.Order{Do: drive.Finish, Cause: loop.CauseNoCheck, Text: why,
			Code: report.CodeFailed}, err
	}
	o := orderOf(t.Budget, d.name)
	o.Left = t.Budget.DollarsLeft(h.config(t).Overrun)
	o.Prompt = d.name + " " + byDriver
	if next.Resume {
		o.Prompt = strings.TrimSpace(d.name + " --resume " + byDriver + " " + d.words)
	}
	d.first, d.plan, d.run, d.seq = false, nil, t.Budget.RunID, t.Budget.Seq
	return o, nil
}

// measure runs the check before a run's first worker starts. The check needs no session and no
// brake, because no worker has changed a file yet. why explains why the check cannot run, or is "".
func (d *driven) measure(h *handler, t *store.State) (why string, err error) {
	tree, err := h.tree(h.ctx, h.root(t))
	if len(tree.Dirty) > 0 || err != nil {
		tree.Head = ""
	}
	if own := t.Budget.Own; own != nil && d.check != "" { // the first process records the check
		own.Retune(loop.TaskFlags{Check: d.check})
	}
	at, command := t.Values().Unmeasured(tree.Head)
	if command == "" || t.Budget.Attempts().Worked {
		return "", nil
	}
	e := loop.Measured{At: at, Check: h.check(t, command)}
	if why = t.Budget.Own.NoCheck(e.Check); why != "" {
		return why, nil
	}
	return "", d.step("", func(h *handler) loop.Event {
		e.Turn = h.turn()
		return e
	})
}

// keepFlags stores a person's client flags for drivers that resume the run later.
func (d *driven) keepFlags(b *loop.Budget) error {
	if len(d.flags) == 0 || b == nil || !b.Driven() ||
		slices.Equal(d.flags, b.Client) {
		return nil
	}
	return d.step("", func(h *handler) loop.Event {
		return loop.ClientFlags{Turn: h.turn(), Flags: d.flags}
	})
}

// orderOf returns an order to start a process, with the run's progress and spending.
func orderOf(b *loop.Budget, command string) drive.Order {
	a := b.Attempts()
	o := drive.Order{Spent: b.DollarsEstimate, Ceiling: b.Ceilings.Dollars, Done: a.Finished,
		Total: a.Total}
	if a.Reports {
		o.Found = b.Own.Result()
	}
	if a.Agent == auditor && strings.HasPrefix(command, "/hooks:") {
		o.Agent = "hooks:" + auditor
	}
	o.Name, o.Title = b.Own.Heading()
	return o
}

// lastOrder returns the order that ends a run or makes the driver wait.
func (h *handler) lastOrder(t *store.State, next loop.DriveStep) drive.Order {
	o := drive.Order{Do: drive.Finish, Cause: next.Cause, Text: next.Text}
	if next.Code != 0 {
		o.Code = report.CodeFailed
	}
	if next.Wait {
		o.Do = drive.Wait
		return o
	}
	b := t.Budget
	if b == nil || b.Status == loop.Active || next.Cause != b.StopCause {
		return o
	}
	o.Resume = report.Resume(b, t.Elsewhere())
	if o.Code != 0 {
		o.Code = report.StopCode(b)
	}
	if b.Status == loop.Halted {
		o.Text = h.finalReport(t)
		return o
	}
	for _, g := range b.Pending {
		if g.Answer == "" {
			o.Text += "\n  " + report.Wait(t.Skill, g, true).Answer
		}
	}
	o.Text += "\n  " + o.Resume
	return o
}

// Ended records how a process ended and returns the judgement on its attempt, or "". It closes the
// attempt if no Stop hook did (M5, T59).
func (d *driven) Ended(v drive.Verdict) (said string, err error) {
	d.why, d.spared = v.Text, v.Kind == drive.Outage || v.Kind == drive.Stalled
	e := loop.ProcessEnd{Why: string(v.Kind)}
	switch v.Kind {
	case drive.Ended:
		e.Why, e.Counts = "the process ended, but no Stop hook ran", true
	case drive.MaxTurns, drive.MaxBudget, drive.ContextFull:
		e.Why, e.Counts = "the process ended at its limit: "+string(v.Kind), true
	case drive.Interrupted:
		e.Why, e.Person = byCtrlC, true
	case drive.Outage:
		e.Why = attempt.APIError + v.Text
	}
	err = d.step(v.Session, func(h *handler) loop.Event {
		e.Turn = h.turn()
		return e
	})
	h, oerr := d.open()
	if err = cmp.Or(err, oerr); err != nil || h == nil {
		return "", err
	}
	_, err = h.files.Last(d.skill, func(l *loop.Iteration) bool {
		if j := l.Judged(); j != nil && l.SessionID == v.Session {
			said = j.String()
		}
		return true
	})
	// A hook that closed the attempt may have died with the process before it released the lock.
	return said, cmp.Or(err, h.files.Release(d.skill, func(l *loop.Lock) bool {
		return l != nil && proc.Of(l.Process) == loop.Dead
	}))
}

// byCtrlC is the recorded reason when a person ends a driver.
const byCtrlC = "Ctrl-C in `hooks go`"

// Halt ends or pauses the run for a cause that only the driver sees.
func (d *driven) Halt(cause, text string) (drive.Order, error) {
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
	// Report the run's own cause if it ended after its last process was started.
	if b := t.Budget; b != nil && b.Status != loop.Active && (b.Seq != d.seq || b.RunID != d.run) {
		next = loop.Driving{Run: t.Budget, Began: true}.Next()
	}
	return h.lastOrder(t, next), nil
}
