package forge

import (
	"cmp"
	"context"
	"errors"

	"hooks/internal/loop"
	"hooks/internal/tracker"
)

// choose returns the project's current tracker twice: asked is the tracker to ask, and now is the
// redacted form that a run records.
func (q Question) choose(ctx context.Context) (now, asked loop.Tracker, err error) {
	asked, err = Choose(q.Env, q.Config.Tracker, tracker.Repo(ctx, q.Project))
	now = asked
	for _, text := range []*string{
		&now.Host, &now.Repo, &now.Client, &now.Remote, &now.URL, &now.Origin,
	} {
		*text = q.Config.Redact(*text)
	}
	return now, asked, err
}

// apart returns a Failure if the tracker is not the repository of the git remote, which holds the
// run's PRs. Otherwise it returns nil.
func (q Question) apart(t loop.Tracker) *Failure {
	if q.Run == nil || t.Kind == Command {
		return nil
	}
	git := tracker.RepositoryAt(q.Run.URL)
	if git.Host == "" || tracker.Named(q.Config.Redact(t.Repo), git.String()) {
		return nil
	}
	says := "the tracker is " + t.String() + ", but the git remote is " + git.String()
	return &Failure{Why: Moved, Says: says}
}

// moved explains how the current tracker differs from a run's, or returns an empty string if it
// does not. A forge client that is no longer installed is no difference.
func moved(was, now loop.Tracker) string {
	place := func(t loop.Tracker) string {
		if t.Kind == "" {
			return ""
		}
		return t.String()
	}
	for _, d := range []struct{ what, from, to string }{
		{"the tracker is ", place(was), place(now)},
		{"the tracker's kind is ", was.Kind, now.Kind},
		{"the git remote is ", repository(was.URL), repository(now.URL)},
		{"origin is ", repository(was.Origin), repository(now.Origin)},
		{"the tracker's client is ", was.Client, cmp.Or(now.Client, was.Client)},
	} {
		if d.from != d.to {
			from := cmp.Or(d.from, "none")
			return d.what + cmp.Or(d.to, "none") + ", but the run began with " + from
		}
	}
	return ""
}

func repository(url string) string { return tracker.RepositoryAt(url).String() }

// Remotes returns the names of the git remotes that hold a run's PRs and branches. If their URLs
// have changed since the run began, it returns the recorded URLs instead. A result is empty if
// unknown. kind is the kind of forge that they are on.
func (q Question) Remotes(ctx context.Context) (prs, branches, kind string) {
	now, _, _ := q.choose(ctx)
	if prs, branches = now.Remote, now.Remote; now.Origin != "" {
		branches = "origin"
	}
	if was := q.Run; was != nil && (repository(was.URL) != repository(now.URL) ||
		repository(was.Origin) != repository(now.Origin)) {
		now = *was
		facts := tracker.Repo(ctx, q.Project)
		prs = facts.Unchanged(was.URL)
		branches = facts.Unchanged(cmp.Or(was.Origin, was.URL))
	}
	return prs, branches, cmp.Or(tracker.ForgeOf(tracker.RepositoryAt(now.URL).Host), now.Kind)
}

// Unknown explains briefly why a PR's comments are unknown, for use in a question to a person.
func (a *Answer) Unknown() string {
	var f *Failure
	switch {
	case !errors.As(a.Err, &f):
		return "the tracker did not report every comment"
	case f.Why == Unconfigured:
		return "no tracker is configured"
	case f.Why == Moved:
		return f.Says
	case f.Why == TooSlow:
		return "the tracker did not answer in time"
	case f.Why == LoggedOut && a.Place.Host != "":
		return f.Program + " is not logged in to " + a.Place.Host
	}
	return f.Program + " " + string(f.Why)
}
