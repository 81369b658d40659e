// Package app connects the other packages. For each event it reads the input, loads the state,
// fetches facts, decides, saves and replies, in this order.
//
// It saves the content of a reply before it prints the reply, and then releases the lock. If the
// program itself fails, a Stop is allowed and its reply gives the reason, but merges, dispatch,
// scheduling and writes to the state are refused while a loop is or may be active.
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
	"hooks/internal/loop"
	"hooks/internal/notify"
	"hooks/internal/proc"
	"hooks/internal/safefile"
	"hooks/internal/seal"
	"hooks/internal/store"
	"hooks/internal/toolcall"
	"hooks/internal/tracker"
)

// App runs one call of the program. Tests replace some of the fields that New sets.
type App struct {
	Env   func(string) string
	Now   func() time.Time // the wall clock, in UTC
	RunID func() string
	// Inside reports whether a run's client started this process.
	Inside    func(loop.Process) bool
	Wait      time.Duration // bounds how long an entry hook waits for another iteration to end
	CheckTime time.Duration // overrides the run's limit for a check command
	// Rest waits before a reply is printed, and reports whether the reply is still needed.
	Rest func(time.Duration) bool
	// clientFlags holds the flags that a driver passes to its clients.
	clientFlags []string
}

// entryWait is below the timeout of the entry hooks.
const entryWait = 45 * time.Second

// New returns an App that uses this machine's clock and processes.
func New(env func(string) string) *App {
	a := &App{Env: env, Inside: proc.Inside, Wait: entryWait}
	a.Now = func() time.Time { return time.Now().UTC().Truncate(time.Second) }
	a.RunID = func() string {
		return fmt.Sprintf("%s-%d", a.Now().Format("20060102T150405"), os.Getpid())
	}
	return a
}

// Answer holds the reply of a hook call and the actions to take once it is printed.
type Answer struct {
	Reply event.Reply
	// After releases locks once the reply is printed and flushed. It is nil if no locks are held.
	After func() error
	// Until is the time to print the reply; zero means at once. If a person does not want to wait
	// and ends this process, no reply is printed (T95).
	Until time.Time
	// Notify starts the person's own commands once the reply is printed and the lock released. It
	// does not wait for them.
	Notify []func() error
	// Err is the error for stderr. Reply is safe even if Err is set.
	Err error
}

// Unanswered returns the exit code of a hook that cannot answer its client. It is 1 if the session
// that started this process has a loop, judged only by the session's switch file, and 0 otherwise.
func (a *App) Unanswered() int {
	session := a.Env("CLAUDE_CODE_SESSION_ID")
	if _, err := os.Stat(seal.SwitchPath(seal.Home(a.Env), session)); err != nil || session == "" {
		return 0
	}
	return 1
}

// Present returns the current time in the reader's time zone.
func (a *App) Present() time.Time { return a.Now().Local() }

// handler answers one event of one session in one project.
type handler struct {
	*App
	ctx     context.Context // bounds the programs that the event starts
	ev      event.Event
	now     time.Time
	began   time.Time // wall clock when the hook started
	project string
	seal    sealRecord
	files   *store.Store // nil if the project has no state
	tx      *store.Tx    // current change to the state
	runs    sessionRuns
	feeding bool                     // the event begins a conductor's next attempt
	tool    *toolcall.Call           // see call
	configs map[string]config.Config // cache, keyed by the stored configuration
	out     output
}

// sessionRuns holds the session's runs as the event found or left them.
type sessionRuns struct {
	list   []*store.State // nil until they are read
	skills []loop.Skill   // skills that may have a run, listed once
	damage error          // errors from runs that could not be read
	news   bool           // a run has a new receipt, which must be saved
}

// output holds the durable results of the event. Its reply is printed even if a later step fails.
// Its error changes no decision.
type output struct {
	Answer
	person *notify.Person // see theirs; nil before the first use
}

// theirs returns the person's own commands for the project's loops.
func (h *handler) theirs() *notify.Person {
	if h.out.person == nil {
		h.out.person = &notify.Person{Env: h.Env, Project: h.project}
	}
	return h.out.person
}

// config returns the configuration that the run stored when it began. If there is no run, or an
// older version began it, config returns the project's current configuration.
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

// withStateLock calls change with the state lock held. The wait for the lock is bounded.
func (h *handler) withStateLock(change func() error) error {
	tx, err := h.files.Begin(context.Background())
	if err != nil {
		return fmt.Errorf("lock state: %w", err)
	}
	defer tx.End()
	h.tx, h.runs.list = tx, nil
	return change()
}

