package loop

import (
	"slices"
	"strings"
)

// Redact rewrites every text of a line that may hold a person's, a tracker's or a repository's words (R125). What was
// decided was decided on the words themselves. A branch that is rewritten is not found again: its PR is asked about on
// resume.
func (l *Iteration) Redact(by func(string) string) {
	itself := func(s *string) []*string { return []*string{s} }
	l.Gates, l.Budget.Carried = redacted(l.Gates, by, answerTexts), redacted(l.Budget.Carried, by, answerTexts)
	l.Failures = redacted(l.Failures, by, func(f *Failure) []*string { return []*string{&f.Cause} })
	l.Notes = redacted(l.Notes, by, itself)
	l.TrackedPRs = redacted(l.TrackedPRs, by, func(p *TrackedPR) []*string {
		return append(commits(&p.StartSHA, &p.EndSHA), &p.Branch)
	})
	l.Worktrees = redacted(l.Worktrees, by, func(w *Worktree) []*string {
		return append(commits(&w.HeadSHA), &w.Path, &w.Branch)
	})
	l.Observed.Heads, l.Observed.Worktrees = redacted(l.Observed.Heads, by, itself), redacted(l.Observed.Worktrees, by, itself)
	l.Budget.Pending = redacted(l.Budget.Pending, by, func(g *Gate) []*string { return []*string{&g.Question, &g.Answer} })
	l.LastQmdError, l.Budget.StopText = by(l.LastQmdError), by(l.Budget.StopText)
}

func answerTexts(g *GateAnswer) []*string { return []*string{&g.Question, &g.Answer} }

// redacted is a copy of a list with the texts of its members rewritten.
func redacted[T any](list []T, by func(string) string, texts func(*T) []*string) []T {
	out := slices.Clone(list)
	for i := range out {
		for _, text := range texts(&out[i]) {
			*text = by(*text)
		}
	}
	return out
}

// commits leaves out what is the name of a commit: patterns for keys would match it, and without it nothing tells
// whether a branch has moved.
func commits(fields ...*string) []*string {
	return slices.DeleteFunc(fields, func(sha *string) bool { return strings.Trim(*sha, "0123456789abcdef") == "" && len(*sha) <= 64 })
}
