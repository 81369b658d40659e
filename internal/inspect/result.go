package inspect

import (
	"errors"
	"path/filepath"
	"slices"
	"time"

	"hooks/internal/hint"
	"hooks/internal/install"
	"hooks/internal/loop"
	"hooks/internal/report"
	"hooks/internal/store"
	"hooks/internal/usage"
)

// Result returns how the loop of a session ended. If the session had several loops, it returns the
// one that most needs a person. If session is empty, it takes the newest. It returns an
// error if the loop still runs.
func (d *Inspector) Result(session string) (report.Result, error) {
	if session == "" {
		session = d.newest()
	}
	result := report.Ungoverned(session, d.Project())
	var running error
	err := d.everySession(func(files *store.Store, l *loopState, id string, _ time.Time) error {
		if id != session {
			return nil
		}
		if b := l.Budget; b.Status == loop.Active && alive(b) {
			running = hint.New("wait until the session has ended; `hooks status` shows it",
				"the %s loop of session %s still runs", b.Skill, id)
			return running
		}
		last, err := files.Last(l.skill, func(line *loop.Iteration) bool {
			return line.Ran() && line.Of(l.Budget.RunID)
		})
		r := report.NewResult(l.Budget, last, l.open(), l.Elsewhere())
		r.SessionID = id
		if result.RunID == "" || urgency(r) > urgency(result) {
			result = r
		}
		return err
	})
	if running != nil {
		return report.Result{}, err
	}
	return result, err
}

// newest returns the session that began last in the current folder or, if no session left a
// transcript there, the newest session with a loop. It is empty if there is no session at all.
func (d *Inspector) newest() (session string) {
	client, _ := install.ClientDir(d.Env)
	dir := cwd()
	if real, err := filepath.EvalSymlinks(dir); err == nil {
		dir = real
	}
	session, newest := usage.Newest(client, dir)
	if session == "" {
		_ = d.everySession(func(_ *store.Store, _ *loopState, id string, since time.Time) error {
			if since.After(newest) {
				session, newest = id, since
			}
			return nil
		})
	}
	return session
}

// everySession calls show for each session of every run in the project. since is the time at which
// the session joined the run.
func (d *Inspector) everySession(
	show func(files *store.Store, l *loopState, session string, since time.Time) error,
) error {
	return d.askTrees(func(v *question) error {
		return v.everyRun(func(files *store.Store, l *loopState, _ bool) error {
			b := l.Budget
			list := slices.Clone(b.Receipts)
			if !slices.ContainsFunc(list, func(r loop.Receipt) bool {
				return r.SessionID == b.SessionID
			}) {
				list = append(list, loop.Receipt{SessionID: b.SessionID, Since: b.StartedAt})
			}
			var errs []error
			for _, r := range list {
				errs = append(errs, show(files, l, r.SessionID, r.Since))
			}
			return errors.Join(errs...)
		})
	})
}

// urgency ranks results: a failure ranks above a question, and a question above a ceiling. It
// returns -1 for an ungoverned session.
func urgency(r report.Result) int {
	return slices.Index([]int{0, report.CodeCeiling, report.CodeWaits, report.CodeFailed}, r.Code)
}
