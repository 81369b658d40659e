package inspect

import (
	"cmp"
	"path/filepath"
	"slices"
	"strings"

	"hooks/internal/config"
	"hooks/internal/hint"
	"hooks/internal/install"
	"hooks/internal/loop"
	"hooks/internal/replay"
	"hooks/internal/report"
	"hooks/internal/usage"
)

// Result returns how a session's loop ended. If the session had several loops, it returns the most
// serious result. An empty session selects the newest one. Result returns an error if one of the
// session's loops is still running.
func (d *Inspector) Result(session string) (report.Result, error) {
	if session == "" {
		session = d.newest()
	}
	result, w := report.Ungoverned(session, d.Project()), d.walk()
	for l := range w.runs() {
		b := l.Budget
		if b.SessionID != session && !slices.ContainsFunc(b.Receipts,
			func(r loop.Receipt) bool { return r.SessionID == session }) {
			continue
		}
		if b.Status == loop.Active && alive(b) {
			w.note(l.project, hint.New("wait until `hooks status` shows that it has ended",
				"the %s loop of session %s is still running", b.Skill, session))
			return report.Result{}, w.err()
		}
		last, err := l.last((*loop.Iteration).Ran)
		w.note(l.project, err)
		found := report.NewResult(b, last, l.open(), l.Elsewhere())
		found.SessionID = session
		if result.RunID == "" || urgency(found) > urgency(result) {
			result = found
		}
	}
	return result, w.err()
}

// newest returns the session that began most recently in the current folder or, if no session left
// a transcript there, the newest session with a loop. It returns "" if neither exists.
func (d *Inspector) newest() (session string) {
	client, _ := install.ClientDir(d.Env)
	dir := cwd()
	if real, err := filepath.EvalSymlinks(dir); err == nil {
		dir = real
	}
	session, newest := usage.Newest(client, dir)
	if session == "" {
		for l := range d.walk().runs() {
			b := l.Budget // a run that waits for its opening gates has no receipt yet
			begun := loop.Receipt{SessionID: b.SessionID, Since: b.StartedAt}
			for _, r := range append(slices.Clone(b.Receipts), begun) {
				if r.Since.After(newest) {
					session, newest = r.SessionID, r.Since
				}
			}
		}
	}
	return session
}

// urgency ranks results: a failure ranks above a question, and a question above a ceiling. It
// returns -1 for an ungoverned session.
func urgency(r report.Result) int {
	return slices.Index([]int{0, report.CodeCeiling, report.CodeWaits, report.CodeFailed}, r.Code)
}

// Replay applies the rules to a past session. session is its id, a prefix of its id, or the path of
// its transcript. ceilings holds loop flags, each followed by its value; they override the
// session's ceilings. Dollars are counted at the current project's rates. Replay executes nothing
// and, apart from the configuration, reads only the transcript.
func (i *Inspector) Replay(session string, ceilings []string) (report.Replay, error) {
	// use the loop's own parser, so that flags have the same meaning as in a loop
	flags, _, err := loop.ParseFlags(loop.Kinds[0].Name,
		strings.Join(append([]string{"--loop"}, ceilings...), " "))
	if err != nil {
		return report.Replay{}, hint.New("give a whole number from 1; for dollars, give an "+
			"amount, or 0 for no ceiling", "%w", err)
	}
	limit := func(c loop.Ceilings) loop.Ceilings { return c.With(flags.Ceilings, ceilings) }
	client, _ := install.ClientDir(i.Env)
	path, err := usage.Find(client, session)
	if err != nil {
		return report.Replay{}, err
	}
	cfg := config.Load(i.Project())
	script := replay.Script{Names: []loop.Names{cfg.Names(), config.User(client).Names()}}
	var notes []string // unreadable lines and unknown models
	for m, err := range usage.Moments(path) {
		if err != nil {
			notes = append(notes, err.Error())
			continue
		}
		script.Add(m)
	}
	script.Sort()
	uncertain, err := usage.Timeline(path, usage.NewTable(cfg.Rates), script.Spend)
	if script.Empty() {
		return report.Replay{}, cmp.Or(err, hint.New("name a session's own .jsonl "+
			"file, below projects in the client's folder", "%s contains no session", path))
	}
	r := script.Play(strings.TrimSuffix(filepath.Base(path), ".jsonl"), limit)
	r.Transcript, r.Notes = path, append(notes, uncertain...)
	return r, nil
}
