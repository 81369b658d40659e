package tracker

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestRemoteHeads(t *testing.T) {
	dir := sandbox(t)
	repo := newRepo(t, filepath.Join(dir, "app"))
	newRemote(t, repo, filepath.Join(dir, "origin.git"))
	main := run(t, repo, "rev-parse", "HEAD")
	run(t, repo, "switch", "-q", "-c", "feature/123-foo")
	run(t, repo, "commit", "-q", "--allow-empty", "-m", "more")
	foo := run(t, repo, "rev-parse", "HEAD")
	run(t, repo, "push", "-q", "origin", "feature/123-foo",
		"feature/123-foo:refs/heads/x/refs/heads/absent")

	for _, c := range []struct {
		branches []string
		want     map[string]string
	}{
		{[]string{"main", "feature/123-foo", "absent"},
			map[string]string{"main": main, "feature/123-foo": foo}},
		{[]string{"*", "", "--upload-pack=touch x", "mai?"}, map[string]string{}},
		{nil, map[string]string{}},
		{append(many(300), "main"), map[string]string{"main": main}},
	} {
		got, err := RemoteRefs(context.Background(), repo, "origin", Heads, c.branches)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(c.want, got); diff != "" {
			t.Errorf("%.80q: %s", c.branches, diff)
		}
	}
}

func many(n int) []string {
	var list []string
	for i := range n {
		list = append(list, fmt.Sprint("b", i))
	}
	return list
}

func TestRemoteHeadsFails(t *testing.T) {
	dir := sandbox(t)
	repo := newRepo(t, filepath.Join(dir, "app"))
	for remote, want := range map[string]string{
		"": "the remote is unknown",
		"origin": "git ls-remote: exit status 128: fatal: 'origin' does not " +
			"appear to be a git repository",
		"--upload-pack=touch ran":     "exit status 128",
		"ext::touch ran":              "transport 'ext' not allowed",
		"git://127.0.0.1/x":           "transport 'git' not allowed",
		"file://u:secret@/nowhere/no": "exit status 128",
	} {
		heads, err := RemoteRefs(context.Background(), repo, remote, Heads, []string{"main"})
		if err == nil || !strings.Contains(err.Error(), want) ||
			strings.Contains(err.Error(), "secret") || heads != nil {
			t.Errorf("%q: %v, %v", remote, heads, err)
		}
	}
	if _, err := os.Stat(filepath.Join(repo, "ran")); err == nil {
		t.Error("a program named by the caller's remote ran")
	}
}

// A credential helper of the repository is cleared, one of the person is kept.
func TestCredentialHelpers(t *testing.T) {
	dir := sandbox(t)
	repo := newRepo(t, filepath.Join(dir, "app"))
	own := filepath.Join(repo, ".git", "config")
	before, err := os.ReadFile(own)
	if err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(repo, ".git", "hidden"), "[credential]\n\thelper = !x\n")
	for _, c := range []struct {
		config string
		want   []string
	}{
		{"", nil},
		{"[credential]\n\thelper = !x",
			[]string{"-c", "credential.helper=", "-c", "credential.helper="}},
		{"[credential \"https://Example.org\"] helper = !x",
			[]string{"-c", "credential.helper=", "-c", "credential.https://Example.org.helper="}},
		{"[include]\n\tpath = hidden",
			[]string{"-c", "credential.helper=", "-c", "credential.helper="}},
		{"[include]\n\tpath = missing", nil},
		{"[http]\n\tsaveCookies", []string{"-c", "http.savecookies=false"}},
	} {
		write(t, own, string(before)+c.config+"\n")
		s, err := settings(context.Background(), repo)
		if err != nil {
			t.Fatal(err)
		}
		got, err := overrule(s, true)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(c.want, got); diff != "" {
			t.Errorf("%q: %s", c.config, diff)
		}
	}
	write(t, own, string(before)+"[credential \"https://a=b\"]\n\thelper = !x\n")
	_, err = RemoteRefs(context.Background(), repo, "origin", Heads, []string{"main"})
	if err == nil ||
		!strings.Contains(err.Error(), "not run") {
		t.Errorf("a key that cannot be overruled: %v", err)
	}
}

// Nothing in the caller's environment may point git at another repository or inject settings.
func TestEnvironmentDoesNotRedirect(t *testing.T) {
	dir := sandbox(t)
	repo := newRepo(t, filepath.Join(dir, "app"))
	other := newRepo(t, filepath.Join(dir, "other"))
	run(t, other, "worktree", "add", "-q", "-b", "theirs", "w")
	t.Setenv("GIT_DIR", filepath.Join(other, ".git"))
	t.Setenv("GIT_CONFIG_COUNT", "1")
	t.Setenv("GIT_CONFIG_KEY_0", "core.worktree")
	t.Setenv("GIT_CONFIG_VALUE_0", other)
	list, err := Worktrees(context.Background(), repo)
	if err != nil || len(list) != 0 {
		t.Errorf("%v, %v", list, err)
	}
}
