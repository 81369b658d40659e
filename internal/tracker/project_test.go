package tracker

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func env(pairs ...string) func(string) string {
	return func(name string) string {
		for i := 0; i < len(pairs); i += 2 {
			if pairs[i] == name {
				return pairs[i+1]
			}
		}
		return ""
	}
}

func TestProject(t *testing.T) {
	dir := sandbox(t)
	repo := newRepo(t, filepath.Join(dir, "app"))
	run(t, repo, "worktree", "add", "-q", "-b", "w", filepath.Join(dir, "linked"))
	run(t, repo, "-c", "protocol.file.allow=always", "submodule", "--quiet", "add", repo, "sub")
	run(t, filepath.Join(repo, "sub"), "worktree", "add", "-q", "-b", "sw",
		filepath.Join(dir, "sublinked"))
	run(t, dir, "clone", "-q", "--bare", repo, "holder/.bare")
	write(t, filepath.Join(dir, "holder", ".git"), "gitdir: ./.bare\n")
	run(t, filepath.Join(dir, "holder"), "worktree", "add", "-q", "-b", "h", "one")
	run(t, dir, "clone", "-q", "--bare", repo, "lone.git")
	run(t, filepath.Join(dir, "lone.git"), "worktree", "add", "-q", "-b", "l",
		filepath.Join(dir, "lonely"))
	for _, d := range []string{"app/src/deep", "linked/src", "sub/x", "plain/x", "held/.sdd/loop",
		"held/a/b", "linked2"} {
		if err := os.MkdirAll(filepath.Join(dir, d), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	at := func(p string) string { return filepath.Join(dir, p) }
	for _, c := range []struct{ name, env, cwd, want string }{
		{"the client says it", at("plain"), at("app"), at("plain")},
		{"it names no directory", at("absent"), at("app"), at("app")},
		{"it is relative", "plain", at("app"), at("app")},
		{"inside the main worktree", "", at("app/src/deep"), at("app")},
		{"a linked worktree leads to the main one", "", at("linked/src"), at("app")},
		{"a submodule is its own project", "", at("app/sub"), at("app/sub")},
		{"a submodule's linked worktree", "", at("sublinked"), at("sublinked")},
		{"a bare repository in a directory", "", at("holder/one"), at("holder")},
		{"a bare repository alone", "", at("lonely"), at("lonely")},
		{"state above", "", at("held/a/b"), at("held")},
		{"no repository", "", at("plain/x"), at("plain/x")},
		{"nothing", "", "", ""},
	} {
		if got := Project(env("CLAUDE_PROJECT_DIR", c.env), c.cwd); got != c.want {
			t.Errorf("%s: %s, want %s", c.name, got, c.want)
		}
	}
	// A linked worktree with state of its own keeps it.
	if err := os.MkdirAll(at("linked/.sdd/loop"), 0o755); err != nil {
		t.Fatal(err)
	}
	if got := Project(env(), at("linked/src")); got != at("linked") {
		t.Errorf("state in the linked worktree: %s", got)
	}
}

// The main worktree found in files is the one that git names.
func TestProjectAgreesWithGit(t *testing.T) {
	dir := sandbox(t)
	repo := newRepo(t, filepath.Join(dir, "app"))
	run(t, repo, "worktree", "add", "-q", "-b", "w", filepath.Join(dir, "linked"))
	run(t, dir, "init", "-q", "--separate-git-dir", filepath.Join(dir, "apart.git"), "split")
	for _, cwd := range []string{repo, filepath.Join(dir, "linked"), filepath.Join(dir, "split")} {
		first, _, _ := strings.Cut(run(t, cwd, "worktree", "list", "--porcelain", "-z"), "\x00\x00")
		want := parseWorktree(first).Path
		if cwd == filepath.Join(dir, "split") {
			want = run(t, cwd, "rev-parse", "--show-toplevel") // git lists the git directory there
		}
		if got := Project(env(), cwd); got != want {
			t.Errorf("from %s: %s, git says %s", cwd, got, want)
		}
	}
}

func TestRepo(t *testing.T) {
	dir := sandbox(t)
	repo := newRepo(t, filepath.Join(dir, "app"))
	newRemote(t, repo, filepath.Join(dir, "origin.git"))
	clone := filepath.Join(dir, "clone")
	run(t, dir, "clone", "-q", filepath.Join(dir, "origin.git"), clone)
	run(t, clone, "config", "alias.land", "push origin HEAD:main")
	run(t, clone, "config", "--add", "remote.origin.push", "refs/heads/a:refs/heads/a")
	run(t, clone, "config", "--add", "remote.origin.push", "refs/heads/b:refs/heads/main")
	run(t, clone, "config", "push.default", "upstream")
	run(t, clone, "remote", "add", "fork", "git@example.org:me/app.git")
	run(t, clone, "switch", "-q", "-c", "Feature/X", "--track", "origin/main")
	write(t, filepath.Join(dir, "home", ".gitconfig"),
		"[user]\nname=T\nemail=t@example.org\n[alias]\nland = log\nco = checkout\n")

	f := Repo(t.Context(), clone)
	want := Facts{
		Top: clone, Dir: filepath.Join(clone, ".git"), Branch: "Feature/X", Default: "main",
		Remotes: map[string]string{"origin": filepath.Join(dir, "origin.git"),
			"fork": "git@example.org:me/app.git"},
	}
	config := f.Config
	f.Config = nil
	if diff := cmp.Diff(want, f); diff != "" {
		t.Error(diff)
	}
	for key, want := range map[string]string{
		"alias.land":             "push origin HEAD:main",
		"alias.co":               "checkout",
		"push.default":           "upstream",
		"branch.Feature/X.merge": "refs/heads/main",
		"remote.origin.push":     "refs/heads/a:refs/heads/a\nrefs/heads/b:refs/heads/main",
		"remote.fork.url":        "git@example.org:me/app.git",
	} {
		if config[key] != want {
			t.Errorf("%s: %q, want %q", key, config[key], want)
		}
	}
}

func TestRepoVariants(t *testing.T) {
	dir := sandbox(t)
	repo := newRepo(t, filepath.Join(dir, "app"))
	linked := filepath.Join(dir, "linked")
	run(t, repo, "worktree", "add", "-q", "-b", "w", linked)
	if f := Repo(t.Context(), linked); f.Branch != "w" || f.Top != linked || f.Default != "" ||
		f.Err != nil {
		t.Errorf("linked worktree: %+v", f)
	}
	run(t, repo, "config", "extensions.worktreeConfig", "true")
	run(t, linked, "config", "--worktree", "push.default", "matching")
	if a, b := Repo(t.Context(), linked).Config["push.default"], Repo(t.Context(),
		repo).Config["push.default"]; a != "matching" || b != "" {
		t.Errorf("settings of one worktree: %q there, %q elsewhere", a, b)
	}
	run(t, repo, "switch", "-q", "--detach")
	if f := Repo(t.Context(), repo); f.Branch != "" {
		t.Errorf("detached: %+v", f)
	}
	if f := Repo(t.Context(), dir); f.Top != "" || f.Branch != "" || f.Config["user.name"] != "T" {
		t.Errorf("no repository: %+v", f)
	}
	write(t, filepath.Join(repo, ".git", "more"), "[alias]\n\tland = push\n")
	run(t, repo, "config", "include.path", "more")
	if f := Repo(t.Context(), repo); f.Config["alias.land"] != "push" {
		t.Errorf("an included file: %+v", f)
	}
	write(t, filepath.Join(repo, ".git", "config"), "[core\n")
	if f := Repo(t.Context(), repo); f.Err == nil || f.Top != repo {
		t.Errorf("settings that git cannot read: %+v", f)
	}
}

// With another layout of refs the text files lie: HEAD names no branch there.
func TestRepoReftable(t *testing.T) {
	dir := sandbox(t)
	repo := newRepo(t, filepath.Join(dir, "app"))
	run(t, repo, "config", "core.repositoryFormatVersion", "1")
	run(t, repo, "config", "extensions.refStorage", "reftable")
	write(t, filepath.Join(repo, ".git", "HEAD"), "ref: refs/heads/.invalid\n")
	if f := Repo(t.Context(), repo); f.Branch != "" {
		t.Errorf("branch %q", f.Branch)
	}
}

func TestDefaultBranch(t *testing.T) {
	dir := sandbox(t)
	repo := newRepo(t, filepath.Join(dir, "app"))
	for _, c := range []struct{ remote, file, head, want string }{
		{"up", "up", "ref: refs/remotes/up/trunk\n", "trunk"},
		{"origin", "origin", "ref: refs/remotes/origin/release/2\n", "release/2"},
		{"origin", "origin", "0123456789012345678901234567890123456789\n", ""},
		{"origin", "origin", "ref: refs/heads/x\n", ""},
	} {
		write(t, filepath.Join(repo, ".git", "refs", "remotes", c.file, "HEAD"), c.head)
		run(t, repo, "config", "remote."+c.remote+".url", "x")
		if f := Repo(t.Context(), repo); f.Default != c.want {
			t.Errorf("%+v: %q", c, f.Default)
		}
	}
}
