// Package app joins the packages into straight lines, one per event: read, load, look, decide,
// save, reply.
//
// Rules of order: what a reply promises is saved before it is printed, a lock is released after.
// When the program itself fails, a Stop lets go and says why; merges, dispatch, scheduling and the
// state's own files stay shut while a loop is or may be active.
package app

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/tidwall/gjson"

	plugin "hooks"
	"hooks/internal/config"
	"hooks/internal/event"
	"hooks/internal/hint"
	"hooks/internal/install"
	"hooks/internal/loop"
	"hooks/internal/notify"
	"hooks/internal/proc"
	"hooks/internal/seal"
	"hooks/internal/store"
	"hooks/internal/toolcall"
	"hooks/internal/tracker"
)

// App is the program for one call. Tests and the demo replace Now, Clock, Wait, Rest and RunID; the
// zero value of each is the real thing.
type App struct {
	Env   func(string) string
	Now   func() time.Time
	Clock func() loop.Clock // but for the wall clock; with only Now set nothing is known of it
	RunID func() string
	// Inside reports whether a run's client started this process.
	Inside func(loop.Process) bool
	// how long one entry hook polls for a lock; default 45 s, below the hook's timeout
	Wait      time.Duration
	CheckTime time.Duration // bounds one run of a check command, whatever its run has
	// Rest waits before a reply is printed, and reports whether the reply is still wanted.
	Rest func(time.Duration) bool
	// clientFlags are the flags with which a driver starts its clients.
	clientFlags []string
}

// Answer holds the reply of a hook call and the actions to take once it is printed.
type Answer struct {
	Reply event.Reply
	Name  string // the event, whose form the reply takes
	// After releases the lock, once the reply is printed and flushed; nil when there is nothing to
	// release.
	After func() error
	// Until is when the reply is printed, zero for at once. A person who does not want to wait
	// ends this process, and there is no reply (T95).
	Until time.Time
	// Notify runs the person's own command, once the reply is printed and the lock released. It
	// is nil when there is nothing to notify of, and does not wait for the command.
	Notify func() error
	// Err is the error that occurred, for stderr; the reply is already the safe one.
	Err error
}

// LoopOn reports whether a loop of the session that started this process is on, by the session's
// switch alone.
func (a *App) LoopOn() bool {
	session := a.Env("CLAUDE_CODE_SESSION_ID")
	if session == "" {
		return false
	}
	_, err := os.Stat(seal.SwitchPath(seal.Home(a.Env), session))
	return err == nil
}

func (a *App) now() time.Time {
	if a.Now != nil {
		return a.Now().UTC()
	}
	return time.Now().UTC().Truncate(time.Second)
}

// Present is the present in the reader's time zone.
func (a *App) Present() time.Time { return a.now().Local() }

// clock returns the readings of all clocks, with now as the wall clock.
func (a *App) clock(now time.Time) loop.Clock {
	var c loop.Clock
	switch {
	case a.Clock != nil:
		c = a.Clock()
	case a.Now == nil:
		c = proc.Clock()
	}
	c.Wall = now
	return c
}

func (a *App) runID() string {
	if a.RunID != nil {
		return a.RunID()
	}
	return fmt.Sprintf("%s-%d", a.now().Format("20060102T150405"), os.Getpid())
}

// handler answers one event of one session in one project.
type handler struct {
	*App
	ev      event.Event
	now     time.Time
	began   time.Time // by the machine's clock, when the hook started
	project string
	seal    sealed
	files   *store.Store // nil: no state in this project
	tx      *store.Tx    // the change of the state under way
	runs    sessionRuns
	feeding bool                     // the event begins a conductor's next attempt
	tool    *toolcall.Call           // see call
	configs map[string]config.Config // that were looked up, by what a run keeps of them
	out     output
}

// sessionRuns holds the session's runs, as the event found them or left them.
type sessionRuns struct {
	list   []*store.State // nil before they are read
	damage error          // of one of them, beside others in order
	news   bool           // the session's receipt lacks this kind of event
}

// output holds what follows from the event, as far as it is durable: its reply is printed even if a
// later step fails, and its error changes no decision.
type output struct {
	Answer
	person notify.Person // who learns something once the reply is printed
	asks   []loop.Skill  // whose runs paused with a question for the person's Ask command
}

