package forge

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"hooks/internal/loop"
	"hooks/internal/tracker"
	"hooks/internal/tracker/backlog"
)

func why(err error) Why {
	var f *Failure
	if errors.As(err, &f) {
		return f.Why
	}
	return ""
}

// A repository whose issues are turned off answers with an empty list. That is no empty backlog:
// the loop would end as if everything were done (R18).
func TestIssuesTurnedOff(t *testing.T) {
	for _, c := range []struct{ origin, kind, name, text string }{
		{"https://github.com/acme/app", "github", "issues.json",
			`{"data":{"repository":{"nameWithOwner":"acme/app","hasIssuesEnabled":false,"issues":{"totalCount":0,"pageInfo":{"hasNextPage":false,"endCursor":null},"nodes":[]}}}}`},
		{"https://gitlab.com/acme/app", "gitlab", "issues.json",
			`{"data":{"project":{"issuesEnabled":false,"issues":null}}}`},
		{"https://codeberg.org/acme/app", "gitea", "repo.json",
			`{"id":5,"full_name":"acme/app","has_issues":false,"has_pull_requests":true}`},
	} {
		dir, from := project(t, c.origin, c.kind)
		os.Remove(filepath.Join(from, "issues.2.json"))
		put(t, filepath.Join(from, "issues.json"), "[]")
		put(t, filepath.Join(from, c.name), c.text)
		if a := ask(t, dir, Question{Backlog: true}); why(a.Err) != NoIssues || a.Backlog != nil ||
			a.Issues != nil || a.Err.(*Failure).Hint() == "" {
			t.Errorf("%s: %v, %+v", c.kind, a.Err, a)
		}
	}
	dir, from := project(t, "https://codeberg.org/acme/app", "gitea")
	put(t, filepath.Join(from, "issues.json"), "[]")
	put(t, filepath.Join(from, "repo.json"), `{"id":5,"full_name":"acme/app","has_issues":true}`)
	if a := ask(t, dir, Question{Backlog: true}); a.Err != nil || a.Backlog == nil {
		t.Errorf("nothing open: %v", a.Err)
	}
}

// Bytes that are not UTF-8 do not hide an answer; a cut one, or one with other text, is unreadable.
func TestOddAnswers(t *testing.T) {
	whole, err := os.ReadFile("testdata/github/issues.2.json")
	if err != nil {
		t.Fatal(err)
	}
	dir, from := project(t, "https://github.com/acme/app", "github")
	os.Remove(filepath.Join(from, "issues.2.json"))
	put(t, filepath.Join(from, "issues.json"),
		strings.ReplaceAll(string(whole), "Epic", "Epic \xff\xfe"))
	if a := ask(t, dir, Question{Backlog: true}); a.Err != nil || len(a.Issues) != 6 ||
		!strings.HasPrefix(a.Issues[3].Title, "Epic") {
		t.Errorf("%v, %d issues", a.Notes, len(a.Issues))
	}
	put(t, filepath.Join(from, "issues.json"), "warning: a wrapper speaks\n"+string(whole))
	if a := ask(t, dir, Question{Backlog: true}); why(a.Err) != Unreadable || a.Backlog != nil {
		t.Errorf("behind other text: %v", a.Err)
	}
	docs, torn := documents([]byte("{\"a\":1}\n[2"))
	if len(docs) != 1 || !torn {
		t.Error(docs, torn)
	}
}

// gh takes a host without a port.
func TestHostWithAPort(t *testing.T) {
	dir, from := project(t, "https://github.corp.example:8443/acme/app", "github")
	if a := ask(t, dir, Question{PRs: true}); a.Err != nil ||
		calls(t, from)[0] != "gh prs github.corp.example owner=acme name=app" {
		t.Error(a.Err, calls(t, from))
	}
}