// alive reports whether a run's client may still continue the run: its session is not closed, and
// its process is not known to be dead.
func alive(b *loop.Budget) bool { return !b.OwnerLeft && proc.Of(b.Owner) != loop.Dead }

// release makes After also release the loop's lock. The session held the lock, so an unreadable
// lock file is removed too.
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

// sessionRuns returns the session's runs and its claims on other sessions' locks, in a fixed order.
// It caches them until the state lock is taken.
func (h *handler) sessionRuns() ([]*store.State, error) {
	if h.runs.list != nil {
		return h.runs.list, nil
	}
	return h.loadRuns(h.files.LoadSealed)
}

// selectRuns returns the runs that keep accepts, in their order.
func selectRuns(list []*store.State, keep func(*store.State) bool) (kept []*store.State) {
	for _, t := range list {
		if keep(t) {
			kept = append(kept, t)
		}
	}
	return kept
}

// loadRuns reads the session's runs with LoadSealed or, with the state lock held, with Tx.State.
func (h *handler) loadRuns(
	load func(session string, skill loop.Skill) (store.State, error),
) (list []*store.State, err error) {
	var damage []error
	if h.runs.skills == nil {
		h.runs.skills = h.files.Skills(h.ev.SessionID)
	}
	for _, skill := range h.runs.skills {
		t, err := load(h.ev.SessionID, skill)
		switch {
		case err != nil:
			damage = append(damage, err)
			continue
		case !h.dropForeign(&t):
			continue
		case t.Budget != nil && t.Budget.EventsFrom != nil:
			err = h.checkEventFrom(*t.Budget.EventsFrom)
		}
		if err == nil && t.Claim != nil && t.Claim.EventsFrom != nil {
			err = h.checkEventFrom(*t.Claim.EventsFrom)
		}
		if err != nil {
			return nil, err
		}
		h.runs.news = h.receive(t.Budget) || h.runs.news
		if t.Budget.Attempts().Publishes {
			h.call().View = h.viewPath()
		}
		list = append(list, &t)
	}
	h.runs.list, h.runs.damage = list, errors.Join(damage...)
	if len(list) > 0 { // an unreadable loop does not stop the others
		return list, nil
	}
	return nil, h.runs.damage
}

// dropForeign drops the state of another session and reports whether any state is left. A claim on
// another session's lock gives no access to that session's run.
func (h *handler) dropForeign(t *store.State) bool {
	session := h.ev.SessionID
	b := t.Budget
	// /clear detached the run from its session, and no iteration has attached it to this one yet.
	left := b != nil && b.OwnerLeft && h.ev.StopsLoop() &&
		b.OwnedBy(loop.Request{SessionID: session, Owner: proc.Owner()})
	run := left || b != nil && b.SessionID == session ||
		t.Tick != nil && t.Tick.SessionID == session
	if !run {
		t.Budget, t.Tick = nil, nil
	}
	if t.Claim != nil && t.Claim.SessionID != session {
		t.Claim = nil
	}
	return run || t.Claim != nil
}

// open reports whether an iteration of this session is open.
func (h *handler) open(t *store.State) bool {
	return t.Tick != nil && t.Tick.SessionID == h.ev.SessionID && t.Budget != nil
}

// ownsPrompt reports whether the event's prompt belongs to this session's open iteration.
func (h *handler) ownsPrompt(t *store.State) bool {
	return h.open(t) && slices.Contains(t.Tick.Prompts, h.ev.PromptID)
}

// forcing reports whether the person is being asked to approve taking another session's lock.
func forcing(t *store.State) bool { return t.Claim != nil && t.Claim.Gate != nil }

// lookup counts the facts fetched for a Step and holds the first error.
type lookup struct {
	found int
	err   error
}

// fill fetches a fact if Step asks for it. look may set l.err.
func fill[T any](l *lookup, f *loop.Fact[T], look func() T) {
	if !f.Asked() || l.err != nil {
		return
	}
	if is := look(); l.err == nil {
		l.found++
		f.Value = &is
	}
}

// sideError adds an error that is printed on stderr and changes no decision.
func (h *handler) sideError(err error) { h.out.Err = errors.Join(h.out.Err, err) }

// turn describes the turn of this event. Clients that do not set CLAUDE_CODE_SESSION_ATTENDED mark
// a headless session (-p) by its entry point alone.
func (h *handler) turn() loop.Turn {
	attended := h.Env("CLAUDE_CODE_ENTRYPOINT") != "sdk-cli"
	if said := h.Env("CLAUDE_CODE_SESSION_ATTENDED"); said != "" {
		attended = said != "0"
	}
	return loop.Turn{
		Now: h.now, Session: h.ev.SessionID, Prompt: h.ev.PromptID, Attended: attended,
	}
}