// config returns the configuration that a run has kept since it began. Without a run, and for one
// that an older version began, it is the project's own as it is now.
func (h *handler) config(t *store.State) config.Config {
	kept := ""
	if t != nil && t.Budget != nil {
		kept = t.Budget.Config
	}
	if h.configs == nil {
		h.configs = map[string]config.Config{}
	}
	c, known := h.configs[kept]
	if !known {
		c = config.Of(kept, h.project)
		h.configs[kept] = c
	}
	return c
}

// withStateLock runs a change with the state's lock. The wait for the lock is bounded.
func (h *handler) withStateLock(change func() error) error {
	tx, err := h.files.Begin(context.Background())
	if err != nil {
		return fmt.Errorf("lock state: %w", err)
	}
	defer tx.End()
	h.tx, h.runs.list = tx, nil
	return change()
}

// attended reports whether a person can answer a dialog. Clients that do not set
// CLAUDE_CODE_SESSION_ATTENDED mark a headless session (-p) by its entry point alone.
func (h *handler) attended() bool {
	if said := h.Env("CLAUDE_CODE_SESSION_ATTENDED"); said != "" {
		return said != "0"
	}
	return h.Env("CLAUDE_CODE_ENTRYPOINT") != "sdk-cli"
}

// clientDir returns the folder of the person's own client configuration, or "" if it is not known.
func (a *App) clientDir() string {
	dir, err := install.ClientDir(a.Env)
	if err != nil {
		return ""
	}
	return dir
}

// alive reports whether a run's client may still continue it: its session was not closed, and its
// client is not known to be dead.
func alive(b *loop.Budget) bool { return !b.OwnerLeft && proc.Of(b.Owner) != loop.Dead }

// release drops the loop's lock once the reply is printed. The session has held it, so rubbish in
// its place was written over it.
func (h *handler) release(skill loop.Skill) {
	before, session, files := h.out.After, h.ev.SessionID, h.files
	h.out.After = func() error {
		err := files.Release(skill, func(l *loop.Lock) bool {
			return l == nil || l.SessionID == session
		})
		if before != nil {
			err = errors.Join(before(), err)
		}
		return err
	}
}

// sessionRuns returns the session's runs, in a fixed order. They are read once for an event, and
// once more under the state's lock if anything is to change. A run of another session matters only
// if it holds the lock.
func (h *handler) sessionRuns() ([]*store.State, error) {
	if h.runs.list != nil {
		return h.runs.list, nil
	}
	return h.loadRuns(func(skill loop.Skill) (store.State, error) {
		return h.files.LoadSealed(h.ev.SessionID, skill)
	})
}

// only returns the runs that keep accepts, in their order.
func only(list []*store.State, keep func(*store.State) bool) (kept []*store.State) {
	for _, t := range list {
		if keep(t) {
			kept = append(kept, t)
		}
	}
	return kept
}

func (h *handler) loadRuns(load func(loop.Skill) (store.State, error)) ([]*store.State, error) {
	var list []*store.State
	var damage []error
	for _, skill := range h.files.Skills(h.ev.SessionID) {
		s, err := load(skill)
		if err != nil {
			damage = append(damage, err)
			continue
		}
		if t := (&s); h.dropForeign(t) {
			if err := h.checkSender(t); err != nil {
				return nil, err
			}
			h.runs.news = h.receive(t.Budget) || h.runs.news
			if loop.TasksOf(t.Budget) != nil {
				h.call().View = h.viewPath()
			}
			list = append(list, t)
		}
	}
	h.runs.list, h.runs.damage = list, errors.Join(damage...)
	if len(list) > 0 { // one skill's damage does not end the other's loop
		return list, nil
	}
	return nil, h.runs.damage
}

// dropForeign drops the state of another session and reports whether any is left. A claim
// on another session's lock gives no say in that session's run.
func (h *handler) dropForeign(t *store.State) bool {
	session := h.ev.SessionID
	run := t.Budget != nil && (t.Budget.SessionID == session || h.stopsLeft(t.Budget)) ||
		t.Tick != nil && t.Tick.SessionID == session
	if !run {
		t.Budget, t.Tick = nil, nil
	}
	if t.Claim != nil && t.Claim.SessionID != session {
		t.Claim = nil
	}
	return run || t.Claim != nil
}