// Gitea's own dependencies count, by tea's login at the host. One that cannot be asked for leaves
// its issue undecided; a repository that has none turned on has none.
func TestGiteaDependencies(t *testing.T) {
	dir, from := project(t, "https://git.corp.example/acme/app", "gitea")
	put(t, filepath.Join(dir, "home/.config/tea/config.yml"), "logins:\n- name: other\n  url: "+
		"https://other.example\n- name: corp\n  url: https://git.corp.example\n  token: x\n")
	put(t, filepath.Join(from, "issues.json"),
		`[{"number":1,"title":"First","body":"","state":"open"},{"number":2,"title":"Second","body":"","state":"open"}]`)
	a := ask(t, dir, Question{Backlog: true})
	if d := cmp.Diff(&loop.Backlog{Unblocked: []int{1}, Blocked: []int{2}, InProgress: []int{}},
		a.Backlog); d != "" || !cmp.Equal(a.Edges, [][2]int{{1, 2}}) {
		t.Error(a.Notes, a.Edges, d)
	}
	for _, call := range calls(t, from) {
		if !strings.Contains(call, " corp ") {
			t.Error(call)
		}
	}
	put(t, filepath.Join(from, "dependencies-2.json"), "")
	put(t, filepath.Join(from, "dependencies-2.status"), "502 Bad Gateway")
	if a = ask(t, dir, Question{Backlog: true}); a.Backlog != nil ||
		a.Issues[1].State != "unknown" {
		t.Errorf("%+v", a.Issues)
	}
	var many []string
	for n := range giteaEach + 1 {
		many = append(many, fmt.Sprintf(`{"number":%d,"title":"x","state":"open"}`, n+1))
	}
	put(t, filepath.Join(from, "issues.json"), "["+strings.Join(many, ",")+"]")
	if a = ask(t, dir, Question{Backlog: true}); a.Backlog == nil ||
		len(a.Backlog.Unblocked) != giteaEach+1 || len(a.Notes) != 1 {
		t.Errorf("of too many only what bodies say counts, and that is said: %v %+v", a.Notes,
			a.Backlog)
	}
	os.Remove(filepath.Join(from, "dependencies-2.status"))
	put(t, filepath.Join(from, "dependencies-2.json"),
		`[{"number":41,"state":"open","repository":{"full_name":"acme/app"}}]`)
	a = ask(t, dir, Question{Backlog: true, Scope: backlog.Scope{Issues: []int{2, 3}}})
	if d := cmp.Diff(&loop.Backlog{Unblocked: []int{3}, Blocked: []int{2}, InProgress: []int{}},
		a.Backlog); d != "" || len(a.Notes) > 0 {
		t.Error("in scope there are few:", a.Notes, d)
	}
}

// tea ends well where the server did not: what the body says is the failure.
func TestGiteaRefuses(t *testing.T) {
	dir, from := project(t, "https://codeberg.org/acme/app", "gitea")
	put(t, filepath.Join(from, "issues.json"),
		`{"message":"token is required","url":"https://codeberg.org/api/swagger"}`)
	if a := ask(t, dir, Question{Backlog: true}); why(a.Err) != LoggedOut || a.Backlog != nil {
		t.Error(a.Err)
	}
	put(t, filepath.Join(from, "pr-9.json"),
		`{"errors":null,"message":"The target couldn't be found.","url":"https://codeberg.org/api/swagger"}`)
	if a := ask(t, dir, Question{PR: 9}); why(a.Err) != NotFound || len(a.PRs) > 0 {
		t.Error(a.Err)
	}
}

// What Gitea and Forgejo refuse is known by the HTTP status, whatever the words and the language,
// and also where the answer comes from a server in front of them.
func TestGiteaRefusesByStatus(t *testing.T) {
	for _, c := range []struct {
		status, body string
		why          Why
	}{
		{"401 Unauthorized", `{"message":"Benutzer unbekannt"}`, LoggedOut},
		{"403 Forbidden", `{"message":"issues are none of your business"}`, Failed},
		{"404 Not Found", `{"message":"Das Ziel gibt es nicht"}`, NotFound},
		{"404 Not Found", "404 page not found\n", NotFound},
		{"429 Too Many Requests", ``, Failed},
		{"451 Failed For Legal Reasons", ``, Failed},
		{"500 Internal Server Error", `{"message":""}`, Failed},
		{"502 Bad Gateway", "<html><h1>502 Bad Gateway</h1>", Failed},
		{"422 Unprocessable Entity", `{"message":"not found"}`, Failed},
	} {
		dir, from := project(t, "https://codeberg.org/acme/app", "gitea")
		for _, kind := range []string{"issues", "prs", "pr-9", "repo"} {
			put(t, filepath.Join(from, kind+".status"), c.status)
			put(t, filepath.Join(from, kind+".json"), c.body)
		}
		a := ask(t, dir, Question{Backlog: true, PRs: true, PR: 9})
		if why(a.Err) != c.why || a.Backlog != nil || a.Issues != nil || len(a.PRs) > 0 {
			t.Errorf("%s %s: %v, %+v", c.status, c.body, a.Err, a)
		}
	}
}

