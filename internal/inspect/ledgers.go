package inspect

import (
	"context"
	"errors"
	"path/filepath"
	"slices"

	"hooks/internal/hint"
	turnlog "hooks/internal/ledger"
	"hooks/internal/report"
	"hooks/internal/safefile"
	"hooks/internal/tracker"
)

// LintLedgers checks the given ledgers, or all of the project's ledgers if files is empty. If since
// names a commit, it also reports turns that have changed since that commit. An unreadable file
// does not stop the other checks; errors are joined.
func (d *Inspector) LintLedgers(files []string, since string) (report.Ledgers, error) {
	l := linter{root: turnlog.Root(cwd()), since: since}
	var err error
	if since != "" {
		if l.commit, err = tracker.Commit(context.Background(), l.root, since); err != nil {
			return l.found, hint.New("name a commit or a branch of this repository, such as HEAD",
				"--since %s: %w", since, err)
		}
	}
	all := len(files) == 0
	if all {
		files = turnlog.Find(l.root)
	}
	var errs []error
	for _, file := range files {
		path := file
		if all {
			path = filepath.Join(l.root, file)
		}
		errs = append(errs, l.file(file, path))
	}
	if all && since != "" {
		errs = append(errs, l.gone(files))
	}
	return l.found, errors.Join(errs...)
}

// linter collects findings.
type linter struct {
	root, since, commit string // commit is "" if the ledgers are not compared with a commit
	found               report.Ledgers
}

func (l *linter) add(file string, list ...turnlog.Finding) {
	for _, f := range list {
		f.File = file
		l.found.Findings = append(l.found.Findings, f)
	}
}

// file checks one ledger; shown is its name in findings.
func (l *linter) file(shown, path string) error {
	l.found.Checked++
	name := filepath.Base(path)
	if bad := turnlog.CheckName(name); bad != nil {
		l.add(shown, *bad)
		return nil
	}
	text, err := turnlog.Read(path)
	if err != nil {
		return err
	}
	turns := turnlog.Parse(text)
	list := turnlog.Lint(turns)
	if l.commit != "" {
		older, err := l.older(path)
		if err != nil {
			return err
		}
		list = append(list, turnlog.Rewritten(older, turns, l.since)...)
	}
	slices.SortStableFunc(list, func(a, b turnlog.Finding) int { return a.Line - b.Line })
	l.add(shown, list...)
	return nil
}

// older returns a ledger's turns as of the commit, or nil if the commit has no such file.
func (l *linter) older(path string) ([]turnlog.Turn, error) {
	dir, name := filepath.Dir(path), filepath.Base(path)
	ctx := context.Background()
	list, err := tracker.FilesAt(ctx, dir, l.commit, name)
	if err != nil || len(list) == 0 {
		return nil, err
	}
	text, err := tracker.FileAt(ctx, dir, l.commit, name, turnlog.MaxSize)
	return turnlog.Parse(text), err
}

// gone adds a finding for each ledger that was removed since the commit. It ignores a ledger whose
// change folder is gone too, for example because the change was archived.
func (l *linter) gone(files []string) error {
	list, err := tracker.FilesAt(context.Background(), l.root, l.commit, "changes")
	for _, path := range list {
		change, name, ok := turnlog.Place(path)
		there := slices.Contains(files, path) ||
			!safefile.IsDir(filepath.Join(l.root, "changes", change))
		if ok && !there && turnlog.CheckName(name) == nil {
			l.add(path, turnlog.Finding{Line: 1, Rule: turnlog.RewrittenTurn,
				Text: "the ledger exists in " + l.since + " but has been removed"})
		}
	}
	return err
}

// LedgerFeedback returns the newest feedback in a ledger, or "" if the feedback is blank.
func (d *Inspector) LedgerFeedback(file string) (string, error) {
	path, err := turnlog.Check(file)
	if err != nil {
		return "", err
	}
	text, err := turnlog.Read(path)
	return turnlog.Feedback(text), err
}
