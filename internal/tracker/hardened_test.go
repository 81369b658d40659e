package tracker

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// A missing object is no reason to run the program that the repository's settings name for it.
func TestNothingIsFetched(t *testing.T) {
	dir := sandbox(t)
	repo, ran := newRepo(t, filepath.Join(dir, "p")), filepath.Join(dir, "ran")
	blob, first := run(t, repo, "rev-parse", "HEAD:a.txt"), run(t, repo, "rev-parse", "HEAD")
	write(t, filepath.Join(repo, "a.txt"), "b\n")
	run(t, repo, "commit", "-qam", "second")
	newRemote(t, repo, filepath.Join(dir, "bare"))
	for key, value := range map[string]string{
		"core.repositoryformatversion": "1", "extensions.partialClone": "origin",
		"remote.origin.promisor":   "true",
		"remote.origin.uploadpack": "touch " + ran + "; git-upload-pack",
	} {
		run(t, repo, "config", key, value)
	}
	object := filepath.Join(repo, ".git", "objects", blob[:2], blob[2:])
	if err := os.Remove(object); err != nil {
		t.Fatal(err)
	}
	if diff, err := Diff(context.Background(), repo, first); err == nil {
		t.Errorf("an object is missing: %q", diff)
	}
	if _, err := os.Stat(ran); err == nil {
		t.Error("the repository's program was run")
	}
	run(t, repo, "diff", first, "HEAD")
	if _, err := os.Stat(ran); err != nil {
		t.Error("it runs nothing where no one overrules it, so this test shows nothing")
	}
}

func TestFiltersAreOverruled(t *testing.T) {
	dir := sandbox(t)
	write(t, filepath.Join(dir, "home", ".gitconfig"),
		"[filter \"lfs\"]\n\tclean = git-lfs clean -- %f\n\trequired\n")
	repo := filepath.Join(dir, "p")
	run(t, dir, "init", "-q", repo)
	lfs := []string{"-c", "filter.lfs.clean=git-lfs clean -- %f", "-c", "filter.lfs.smudge=",
		"-c", "filter.lfs.process=", "-c", "filter.lfs.required=true"}
	off := []string{"-c", "filter.lfs.clean=", "-c", "filter.lfs.smudge=",
		"-c", "filter.lfs.process=", "-c", "filter.lfs.required="}
	of := func(config string) ([]string, error) {
		write(t, filepath.Join(repo, ".git", "config"), config)
		list, err := settings(t.Context(), repo)
		if err != nil {
			t.Fatal(err)
		}
		return overrule(list, false)
	}
	for config, want := range map[string][]string{
		"[filter \"lfs\"]\n\tclean = evil\n\tsmudge = evil": lfs,
		"[lfs \"extension.x\"]\n\tclean = evil":             off,
		"[lfs]\n\turl = x\n[core]\n\tfsmonitor = evil":      nil,
	} {
		if got, err := of(config); err != nil || !slices.Equal(got, want) {
			t.Errorf("%q: %q, %v", config, got, err)
		}
	}
	if _, err := of("[filter \"a=b\"]\n\tclean = x"); err == nil {
		t.Error("git would take another name")
	}
}

// Where git finds another repository than the nearest .git, or another folder of it, the settings
// are those that git finds.
func TestFiltersOfAnotherPlaceAreOverruled(t *testing.T) {
	for name, hide := range map[string]func(t *testing.T, repo string) string{
		"a folder below without a HEAD": func(t *testing.T, repo string) string {
			write(t, filepath.Join(repo, "sub", ".git", "refs", "x"), "")
			write(t, filepath.Join(repo, "sub", "f"), "old")
			return filepath.Join(repo, "sub")
		},
		"a folder below with a HEAD of nothing": func(t *testing.T, repo string) string {
			write(t, filepath.Join(repo, "sub", ".git", "refs", "x"), "")
			write(t, filepath.Join(repo, "sub", ".git", "objects", "x"), "")
			write(t, filepath.Join(repo, "sub", ".git", "HEAD"), "x")
			return filepath.Join(repo, "sub")
		},
		"a commondir": func(t *testing.T, repo string) string {
			dot, other := filepath.Join(repo, ".git"), filepath.Join(repo, "..", "c")
			if err := os.CopyFS(other, os.DirFS(dot)); err != nil {
				t.Fatal(err)
			}
			if err := os.Rename(other, filepath.Join(dot, "c")); err != nil {
				t.Fatal(err)
			}
			write(t, filepath.Join(dot, "commondir"), "c\n")
			write(t, filepath.Join(dot, "config"), "[core]\n")
			return repo
		},
	} {
		t.Run(name, func(t *testing.T) {
			dir := sandbox(t)
			repo, ran := newRepo(t, filepath.Join(dir, "p")), filepath.Join(dir, "ran")
			write(t, filepath.Join(repo, ".gitattributes"), "* filter=x")
			write(t, filepath.Join(repo, "f"), "one")
			run(t, repo, "add", "-A")
			run(t, repo, "commit", "-qm", "f")
			run(t, repo, "config", "filter.x.clean", "touch "+ran+"; cat")
			at := hide(t, repo)
			write(t, filepath.Join(repo, "f"), "other")
			if _, err := git(t.Context(), at, "status", "--porcelain"); err != nil {
				t.Fatal(err)
			}
			if exists(ran) {
				t.Error("the filter ran")
			}
			if run(t, at, "add", "-A"); !exists(ran) {
				t.Error("it runs nothing where no one overrules it, so this test shows nothing")
			}
		})
	}
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

// Over 4 MiB of paths is an honest repository.
func TestHiddenOfManyFiles(t *testing.T) {
	repo := newRepo(t, filepath.Join(sandbox(t), "p"))
	blob := run(t, repo, "rev-parse", "HEAD:a.txt")
	var index strings.Builder
	for i := range 30_000 {
		fmt.Fprintf(&index, "100644 %s 0\t%s/%d\n", blob, strings.Repeat("long", 40), i)
	}
	add := plainGit(repo, "update-index", "--index-info")
	add.Stdin = strings.NewReader(index.String())
	if out, err := add.CombinedOutput(); err != nil {
		t.Fatal(err, string(out))
	}
	run(t, repo, "update-index", "--assume-unchanged", "a.txt")
	if got, err := Hidden(context.Background(), repo); err != nil ||
		!slices.Equal(got, []string{"a.txt"}) {
		t.Errorf("%q, %v", got, err)
	}
}

// The first line of git is its error, and no advice about the environment that it was given.
func TestGitSaysWhatIsWrong(t *testing.T) {
	repo := newRepo(t, filepath.Join(sandbox(t), "p"))
	_, err := Descends(context.Background(), repo, strings.Repeat("1", 40))
	if err == nil || !strings.Contains(err.Error(), "Not a valid commit name") {
		t.Error(err)
	}
}