// stopsLeft reports whether a person ends a run that /clear took from its session, before a tick
// brings it to this one.
func (h *handler) stopsLeft(b *loop.Budget) bool {
	return b.OwnerLeft && h.ev.StopsLoop() &&
		b.OwnedBy(loop.Request{SessionID: h.ev.SessionID, Owner: proc.Owner()})
}

// open reports whether an iteration of this session is open.
func (h *handler) open(t *store.State) bool {
	return t.Tick != nil && t.Tick.SessionID == h.ev.SessionID && t.Budget != nil
}

// ownsPrompt reports whether the event belongs to one of the prompts of an open iteration.
func (h *handler) ownsPrompt(t *store.State) bool {
	return h.open(t) && slices.Contains(t.Tick.Prompts, h.ev.PromptID)
}

// forcing reports whether a person is asked whether this session may take another's lock.
func forcing(t *store.State) bool { return t.Claim != nil && t.Claim.Gate != nil }

// withRuns runs a change with the state's lock and the runs as they are under it.
func (h *handler) withRuns(change func([]*store.State) error) error {
	return h.withStateLock(func() error {
		list, err := h.loadRuns(func(skill loop.Skill) (store.State, error) {
			return h.tx.State(h.ev.SessionID, skill)
		})
		if err != nil {
			return err
		}
		return change(list)
	})
}

// forEachRun does something to one run after the other and joins the replies. An error in one
// loop does not stop the others; errors are joined.
func (h *handler) forEachRun(list []*store.State,
	do func(*store.State) (event.Reply, error)) (all event.Reply, err error) {
	var errs []error
	for _, t := range list {
		r, err := do(t)
		if err != nil {
			errs = append(errs, err)
			continue
		}
		all, h.out.Reply = all.And(r), h.out.Reply.And(r)
	}
	return all, errors.Join(errs...)
}

// previous is the run's last iteration in which work was done.
func (h *handler) previous(skill loop.Skill, run *loop.Budget) (*loop.Iteration, error) {
	return h.files.Last(skill, run.Worked)
}

// lookup counts the facts that were looked up for a Step, and holds the first error.
type lookup struct {
	found int
	err   error
}

// fill looks a fact up that a Step asks for.
func fill[T any](l *lookup, f *loop.Fact[T], look func() T) {
	try(l, f, func() (T, error) { return look(), nil })
}

// try is fill for what may not be readable.
func try[T any](l *lookup, f *loop.Fact[T], look func() (T, error)) {
	if !f.Asked() || l.err != nil {
		return
	}
	is, err := look()
	if l.err = err; err == nil {
		l.found++
		*f = loop.Fetched(is)
	}
}

// slip keeps an error that changes no decision; it is printed on stderr.
func (h *handler) slip(err error) { h.out.Err = errors.Join(h.out.Err, err) }

// turn describes the turn in which this event happened.
func (h *handler) turn() loop.Turn {
	return loop.Turn{
		Now: h.now, Session: h.ev.SessionID, Prompt: h.ev.PromptID, Attended: h.attended(),
	}
}

// addressed drops the loops that are open or have ended and do not own this prompt, if another loop
// owns it, so that a turn is counted and judged once.
func (h *handler) addressed(list []*store.State) []*store.State {
	if !slices.ContainsFunc(list, h.ownsPrompt) {
		return list
	}
	return only(list, func(t *store.State) bool {
		return !h.open(t) && t.Quiet == nil || h.ownsPrompt(t)
	})
}

// unknownPrompt reports whether an iteration of this session is open and this prompt does not
// belong to it.
func (h *handler) unknownPrompt(t *store.State) bool {
	return h.open(t) && h.ev.PromptID != "" && !h.ownsPrompt(t)
}

// checkSender is believe for what this session has of a loop.
func (h *handler) checkSender(t *store.State) error {
	if t.Budget != nil {
		if err := h.checkEventFrom(t.Budget.EventsFrom); err != nil {
			return err
		}
	}
	if t.Claim != nil {
		return h.checkEventFrom(t.Claim.EventsFrom)
	}
	return nil
}