// A list of issues that is not found, or empty, is no empty backlog where the repository
// keeps its issues elsewhere. Dependencies that are not found are turned off.
func TestGiteaTurnedOffByStatus(t *testing.T) {
	for _, c := range []struct {
		name, status, issues, repo string
		why                        Why
	}{
		{"issues and PRs off", "404 Not Found", `{"message":"x"}`, `{"has_issues":false}`,
			NoIssues},
		{"issues off", "200 OK", `[]`, `{"has_issues":false}`, NoIssues},
		{"another tracker", "200 OK", `[]`, `{"has_issues":true,"external_tracker":{}}`, NoIssues},
		{"no repository", "404 Not Found", `{"message":"x"}`, "", NotFound},
	} {
		dir, from := project(t, "https://codeberg.org/acme/app", "gitea")
		os.Remove(filepath.Join(from, "issues.2.json"))
		put(t, filepath.Join(from, "issues.status"), c.status)
		put(t, filepath.Join(from, "issues.json"), c.issues)
		put(t, filepath.Join(from, "repo.json"), c.repo)
		if c.repo == "" {
			put(t, filepath.Join(from, "repo.status"), c.status)
		}
		a := ask(t, dir, Question{Backlog: true})
		if why(a.Err) != c.why || a.Backlog != nil || a.Issues != nil {
			t.Errorf("%s: %v, %+v", c.name, a.Err, a)
		}
	}
	dir, from := project(t, "https://codeberg.org/acme/app", "gitea")
	put(t, filepath.Join(from, "issues.json"),
		`[{"number":1,"title":"First","state":"open"},{"number":2,"title":"Second","state":"open"}]`)
	for _, n := range []string{"1", "2"} {
		put(t, filepath.Join(from, "dependencies-"+n+".status"), "404 Not Found")
		put(t, filepath.Join(from, "dependencies-"+n+".json"),
			`{"message":"Abhängigkeiten sind aus"}`)
	}
	a := ask(t, dir, Question{Backlog: true})
	if a.Err != nil || a.Backlog == nil || len(a.Backlog.Unblocked) != 2 {
		t.Errorf("dependencies off: %v %+v", a.Notes, a.Backlog)
	}
}

// Debian's tea is a text editor, its tea-cli is Gitea's client. A tea from elsewhere is Gitea's.
func TestWhichTeaIsGiteas(t *testing.T) {
	debian, own := t.TempDir(), t.TempDir()
	for _, path := range []string{debian + "/tea", debian + "/tea-cli", own + "/tea"} {
		put(t, path, "#!/bin/sh\n")
		if err := os.Chmod(path, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	links := filepath.Join(t.TempDir(), "brake", "links") // both names lead to one program
	if err := os.MkdirAll(links, 0o755); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"tea", "tea-cli"} {
		if err := os.Symlink(filepath.Join(own, "tea"), filepath.Join(links, name)); err != nil {
			t.Fatal(err)
		}
	}
	for _, c := range []struct {
		path []string
		want string
	}{
		{nil, "tea"}, {[]string{debian}, "tea-cli"}, {[]string{own}, "tea"},
		{[]string{own, debian}, "tea"}, {[]string{debian, own}, "tea-cli"},
		{[]string{links, debian}, "tea-cli"}, {[]string{links, own}, "tea"},
	} {
		t.Setenv("PATH", strings.Join(c.path, string(os.PathListSeparator)))
		if got := Program(loop.Tracker{Kind: Gitea}); got != c.want {
			t.Errorf("%q: %s", c.path, got)
		}
	}
	if err := os.Remove(filepath.Join(debian, "tea")); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", debian)
	if got := tracker.TeaProgram(); got != "tea-cli" {
		t.Error("tea-cli alone:", got)
	}
}
