package doctor

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"hooks/internal/child"
	"hooks/internal/config"
	"hooks/internal/loop"
	"hooks/internal/safefile"
	"hooks/internal/store"
	"hooks/internal/tracker"
)

func repository(m *machine, n *notes) {
	if _, err := os.Lstat(filepath.Join(m.project, ".git")); m.repo.Top != "" || err == nil {
		damaged(m, n)
	}
	if m.repo.Top == "" {
		if len(n.Problems) == 0 {
			n.warn("work in a git repository: worktrees and heads are found by git",
				"%s is no git repository", m.project)
		}
		return
	}
	n.note("%s, branch %s, default branch %s", m.shown(m.repo.Top),
		cmp.Or(m.repo.Branch, "(detached)"), cmp.Or(m.repo.Default, "unknown"))
	if m.repo.Default == "" && len(m.repo.Remotes) > 0 {
		n.warn("git remote set-head origin --auto", "the default branch of the remote is not "+
			"known here: release branches count as protected too, others do not")
	}
	if len(m.repo.Remotes) == 0 {
		n.note("no remote")
	}
	if m.repo.Partial {
		n.warn("see that included settings hold no alias or push rule that merges",
			"some git settings are in included files, which the guard does not follow")
	}
}

// damaged reports what keeps git from working in a repository.
func damaged(m *machine, n *notes) {
	_, _, err := start(child.Command{
		Dir: m.project, Env: append(os.Environ(), "LC_ALL=C"), Wait: childTime,
		Args: []string{"git", "status", "--porcelain", "--untracked-files=no"},
	})
	switch {
	case err == nil || errors.Is(err, exec.ErrNotFound):
	case strings.Contains(err.Error(), "dubious ownership"):
		n.fail("git config --global --add safe.directory "+cmp.Or(m.repo.Top, m.project),
			"git refuses to work here, because the folder belongs to another user")
	default:
		n.fail("run `git fsck`, or clone the repository again",
			"the repository is damaged: %v", err)
	}
}

// inRepository needs a git repository.
func inRepository(m *machine, n *notes) bool {
	if m.repo.Top == "" {
		n.skip("no git repository")
	}
	return m.repo.Top != ""
}

// stateHidden checks that what a loop writes is never committed.
func stateHidden(m *machine, n *notes) {
	ctx, cancel := context.WithTimeout(context.Background(), childTime)
	defer cancel()
	committed := tracker.Committed(ctx, m.project, store.Dir)
	committed = slices.DeleteFunc(committed, func(path string) bool {
		return filepath.Base(path) == ".gitignore"
	})
	if len(committed) > 0 {
		n.fail("git rm -r --cached "+store.Dir+", and commit that; see whether the history must "+
			"be rewritten too", "%s of the loop's state committed, as %s",
			loop.Plural(len(committed), "file"), committed[0])
	}
	if files, err := store.Open(m.project); err == nil {
		if !files.Hidden() {
			n.warn("hooks doctor --fix writes it", "%s/.gitignore does not hide the folder",
				store.Dir).
				repaired("wrote "+store.Dir+"/.gitignore", m.repairState((*store.Store).Hide))
		}
		files.Close()
	}
	switch ignored, err := tracker.Ignored(ctx, m.project, ".sdd/worktrees/x"); {
	case err != nil:
		n.warn("see that `git check-ignore` works here", "%v", err)
	case !ignored && safefile.IsDir(filepath.Join(m.project, ".sdd")):
		n.warn("add the line .sdd/ to .gitignore",
			".sdd/ is not ignored: a worktree below it can be committed by accident")
	}
	n.noteIfFine("ignored, nothing of it committed")
}

func configuration(m *machine, n *notes) {
	c := m.config
	for _, w := range c.Warnings {
		n.warn("correct the line; until then it does not count", "%s", w)
	}
	for _, w := range c.Unread {
		n.warn("write it as in docs/configuration.md, or move it out of the block", "%s", w)
	}
	for _, w := range c.Foreign {
		n.note("%s", w)
	}
	// The client reads these files as instructions, the program does not read them.
	nothing := config.Parse("")
	dir := filepath.Join(m.project, ".claude")
	if !config.Load(dir).Same(nothing) {
		n.warn("move the block to CLAUDE.md in the project's root",
			"%s has an SDD Configuration, which is not read there", m.shown(dir)+"/CLAUDE.md")
	}
	own := config.User(m.clientDir())
	own.Notify, own.Sync, own.GovernedSkills = "", "", nil
	if !own.Same(nothing) {
		n.warn("move the others to CLAUDE.md in the project's root",
			"%s/CLAUDE.md has settings besides Notify, Sync and Governed Skills, which are read in a "+
				"project only", m.shown(m.clientDir()))
	}
	n.note("%s, %s, tracker %s, do-not-merge label %q", loop.Plural(len(c.Rates), "price row"),
		loop.Plural(len(c.Patterns), "redaction pattern"), cmp.Or(c.Tracker.Type, "by its remote"),
		c.DoNotMerge)
	if way := strings.ToLower(c.Notify); way != "" && way != "bell" && way != "off" {
		n.warn("put it into your own CLAUDE.md, or HOOKS_NOTIFY",
			"the notify command %q of a project is not run", c.Notify)
	}
}

