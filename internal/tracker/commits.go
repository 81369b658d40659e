package tracker

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path"
	"path/filepath"
	"strings"
)

// Tree is the state of a working tree.
type Tree struct {
	Head   string // empty if there is no commit
	Branch string // empty if HEAD is detached
	// Dirty holds the changed and untracked paths, relative to the top, without ignored files. It
	// includes a submodule only if its checked-out commit has changed.
	Dirty []string
	rules []string // .gitignore and .gitattributes files that are ignored themselves
}

// ReadTree asks git for the state of a working tree, in one call. It returns an error if the
// project is not in a repository or git fails.
func ReadTree(ctx context.Context, project string) (t Tree, err error) {
	out, err := git(ctx, project, "status", "--porcelain=v2", "--branch", "-z",
		"--untracked-files=all", "--ignored=matching", "--no-renames", "--ignore-submodules=dirty")
	if err != nil {
		return t, err
	}
	fields := map[string]int{"#": 3, "!": 2, "?": 2, "1": 9, "u": 11} // the last field is the path
	for record := range strings.SplitSeq(string(out), "\x00") {
		kind, _, _ := strings.Cut(record, " ")
		f := strings.SplitN(record, " ", max(1, fields[kind]))
		last := f[len(f)-1]
		switch {
		case len(f) != fields[kind]:
		case kind == "#" && (last == "(initial)" || last == "(detached)"):
		case kind == "#" && f[1] == "branch.oid":
			t.Head = last
		case kind == "#" && f[1] == "branch.head":
			t.Branch = last
		case kind == "!":
			if base := path.Base(last); base == ".gitignore" || base == ".gitattributes" {
				t.rules = append(t.rules, last)
			}
		case kind != "#":
			t.Dirty = append(t.Dirty, last)
		}
	}
	return t, nil
}

// Top returns the root of the working tree according to git. The core.worktree setting may move it.
func Top(ctx context.Context, project string) (string, error) {
	out, err := git(ctx, project, "rev-parse", "--show-toplevel")
	return strings.TrimSuffix(string(out), "\n"), err
}

// Hidden returns the files whose changes git status may not show, relative to the top: files that
// update-index marked as unchanged or skipped, and uncommitted files in submodules. It omits files
// outside a sparse checkout.
func Hidden(ctx context.Context, project string) (list []string, err error) {
	repo := Repo(ctx, project)
	sparse := repo.Config["core.sparsecheckout"] == "true"
	out, err := git(ctx, project, "ls-files", "-v", "-s", "-z", "--full-name", "--", ":/")
	for record := range bytes.SplitSeq(out, []byte{0}) {
		facts, name, _ := strings.Cut(string(record), "\t")
		if name != "" && (facts[0] >= 'a' || facts[0] == 'S' && !sparse) {
			list = append(list, name)
		}
		top := filepath.Join(repo.Top, name)
		if name == "" || !strings.Contains(facts, " 160000 ") || Root(top) != top {
			continue
		}
		// A recursive status would run the filters named in the submodule's settings.
		tree, failed := ReadTree(ctx, top)
		hidden, unread := Hidden(ctx, top)
		for _, below := range append(tree.Dirty, hidden...) {
			list = append(list, name+"/"+below)
		}
		err = errors.Join(err, failed, unread)
	}
	return list, errors.Join(err, repo.Err)
}

// Ignored reports whether git ignores a path in the project. The path need not exist.
func Ignored(ctx context.Context, project, path string) (bool, error) {
	return gitSucceeds(ctx, project, "check-ignore", "-q", "--", path)
}

// Descends reports whether commit is an ancestor of HEAD or HEAD itself.
func Descends(ctx context.Context, project, commit string) (bool, error) {
	return gitSucceeds(ctx, project, "merge-base", "--is-ancestor", commit, "HEAD")
}

// Diff returns the diff of the whole repository from a commit to HEAD, without context lines. It
// treats every file as text, regardless of attributes and settings. A diff over 64 MiB is an error.
func Diff(ctx context.Context, project, commit string) ([]byte, error) {
	return git(ctx, project, "diff", "--no-color", "--no-ext-diff", "--no-textconv",
		"--text", "--no-relative", "--src-prefix=a/", "--dst-prefix=b/",
		"--submodule=short", "--ignore-submodules=none", "-M90%", "--unified=0", commit, "HEAD")
}

// CommittedSince returns the paths changed in commit..HEAD, relative to the top.
func CommittedSince(ctx context.Context, project, commit string) ([]string, error) {
	return files(ctx, project, "log", "-z", "--no-renames", "--name-only", "--format=",
		commit+"..HEAD", "--", ":/")
}

// Changed returns the files below dir that differ between two commits, relative to dir.
func Changed(ctx context.Context, dir, from, to string) ([]string, error) {
	return files(ctx, dir, "diff", "--name-only", "-z", "--no-renames", "--no-ext-diff",
		"--relative", "--ignore-submodules=none", from, to)
}

// Checkout creates a separate repository in the empty directory into and checks out a commit there.
// The new repository shares the objects of the project's repository, but not its hooks or settings.
// Changes in it do not affect the project. Checkout returns the directory that corresponds to the
// project.
func Checkout(ctx context.Context, project, commit, into string) (dir string, err error) {
	out, err := git(ctx, project, "rev-parse", "--show-object-format", "--show-prefix",
		"--path-format=absolute", "--git-path", "objects")
	words := strings.SplitN(string(out), "\n", 3)
	if err != nil || len(words) < 3 {
		return "", errors.Join(err, errors.New("git did not report where the objects are"))
	}
	format, prefix, objects := words[0], words[1], words[2]
	_, err = git(ctx, into, "init", "--quiet", "--template=", "--object-format="+format)
	if err == nil {
		err = os.WriteFile(filepath.Join(into, ".git", "objects", "info", "alternates"),
			[]byte(objects), 0o600)
	}
	if err == nil {
		_, err = git(ctx, into, "checkout", "--quiet", "--detach", commit)
	}
	return filepath.Join(into, filepath.FromSlash(prefix)), err
}

// Restore resets files below dir to their state in a commit. It removes files that the commit does
// not contain.
func Restore(ctx context.Context, dir, commit string, files []string) error {
	if len(files) == 0 { // git would check out the commit
		return nil
	}
	args := []string{"checkout", "--quiet", "--no-overlay", commit, "--"}
	_, err := git(ctx, dir, append(args, files...)...)
	return err
}
