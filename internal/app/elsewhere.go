package app

import (
	"cmp"
	"context"
	"slices"

	"hooks/internal/guard"
	"hooks/internal/loop"
	"hooks/internal/tracker"
)

// elsewhere names the repository that a merge is about, and that of the run, nil for the project's
// as it is now. It is "" if they are the same: a person is asked about the run's only.
func (h *handler) elsewhere(t *loopState, a guard.Act) (other, own string) {
	if h.replayRepo != nil {
		return "", ""
	}
	redact := h.config(t).Redact // as it is recorded
	at := func(dir string) (top, url string) {
		facts := tracker.Asked(context.Background(), h.Env, dir)
		return facts.Top, redact(facts.Base().URL)
	}
	var run loop.Tracker
	if t != nil && t.Budget != nil && t.Budget.Tracker != nil {
		run = *t.Budget.Tracker
	} else {
		_, run.URL = at(h.project)
	}
	list := tracker.Own(run)
	own = cmp.Or(list[0].String(), list[len(list)-1].String())
	if a.Repo != "" {
		leads := func(b tracker.Base) bool { return b.Leads(redact(a.Repo)) }
		if own != "" && !slices.ContainsFunc(list, leads) {
			return a.Repo, own
		}
		return "", own
	}
	if a.Cwd == "" {
		return "", own
	}
	top, url := at(a.Cwd)
	if there := tracker.BaseOf(url).String(); top != "" && there != list[0].String() {
		return cmp.Or(there, "that of "+top), own
	}
	return "", own
}