// checkEventFrom refuses an event that came from somebody else than the run's client. With an error
// the event decides nothing: an entry is refused, a call that could do harm is held back, and
// nothing is written.
func (h *handler) checkEventFrom(client *loop.Process) error {
	if client == nil || h.ev.Name == "" {
		return nil // not known how events come, or a person's command and no event
	}
	from := h.from()
	switch {
	case from != nil && from.PID == client.PID && from.Start == client.Start:
		return nil
	case proc.Of(*client) == loop.Alive:
	case from != nil: // its client is gone: the session was taken up again by another one
		return nil
	}
	return hint.New(
		"a person may close that client, or use `hooks loop stop` and then `hooks loop reset`",
		"this %s did not come from the client of the loop (process %d), so it decides nothing",
		h.ev.Name, client.PID)
}

// from is the process over whose socket this event came; nil where that is not known.
func (h *handler) from() *loop.Process {
	if h.ev.Name == "" { // a person's command
		return nil
	}
	return proc.Caller()
}

// clientSocket returns the caller if it is the client itself, so that later events can be compared
// with it, and nil otherwise. A person's own wrapper that feeds the program is another process each
// time.
func (h *handler) clientSocket(owner loop.Process) *loop.Process {
	if from := h.from(); from != nil && from.PID == owner.PID {
		return from
	}
	return nil
}

// receive records in a run of this session that the event reached the program, and reports whether
// that is news. Whatever saves the run saves the record too.
func (h *handler) receive(b *loop.Budget) (news bool) {
	word := event.WordOf(h.ev.Name) // "" for a person's command
	return b != nil && b.Status == loop.Active && b.SessionID == h.ev.SessionID && word != "" &&
		b.Receive(h.ev.SessionID, word, h.now, program)
}

// program is the running binary.
func program() loop.Program {
	p := proc.Self()
	p.Version = gjson.Get(plugin.Manifest, "version").String()
	return p
}

// runOf is the project's run of a kind, nil without one that can be read.
func (h *handler) runOf(skill loop.Skill) *loop.Budget {
	if !store.Exists(h.project) {
		return nil
	}
	files, err := store.Open(h.project)
	if err != nil {
		return nil
	}
	files.Seal(h.seal.Dir, proc.Boot)
	s, _, _ := files.Look(skill) // the entry itself finds what is wrong
	return s.Budget
}

// taskRun is the project's task loop, nil without one that can be read.
func (h *handler) taskRun() *loop.Budget {
	if b := h.runOf(loop.Tasks); loop.TasksOf(b) != nil {
		return b
	}
	return nil
}

// call is the event's tool call.
func (h *handler) call() *toolcall.Call {
	if h.tool == nil {
		h.tool = &toolcall.Call{Event: h.ev, Env: h.Env, Project: h.project}
	}
	return h.tool
}

// rules returns the rules of a run by which calls are judged. t is nil if there is no run.
func (h *handler) rules(t *store.State) toolcall.Run {
	run := toolcall.Run{Redact: func(s string) string { return h.config(t).Redact(s) }}
	if t != nil {
		run.Budget, run.File = t.Budget, t.Elsewhere()
	}
	return run
}

// viewPath is the file with the state of a task loop for people (T15, T74).
func (h *handler) viewPath() string { return h.taskPath("SDD_STATE_FILE", ".sdd-state.json") }

// progressPath is the file that the workers share (T15, T75).
func (h *handler) progressPath() string {
	return h.taskPath("SDD_PROGRESS_FILE", ".sdd-progress.md")
}

func (h *handler) taskPath(variable, name string) string {
	if path := h.Env(variable); path != "" && h.usable(path) {
		full, _ := below(h.project, path)
		return full
	}
	return filepath.Join(h.project, name)
}

// usable reports whether the loop may keep a file of its own at a path.
func (h *handler) usable(path string) bool {
	full, ok := below(h.project, path)
	rel, err := filepath.Rel(tracker.RealPath(h.project), tracker.RealPath(full))
	folder, _, _ := strings.Cut(filepath.ToSlash(rel), "/")
	return ok && err == nil && rel != "." && !strings.EqualFold(folder, ".git") &&
		!strings.EqualFold(folder, ".sdd")
}

// below is the whole path of one that lies in a folder, symlinks followed.
func below(root, path string) (full string, ok bool) {
	full = path
	if !filepath.IsAbs(full) {
		full = filepath.Join(root, path)
	}
	rel, err := filepath.Rel(tracker.RealPath(root), tracker.RealPath(full))
	return full, err == nil && filepath.IsLocal(rel)
}
