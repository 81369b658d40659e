package forge

import (
	"cmp"
	"context"
	"errors"
	"os/exec"
	"strings"

	"hooks/internal/loop"
	"hooks/internal/tracker"
	"hooks/internal/tracker/backlog"
)

// PlaceOf returns the place of a recorded tracker.
func PlaceOf(t loop.Tracker) Place {
	p := Place{Kind: t.Kind, Args: []string{t.Client}}
	i := strings.LastIndexByte(t.Repo, '/')
	p.Home = backlog.Home{Host: t.Host, Owner: t.Repo[:max(i, 0)], Repo: t.Repo[i+1:]}
	return p
}

// choose returns the project's tracker in two forms: the Tracker that a run stores and the Place
// that is queried.
func (q Question) choose(ctx context.Context) (loop.Tracker, Place, error) {
	repo := tracker.Repo(ctx, q.Project)
	p, err := Choose(q.Env, q.Config.Tracker, repo)
	base := repo.Base()
	t := loop.Tracker{Remote: base.Remote, URL: base.URL}
	if origin := repo.Remote("origin").URL; origin != base.URL {
		t.Origin = origin
	}
	var f *Failure
	if !errors.As(err, &f) || f.Why != Unconfigured {
		t.Kind, t.Host = p.Kind, p.Host
		if p.Repo != "" {
			t.Repo = p.Owner + "/" + p.Repo
		}
		if t.Client = strings.Join(p.Args, " "); p.Kind != Command {
			t.Client, _ = exec.LookPath(p.Program())
		}
	}
	for _, text := range []*string{&t.Host, &t.Repo, &t.Client, &t.Remote, &t.URL, &t.Origin} {
		*text = q.Config.Redact(*text)
	}
	return t, p, err
}

// apart returns a Failure if the run's tracker is not the repository of its PRs, and nil
// otherwise.
func (q Question) apart(p Place) *Failure {
	if q.Run == nil || p.Kind == Command {
		return nil
	}
	git := tracker.BaseOf(q.Run.URL)
	if git.Host == "" || git.Leads(q.Config.Redact(p.Owner+"/"+p.Repo)) {
		return nil
	}
	says := "the tracker is " + p.String() + ", git points to " + git.String()
	return &Failure{Why: Moved, Says: says}
}

// moved explains how the current tracker differs from that of a run, or returns an empty string if
// it does not. A missing client is not a difference.
func moved(was, now loop.Tracker) string {
	place := func(t loop.Tracker) string {
		if t.Kind == "" {
			return ""
		}
		return PlaceOf(t).String()
	}
	for _, d := range []struct {
		what, from, to string
		differs        bool
	}{
		{"the tracker is ", place(was), place(now), was.Kind != now.Kind},
		{"git points to ", repository(was.URL), repository(now.URL), false},
		{"origin points to ", repository(was.Origin), repository(now.Origin), false},
		{"its client is ", was.Client, cmp.Or(now.Client, was.Client), false},
	} {
		if d.differs || d.from != d.to {
			return d.what + cmp.Or(d.to, "none") + ", the run began with " + cmp.Or(d.from, "none")
		}
	}
	return ""
}

func repository(url string) string { return tracker.BaseOf(url).String() }

// Remotes returns the names of the git remotes that hold a run's PRs and branches. If git's
// settings have changed since the run began, it returns the addresses from then. A result is empty
// if unknown. kind is the kind of their forge.
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
	return prs, branches, cmp.Or(tracker.ForgeOf(tracker.BaseOf(now.URL).Host), now.Kind)
}

// Unknown explains briefly why a PR's comments are unknown, for a question to a person.
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
