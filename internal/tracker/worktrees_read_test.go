package tracker

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// What is read without git is what git says, wherever it is claimed to be known; each layout
// changes the one before.
func TestWorktreesAreReadAsGitReadsThem(t *testing.T) {
	for _, format := range []string{"sha1", "sha256"} {
		repo := filepath.Join(sandbox(t), "app")
		write(t, filepath.Join(repo, "a.txt"), "a\n")
		run(t, repo, "init", "-q", "--object-format="+format)
		run(t, repo, "add", ".")
		run(t, repo, "commit", "-q", "-m", "first")
		one, head := filepath.Join(repo, ".w/one"), filepath.Join(repo, ".git/worktrees/one/HEAD")
		for _, layout := range []struct {
			name   string
			change func()
			known  bool
		}{
			{"none", func() {}, true},
			{"a branch and a detached one", func() {
				run(t, repo, "worktree", "add", "-q", "-b", "feature/1-x", one)
				run(t, repo, "worktree", "add", "-q", "--detach", "../two words")
			}, true},
			{"locked", func() { run(t, repo, "worktree", "lock", one) }, true},
			{"packed refs", func() { run(t, repo, "pack-refs", "--all") }, true},
			{"a loose ref over a packed one", func() {
				run(t, one, "commit", "-q", "--allow-empty", "-m", "more")
			}, true},
			{"a link for a HEAD", func() {
				if err := errors.Join(os.Remove(head),
					os.Symlink(filepath.Join(repo, ".git/refs/heads/feature/1-x"),
						head)); err != nil {
					t.Fatal(err)
				}
			}, false},
			{"a HEAD again", func() {
				if err := os.Remove(head); err != nil {
					t.Fatal(err)
				}
				write(t, head, "ref: refs/heads/feature/1-x\n")
			}, true},
			{"no commit on the branch", func() {
				run(t, one, "switch", "-q", "--orphan", "bare")
			}, false},
			{"a symbolic branch", func() {
				run(t, repo, "symbolic-ref", "refs/heads/alias", "refs/heads/main")
				write(t, head, "ref: refs/heads/alias\n")
			}, false},
			{"no branch at all", func() { write(t, head, "ref: refs/remotes/origin/x\n") }, false},
			{"moved by hand", func() {
				run(t, one, "symbolic-ref", "HEAD", "refs/heads/main")
				write(t, filepath.Join(repo, ".git/worktrees/one/gitdir"), "/elsewhere\n")
			}, false},
			{"a file among them", func() {
				write(t, filepath.Join(repo, ".git/worktrees/x"), "")
			}, false},
		} {
			layout.change()
			got, known := readWorktrees(repo)
			if known != layout.known {
				t.Errorf("%s, %s: known is %v: %v", format, layout.name, known, got)
			}
			want, err := askWorktrees(context.Background(), repo)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(byPath(want), byPath(got)); known && diff != "" {
				t.Errorf("%s, %s: %s", format, layout.name, diff)
			}
		}
	}
}
