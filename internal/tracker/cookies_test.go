package tracker

import (
	"context"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"testing"
)

// A repository's settings may name any file of the person's for a remote's cookies. Git writes it
// only where told to.
func TestNoCookiesAreWritten(t *testing.T) {
	sandbox(t)
	for _, name := range []string{"NO_PROXY", "no_proxy"} {
		t.Setenv(name, "*")
	}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		http.SetCookie(w, &http.Cookie{Name: "pwned", Value: "1", MaxAge: 1000, Path: "/"})
		w.Header().Set("Content-Type", "application/x-git-upload-pack-advertisement")
		_, _ = w.Write([]byte("001e# service=git-upload-pack\n00000000"))
	}))
	t.Cleanup(server.Close)
	for _, key := range []string{"http.saveCookies", "http." + server.URL + ".saveCookies",
		"http." + server.URL + "/x.git.saveCookies"} {
		dir := t.TempDir()
		jar := filepath.Join(dir, "jar")
		for _, args := range [][]string{
			{"init", "-q"}, {"remote", "add", "origin", server.URL + "/x.git"},
			{"config", "http.cookieFile", jar}, {"config", key, "true"},
		} {
			if _, err := git(context.Background(), dir, args...); err != nil {
				t.Fatal(err)
			}
		}
		if _, err := RemoteRefs(context.Background(), dir, "origin", Heads,
			[]string{"main"}); err != nil {
			t.Fatal(err)
		}
		if _, err := os.Stat(jar); err == nil {
			t.Errorf("%s: cookies were written", key)
		}
		run(t, dir, "ls-remote", "origin")
		if _, err := os.Stat(jar); err != nil {
			t.Errorf("%s writes nothing where no one overrules it, so this test shows nothing", key)
		}
	}
}
