package loop

import (
	"cmp"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"time"
)

// skip excludes a target for the rest of the run, because a person answered so. It stores the
// branch of a PR, because no later iteration tracks the PR.
func (b *Budget) skip(t *Tick, target string) {
	b.DeferredTargets = AppendNew(b.DeferredTargets, target)
	if branch := t.branchOf(target); branch != "" {
		branches := maps.Clone(b.SkippedBranches)
		if branches == nil {
			branches = Branches{}
		}
		branches[target], b.SkippedBranches = branch, branches
	}
}

// branchOf returns the branch of a PR in the project's own repository, or "" if it is not known.
func (t *Tick) branchOf(target string) (branch string) {
	note := func(number int, of string) {
		if prTarget(number) == target && !t.Asked.elsewhere(number) {
			branch = cmp.Or(of, branch)
		}
	}
	for _, p := range t.Tracked {
		note(p.Number, p.Branch)
	}
	for _, p := range t.KnownPRs() {
		note(p.Number, p.Branch)
	}
	return branch
}

func (s State) branchOf(target string) string {
	return cmp.Or(s.Run.SkippedBranches[target], s.Tick.branchOf(target))
}

// skipped returns the target that a person skipped and that has one of these names or this branch,
// or "" if there is none. A branch may include its owner, as in acme:feature/a.
func (s State) skipped(branch string, names ...string) string {
	branch = branch[strings.LastIndexByte(branch, ':')+1:]
	for _, target := range s.Run.DeferredTargets {
		if slices.Contains(names, target) || branch != "" && branch == s.branchOf(target) {
			return target
		}
	}
	return ""
}

func saysSkip(target string) string {
	return fmt.Sprintf("a person answered skip for %s, so it is left alone for the rest of the run",
		target)
}

// namesBranch reports whether a text contains a branch's name as a word or at the end of a path.
func namesBranch(text, branch string) bool {
	if branch == "" || !strings.Contains(text, branch) {
		return false
	}
	word := `(?:^|[^\w-])` + regexp.QuoteMeta(branch) + `(?:$|[^\w-])`
	return regexp.MustCompile(word).MatchString(text)
}

// exhausted returns the text of a ceiling that was reached during the iteration, or "", so that a
// long turn does not exceed it by dispatching (R30). The iteration ceiling is excluded because it
// already counts this iteration.
func exhausted(f *Facts) string {
	for _, fired := range evaluate(f, Exit) {
		switch fired.Condition {
		case "prs-touched-budget", "wall-clock-budget", "cost-budget":
			return fired.Text
		}
	}
	return ""
}

// spent returns the facts including the spending so far.
func (s State) spent(now time.Time, k *Known) *Facts {
	b := *s.Run
	count := k.Count.or()
	b.Spend(count.Spent)
	b.observe(count.Clock)
	return Look(&b, s.Tick, nil, now)
}

// leftAlone explains why no worker is started: every issue or PR in its task is deferred or in
// progress elsewhere. It returns "" otherwise. Issues of this tick's own workers do not count. A
// task may name a PR only by its branch. Next to a number, a branch name that is a single plain
// word is ignored, because it could be any word.
func (s State) leftAlone(task *Task) (why string) {
	for _, target := range s.Run.DeferredTargets {
		branch := s.branchOf(target)
		numbered := func(n int) bool { return prTarget(n) == target }
		if namesBranch(task.Text, branch) && !slices.ContainsFunc(task.Issues, numbered) &&
			(len(task.Issues) == 0 || strings.ContainsAny(branch, "/-_.")) {
			return saysSkip(target)
		}
	}
	var off []string
	for _, n := range s.Tick.siblingIssues(s.Run) {
		off = append(off, prName(n))
	}
	off = append(off, s.Tick.Deferred...)
	for _, n := range task.Issues {
		name := prName(n)
		switch skipped := s.skipped("", name, prTarget(n)); {
		case skipped != "":
			why = saysSkip(skipped)
		case slices.Contains(off, name), slices.Contains(off, prTarget(n)):
			why = name + " is deferred or in progress elsewhere in this iteration"
		default:
			return ""
		}
	}
	return why
}