// addressed reports whether the event may concern a loop. If another loop owns this prompt, the
// event does not concern a loop that is open or has ended. Otherwise a turn could be counted twice.
func (h *handler) addressed(t *store.State) bool {
	return !slices.ContainsFunc(h.runs.list, h.ownsPrompt) ||
		!h.open(t) && t.Quiet == nil || h.ownsPrompt(t)
}

// checkEventFrom returns an error if the event did not come from the run's client. After an error
// nothing is written; the hook refuses an entry and blocks a harmful call.
func (h *handler) checkEventFrom(client loop.Process) error {
	from := h.from()
	switch {
	case h.ev.Name == "": // this is a person's command
		return nil
	case from != nil && from.PID == client.PID && from.Start == client.Start:
		return nil
	case proc.Of(client) == loop.Alive:
	case from != nil: // the client is gone, and another client resumed the session
		return nil
	}
	return hint.New(
		"a person may close that client, or run `hooks loop stop` and then `hooks loop reset`",
		"this %s did not come from the client of the loop (process %d), so it is ignored",
		h.ev.Name, client.PID)
}

// from returns the process that sent this event, or nil if it is unknown.
func (h *handler) from() *loop.Process {
	if h.ev.Name == "" { // this is a person's command
		return nil
	}
	return proc.Caller()
}

// receive records in one of this session's runs that this kind of event has arrived, and reports
// whether the receipt is new. Saving the run saves the receipt.
func (h *handler) receive(b *loop.Budget) (news bool) {
	word := h.ev.Word.Word // "" for a person's command
	return b != nil && b.Status == loop.Active && b.SessionID == h.ev.SessionID && word != "" &&
		b.Receive(h.ev.SessionID, word, h.now, func() loop.Program {
			p := proc.Self()
			p.Version = gjson.Get(plugin.Manifest, "version").String()
			return p
		})
}

// runOf returns the project's run of a skill. It returns nil if there is no run, if the run cannot
// be read, or if its file lacks the fields of its kind.
func (h *handler) runOf(skill loop.Skill) *loop.Budget {
	if !store.Exists(h.project) {
		return nil
	}
	files, err := store.Open(h.project)
	if err != nil {
		return nil
	}
	files.Seal(h.seal.Dir, proc.Boot)
	s, _, _ := files.Look(skill) // the entry itself reports errors
	if s.Budget != nil && s.Budget.Own == nil && loop.KindOf(skill).Run.Of != nil {
		return nil
	}
	return s.Budget
}

func (h *handler) call() *toolcall.Call {
	if h.tool == nil {
		h.tool = &toolcall.Call{Event: h.ev, Env: h.Env, Project: h.project}
	}
	return h.tool
}

// rules returns the rules for judging a run's calls.
func (h *handler) rules(t *store.State) toolcall.Run {
	return toolcall.Run{Budget: t.Budget, File: t.Elsewhere(), Redact: h.config(t).Redact}
}

// viewPath returns the path of a task loop's state file for people (T15, T74).
func (h *handler) viewPath() string { return h.taskPath("SDD_STATE_FILE", ".sdd-state.json") }

// progressPath returns the path of the progress file, which the workers share (T15, T75).
func (h *handler) progressPath() string {
	return h.taskPath("SDD_PROGRESS_FILE", ".sdd-progress.md")
}

func (h *handler) taskPath(variable, name string) string {
	if path := h.Env(variable); path != "" && h.usable(path) {
		full, _ := insideRoot(h.project, path)
		return full
	}
	return filepath.Join(h.project, name)
}

// usable reports whether the loop may write one of its files at path: inside the project, but
// outside .git and .sdd.
func (h *handler) usable(path string) bool {
	full, ok := insideRoot(h.project, path)
	rel, err := filepath.Rel(tracker.RealPath(h.project), tracker.RealPath(full))
	folder, _, _ := strings.Cut(filepath.ToSlash(rel), "/")
	return ok && err == nil && rel != "." && !strings.EqualFold(folder, ".git") &&
		!strings.EqualFold(folder, ".sdd")
}

// insideRoot returns the full path and reports whether it is inside root after symlinks are
// resolved.
func insideRoot(root, path string) (full string, ok bool) {
	full = safefile.Absolute(root, path)
	rel, err := filepath.Rel(tracker.RealPath(root), tracker.RealPath(full))
	return full, err == nil && filepath.IsLocal(rel)
}