func agentLogins(m *machine, n *notes) {
	if len(m.config.AgentLogins) == 0 {
		n.note("none configured: every comment counts as a person's, so that a merge asks once " +
			"more rather than once less")
		return
	}
	n.note("%s", join(m.config.AgentLogins))
}

// redaction checks that the patterns compile, and leave something of a plain sentence.
func redaction(m *machine, n *notes) {
	for _, w := range m.config.Warnings {
		if strings.Contains(w.Text, "redaction") {
			n.fail("correct the pattern: until then what it should hide is written", "%s", w)
		}
	}
	const plain = "tests failing in module parser: Merge now or hold for human review?"
	left := m.config.Redact(plain)
	readable := func(word string) bool { return len(word) > 3 && strings.Contains(left, word) }
	if !slices.ContainsFunc(strings.Fields(plain), readable) {
		n.warn("narrow the pattern to what is secret",
			"the patterns leave nothing of %q but %q: no one can read the history", plain, left)
	}
	n.note("%s", loop.Plural(len(m.config.Patterns), "pattern"))
}

// contradictions are orders that a model may follow against a gate, each with what it is against.
var contradictions = [...]struct{ pattern, against string }{
	{`\balways\s+(squash[- ]?|rebase[- ]?|auto[- ]?)?merge\b`,
		"merges wait for a person after human feedback"},
	{`\bauto(matically)?[- ]?merge\b|--auto\b.*\bmerge\b|\bmerge\b.*--auto\b`,
		"an armed merge lands what no one has read"},
	{`\bmerge\b[^.]*\bwithout\s+(asking|approval|review|confirmation|waiting)`,
		"merges wait for a person after human feedback"},
	{`\b(never|don'?t|do not)\s+(ask|wait for|stop for|request)\b[^.]*` +
		`\b(me|user|human|question|confirm|approv|permission|input)|` +
		`\bnever\s+ask\b|\bwithout\s+asking\b`, "gates are questions that a person answers"},
	{`\b(skip|ignore|bypass)\b[^.]*\b(gates?|hooks?|the loop|approvals?|branch protection)\b`,
		"gates and hooks are not to be bypassed"},
	{`\bpush\s+(directly|straight)\s+to\s+(main|master|trunk)\b`,
		"protected branches move through PRs only"},
	{`--no-verify\b|--admin\b`, "protections are not to be bypassed"},
}

// forbids is a word before an order that turns it into its opposite.
const forbids = `(?i)\b(never|no|not|don'?t|avoid|without|forbidden|must not|cannot)\b[^.]{0,40}$`

// orders finds instructions that contradict the gates, in the files that every session reads.
func orders(m *machine, n *notes) {
	var compiled []*regexp.Regexp
	for _, c := range contradictions {
		compiled = append(compiled, regexp.MustCompile(`(?i)`+c.pattern))
	}
	forbidden := regexp.MustCompile(forbids)
	files := 0
	for _, path := range []string{
		filepath.Join(m.project, "CLAUDE.md"), filepath.Join(m.project, "CLAUDE.local.md"),
		filepath.Join(m.project, "AGENTS.md"), filepath.Join(m.project, ".claude", "CLAUDE.md"),
		filepath.Join(m.clientDir(), "CLAUDE.md"),
	} {
		text := read(path)
		if text != "" {
			files++
		}
		for i, line := range strings.Split(text, "\n") {
			orders := func(re *regexp.Regexp) bool {
				at := re.FindStringIndex(line)
				return at != nil && !forbidden.MatchString(line[:at[0]])
			}
			if c := slices.IndexFunc(compiled, orders); c >= 0 {
				n.warn("take the order away or turn it round: "+contradictions[c].against,
					"%s:%d orders %q", m.shown(path), i+1, brief(strings.TrimSpace(line)))
			}
		}
	}
	n.note("%s of instructions read", loop.Plural(files, "file"))
}

// brief is the beginning of a text's first line.
func brief(text string) string {
	line, _, _ := strings.Cut(text, "\n")
	return fmt.Sprintf("%.100s", line)
}
