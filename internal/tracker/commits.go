package tracker

import (
	"bytes"
	"context"
	"errors"
	"os/exec"
	"strings"
)

// Tree is the commit and branch of a working tree, and what in it is not committed.
type Tree struct {
	Head   string   // "" before the first commit
	Branch string   // "" where HEAD is detached
	Dirty  []string // paths, changed or untracked; ignored and excluded ones are not among them
}

// ReadTree asks git for the state of a working tree, in one call. An error means that the project
// has no git or git does not answer.
func ReadTree(ctx context.Context, project string) (t Tree, err error) {
	out, err := git(ctx, project, "status", "--porcelain=v2", "--branch", "-z",
		"--untracked-files=all", "--no-renames")
	if err != nil {
		return t, err
	}
	for record := range bytes.SplitSeq(out, []byte{0}) {
		line := string(record)
		switch value, is := strings.CutPrefix(line, "# branch."); {
		case is:
			key, value, _ := strings.Cut(value, " ")
			if key == "oid" && value != "(initial)" {
				t.Head = value
			}
			if key == "head" && value != "(detached)" {
				t.Branch = value
			}
		case strings.HasPrefix(line, "? "):
			t.Dirty = append(t.Dirty, line[2:])
		case strings.HasPrefix(line, "1 "):
			if f := strings.SplitN(line, " ", 9); len(f) == 9 {
				t.Dirty = append(t.Dirty, f[8])
			}
		case strings.HasPrefix(line, "u "):
			if f := strings.SplitN(line, " ", 11); len(f) == 11 {
				t.Dirty = append(t.Dirty, f[10])
			}
		}
	}
	return t, nil
}

// Top is the root of the working tree that git looks at, which a setting may put elsewhere.
func Top(ctx context.Context, project string) (string, error) {
	out, err := git(ctx, project, "rev-parse", "--show-toplevel")
	return strings.TrimSuffix(string(out), "\n"), err
}

// Hidden are the files whose changes git was told not to look at, with update-index. Those outside
// of a sparse checkout are not among them.
func Hidden(ctx context.Context, project string, sparse bool) (list []string, err error) {
	out, err := git(ctx, project, "ls-files", "-v", "-z")
	for record := range bytes.SplitSeq(out, []byte{0}) {
		if len(record) > 2 && (record[0] >= 'a' || record[0] == 'S' && !sparse) {
			list = append(list, string(record[2:]))
		}
	}
	return list, err
}

// Descends reports whether HEAD contains a commit.
func Descends(ctx context.Context, project, commit string) (bool, error) {
	_, err := git(ctx, project, "merge-base", "--is-ancestor", commit, "HEAD")
	if exit, ok := errors.AsType[*exec.ExitError](err); ok && exit.ExitCode() == 1 {
		return false, nil
	}
	return err == nil, err
}

// Diff is the change from a commit to HEAD, as git prints it with no context, up to 1 MiB.
func Diff(ctx context.Context, project, commit string) ([]byte, error) {
	return git(ctx, project, "diff", "--no-color", "--no-ext-diff", "-M90%",
		"--unified=0", commit, "HEAD")
}

// ExcludeFile is the file in which a clone names what git is to leave alone in it, "" without git.
func ExcludeFile(ctx context.Context, project string) string {
	out, err := git(ctx, project, "rev-parse", "--git-path", "info/exclude")
	if err != nil {
		return ""
	}
	return strings.TrimSpace(string(out))
}
