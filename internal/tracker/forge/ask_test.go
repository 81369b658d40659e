package forge

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"hooks/internal/config"
	"hooks/internal/loop"
	"hooks/scripts/driver"
	"hooks/scripts/forgetest"
)

func TestMain(m *testing.M) {
	forgetest.Play()
	forgetest.Alone()
	driver.InMemory()
	os.Exit(m.Run())
}

// project is a directory with a repository whose origin is given, and with stand-ins on PATH that
// answer from a copy of one of the directories of testdata.
func project(t *testing.T, origin, answers string) (dir, from string) {
	t.Helper()
	if runtime.GOOS == "windows" {
		t.Skip("the stand-ins are shell scripts")
	}
	dir, from = filepath.Join(t.TempDir(), "p"), filepath.Join(t.TempDir(), "answers")
	if err := os.CopyFS(from, os.DirFS(filepath.Join("testdata", answers))); err != nil {
		t.Fatal(err)
	}
	put(t, filepath.Join(dir, ".git", "HEAD"), "ref: refs/heads/main\n")
	put(t, filepath.Join(dir, ".git", "config"), "[remote \"origin\"]\n\turl = "+origin+"\n")
	for _, sub := range []string{"objects", "refs"} {
		if err := os.MkdirAll(filepath.Join(dir, ".git", sub), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	bin := filepath.Join(t.TempDir(), "bin")
	if err := forgetest.Install(bin, from, self); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", bin+string(filepath.ListSeparator)+os.Getenv("PATH"))
	t.Setenv("HOME", filepath.Join(dir, "home"))
	t.Setenv("XDG_CONFIG_HOME", "")
	t.Setenv("GIT_CONFIG_NOSYSTEM", "1")
	return dir, from
}

func put(t *testing.T, path, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

func ask(t *testing.T, dir string, q Question) Answer {
	t.Helper()
	q.Project, q.Env = dir, os.Getenv
	if q.Config.DoNotMerge == "" {
		q.Config.DoNotMerge = config.DefaultDoNotMerge
	}
	if q.Wait == 0 {
		q.Wait = time.Minute // a busy machine is no slow tracker
	}
	return Ask(context.Background(), q)
}

func calls(t *testing.T, from string) []string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(from, "calls.log"))
	if err != nil {
		t.Fatal(err)
	}
	return strings.Split(strings.TrimSpace(string(text)), "\n")
}

func TestGitHubBacklog(t *testing.T) {
	dir, from := project(t, "git@github.com:acme/app.git", "github")
	a := ask(t, dir, Question{Backlog: true})
	if a.Err != nil || len(a.Notes) > 0 {
		t.Fatalf("%v %v", a.Err, a.Notes)
	}
	want := loop.Report{
		Backlog: &loop.Backlog{Unblocked: []int{145}, Blocked: []int{143, 150, 151, 154},
			InProgress: []int{50, 149}},
		Edges:  [][2]int{{50, 143}, {145, 151}},
		Issues: []loop.Issue{{Number: 145, Title: "Free to begin", Criteria: "ok"}},
	}
	want.Backlog.Unblocked = []int{145, 152} // its part one is merged
	want.Issues = append(want.Issues, loop.Issue{Number: 152, Title: "Epic", Criteria: "missing"})
	if d := cmp.Diff(want, a.Report()); d != "" {
		t.Error(d)
	}
	if d := cmp.Diff([]string{"gh issues github.com owner=acme name=app",
		"gh prs github.com owner=acme name=app"}, sorted(calls(t, from))); d != "" {
		t.Error(d)
	}
	criteria := map[int]string{}
	for _, f := range a.Issues {
		criteria[f.Number] = f.Criteria
	}
	if d := cmp.Diff(map[int]string{50: "ok", 143: "tbd", 145: "ok", 149: "missing", 150: "missing",
		151: "missing", 152: "missing", 153: "missing", 154: "missing"}, criteria); d != "" {
		t.Error(d)
	}
}

func sorted(list []string) []string {
	if len(list) == 2 && list[0] > list[1] {
		list[0], list[1] = list[1], list[0]
	}
	return list
}

func at(t *testing.T, s string) time.Time {
	t.Helper()
	v, err := time.Parse(time.RFC3339, s)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// R99, R101: a human is a login that is no agent's; a bare approval is no feedback to address.
func TestGitHubPR(t *testing.T) {
	dir, _ := project(t, "https://ghe.github.example.org/acme/app", "github")
	q := Question{PR: 142, Config: config.Config{AgentLogins: []string{"@sdd-bot"}}}
	a := ask(t, dir, q)
	if a.Err != nil || len(a.PRs) != 1 {
		t.Fatal(a.Err, a.PRs)
	}
	p := a.PRs[0]
	want := PR{
		Number: 142, Title: "Store the lock", State: "open", Labels: []string{"area/lock"},
		Branch: "feature/123-foo", Base: "main",
		HeadSHA: "def5678def5678def5678def5678def5678def56", CI: "passing", Closes: []int{50},
		Feedback: []Remark{
			{"noor", true, at(t, "2026-05-09T13:00:00Z"), "review", ""},
			{"mara", true, at(t, "2026-05-09T14:10:00Z"), "comment", ""},
			{"SDD-bot", false, at(t, "2026-05-09T15:10:00Z"), "comment", ""},
			{"dependabot", false, at(t, "2026-05-09T15:20:00Z"), "comment", ""},
			{"mara", true, at(t, "2026-05-09T15:30:00Z"), "approval", ""},
		},
	}
	if d := cmp.Diff(want, p); d != "" {
		t.Error(d)
	}
	if got := p.HumanFeedback(); got == nil || !*got {
		t.Errorf("human feedback: %v", got)
	}
	report := a.Report()
	if d := cmp.Diff([]loop.PR{{Number: 142, State: "open", Branch: "feature/123-foo",
		Title: want.Title, HeadSHA: want.HeadSHA, Labels: want.Labels, HumanFeedback: new(true)}},
		report.PRs); d != "" {
		t.Error(d)
	}
	if a = ask(t, dir, Question{PR: 7}); a.Err == nil || a.Err.(*Failure).Why != NotFound ||
		len(a.PRs) > 0 {
		t.Errorf("a PR that is not there: %v", a.Err)
	}
}

func TestGitHubPRs(t *testing.T) {
	dir, _ := project(t, "ssh://git@ssh.github.com:443/acme/app.git", "github")
	a := ask(t, dir, Question{PRs: true})
	var got []string
	for _, p := range a.PRs {
		got = append(got,
			fmt.Sprintf("#%d %s draft=%v fork=%v ci=%s human=%v", p.Number, p.State, p.Draft,
				p.Fork, p.CI, *p.HumanFeedback()))
	}
	want := []string{"#160 do-not-merge draft=true fork=false ci=pending human=false",
		"#161 open draft=false fork=true ci=none human=true"}
	if d := cmp.Diff(want, got); d != "" || len(a.Notes) > 0 {
		t.Error(a.Notes, d)
	}
}

// The branch of a fork's PR is not origin's, but in a clone of that very fork.
func TestWhereAForksBranchIs(t *testing.T) {
	for origin, want := range map[string]bool{"git@github.com:acme/app": true,
		"git@github.com:Mara/app.git": false} {
		dir, from := project(t, origin, "github")
		put(t, filepath.Join(from, "pr-7.json"),
			`{"data":{"repository":{"nameWithOwner":"acme/app","pullRequest":{"number":7,"state":"OPEN","isCrossRepository":true,"headRepository":{"nameWithOwner":"mara/app"},"headRefName":"main"}}}}`)
		a := ask(t, dir,
			Question{PR: 7, Config: config.Config{Tracker: config.Tracker{Repo: "acme/app"}}})
		if len(a.PRs) != 1 || !a.PRs[0].Fork || a.PRs[0].Elsewhere != want {
			t.Errorf("%s: %v %+v", origin, a.Notes, a.PRs)
		}
	}
}

// Feedback that the tracker did not report is unknown: that is neither some nor none.
func TestFeedbackThatWasCut(t *testing.T) {
	dir, from := project(t, "https://github.com/acme/app", "github")
	text, err := os.ReadFile(filepath.Join(from, "pr-142.json"))
	if err != nil {
		t.Fatal(err)
	}
	cut := strings.Replace(string(text),
		`"comments":{"totalCount":3,"nodes":[{"createdAt":"2026-05-09T14:10:00Z","author":{"__typename":"User","login":"mara"}},`, `"comments":{"totalCount":300,"nodes":[`, 1)
	put(t, filepath.Join(from, "pr-142.json"), cut)
	a := ask(t, dir,
		Question{PR: 142, Config: config.Config{AgentLogins: []string{"sdd-bot", "noor"}}})
	if got := a.PRs[0].HumanFeedback(); got != nil {
		t.Errorf("from the beginning: %v", *got)
	}
}

func TestGitLab(t *testing.T) {
	dir, from := project(t, "https://gitlab.example.org/group/sub/app.git", "gitlab")
	a := ask(t, dir,
		Question{Backlog: true, PR: 7, Config: config.Config{AgentLogins: []string{"mara"}}})
	if a.Err != nil || len(a.Notes) > 0 {
		t.Fatalf("%v %v", a.Err, a.Notes)
	}
	want := loop.Report{
		Backlog: &loop.Backlog{Unblocked: []int{}, Blocked: []int{6}, InProgress: []int{4, 5}},
		Edges:   [][2]int{{4, 5}},
		PRs: []loop.PR{{Number: 7, Title: "Second", State: "merged", Branch: "second", HeadSHA: "aaaa",
			Labels: []string{"do-not-merge"}, HumanFeedback: new(false)}},
	}
	if d := cmp.Diff(want, a.Report()); d != "" {
		t.Error(d)
	}
	if a.PRs[0].CI != "failing" || len(a.PRs[0].Feedback) != 2 || calls(t, from)[0] == "" {
		t.Errorf("%+v", a.PRs[0])
	}
}

func TestGitea(t *testing.T) {
	dir, from := project(t, "https://codeberg.org/acme/app.git", "gitea")
	a := ask(t, dir,
		Question{Backlog: true, PR: 4, Config: config.Config{AgentLogins: []string{"noor"}}})
	if a.Err != nil || len(a.Notes) > 0 {
		t.Fatalf("%v %v", a.Err, a.Notes)
	}
	want := loop.Report{
		// 2: taken, and a PR fixes it
		Backlog: &loop.Backlog{Unblocked: []int{}, Blocked: []int{}, InProgress: []int{1, 2}},
		Edges:   [][2]int{{1, 2}},
		PRs: []loop.PR{{Number: 4, Title: "fix", State: "merged", Branch: "fix", HeadSHA: "bbbb",
			HumanFeedback: new(true)}},
	}
	if d := cmp.Diff(want, a.Report()); d != "" {
		t.Error(d)
	}
	// two lists, five about the PR, two about dependencies
	if got := len(calls(t, from)); got != 9 || !a.PRs[0].Fork {
		t.Errorf("%d calls, %+v", got, a.PRs[0])
	}
}

// R99: a bare approval is no feedback, a review that was asked for or begun is none yet; what
// cannot be told is not known.
func TestGiteaFeedback(t *testing.T) {
	dir, from := project(t, "https://codeberg.org/acme/app", "gitea")
	a := ask(t, dir, Question{PR: 4})
	want := []Remark{
		{"mara", true, at(t, "2026-05-09T12:00:00Z"), "comment", ""},
		{"forgejo-actions", false, at(t, "2026-05-09T15:00:00Z"), "comment", ""},
		{"noor", true, at(t, "2026-05-09T16:00:00Z"), "review", "aaaa"},
		{"mara", true, at(t, "2026-05-09T16:30:00Z"), "comment", ""},
		{"mara", true, at(t, "2026-05-09T17:00:00Z"), "approval", "bbbb"},
	}
	if d := cmp.Diff(want, a.PRs[0].Feedback); d != "" || a.PRs[0].Cut {
		t.Error(a.PRs[0].Cut, d)
	}
	for _, kind := range []string{"comments-4.json", "reviews-4.json", "thread-7.json"} {
		was, err := os.ReadFile(filepath.Join(from, kind))
		if err != nil {
			t.Fatal(err)
		}
		put(t, filepath.Join(from, kind), `{"message":"internal error","url":""}`)
		if a = ask(t, dir,
			Question{PR: 4,
				Config: config.Config{AgentLogins: []string{"mara",
					"noor"}}}); a.PRs[0].HumanFeedback() != nil {
			t.Error("without", kind, "no one knows")
		}
		put(t, filepath.Join(from, kind), string(was))
	}
	put(t, filepath.Join(from, "comments-4.json"), `[]`)
	if a = ask(t, dir,
		Question{PR: 4,
			Config: config.Config{AgentLogins: []string{"noor"}}}); !*a.PRs[0].HumanFeedback() {
		t.Error("a person's answer in an agent's review is a person's")
	}
	put(t, filepath.Join(from, "reviews-4.json"), `[]`)
	if a = ask(t, dir, Question{PR: 4}); *a.PRs[0].HumanFeedback() {
		t.Error("no one spoke")
	}
}

// R99, R102: whoever spoke and then approved this very commit has re-reviewed it, unless the loop
// uses the same login.
func TestGiteaApprovals(t *testing.T) {
	dir, from := project(t, "https://codeberg.org/acme/app", "gitea")
	agents := config.Config{AgentLogins: []string{"noor"}}
	settled := func() bool {
		a := ask(t, dir, Question{PR: 4, Config: agents})
		return a.PRs[0].Reviewed("bbbb")
	}
	if !settled() {
		t.Error("mara approved what she spoke of")
	}
	for name, c := range map[string]struct{ file, old, new string }{
		"mara is the loop's own login":  {"user.json", "ci", "Mara"},
		"no one knows the loop's login": {"user.json", "ci", ""},
		"what she approved is not the head": {"reviews-4.json",
			`"commit_id":"bbbb","stale":false`, `"commit_id":"aaaa","stale":true`},
		"she answered after she had approved": {"thread-7.json", "16:30", "17:30"},
		"her approval was dismissed": {"reviews-4.json",
			`"official":true,"dismissed":false,"comments_count":0`,
			`"official":true,"dismissed":true,"comments_count":0`},
	} {
		was, err := os.ReadFile(filepath.Join(from, c.file))
		if err != nil || !strings.Contains(string(was), c.old) {
			t.Fatal(c.file, err)
		}
		put(t, filepath.Join(from, c.file), strings.Replace(string(was), c.old, c.new, 1))
		if settled() {
			t.Error(name)
		}
		put(t, filepath.Join(from, c.file), string(was))
	}
}

// A server gives fewer issues on a page than it was asked for: the list ends with a page that is
// not as full as the first.
func TestGiteaPages(t *testing.T) {
	dir, from := project(t, "https://gitea.example.org/acme/app", "gitea")
	const full, last = 30, 7
	for page := 1; page <= last; page++ {
		var rows []string
		for i := range full {
			rows = append(rows,
				fmt.Sprintf(`{"number":%d%02d,"title":"x","state":"open"}`, page, i))
		}
		name := "issues.json"
		if page > 1 {
			name = fmt.Sprintf("issues.%d.json", page)
		}
		if page == last {
			rows = rows[:1]
		}
		put(t, filepath.Join(from, name), "["+strings.Join(rows, ",")+"]")
	}
	put(t, filepath.Join(from, "prs.json"), "[]")
	a := ask(t, dir, Question{Backlog: true})
	if a.Backlog == nil || len(a.Backlog.Unblocked) != (last-1)*full+1 {
		t.Errorf("%v %v %d", a.Err, a.Notes, len(a.Issues))
	}
}

func TestCommand(t *testing.T) {
	dir, _ := project(t, "", "command")
	if err := os.CopyFS(filepath.Join(dir, "bin"), os.DirFS("testdata/command")); err != nil {
		t.Fatal(err)
	}
	c := config.Config{Tracker: config.Tracker{Command: "./bin/tracker"}, DoNotMerge: "WIP"}
	if a := ask(t, dir, Question{PR: 8, Config: c}); a.Err == nil ||
		a.Err.(*Failure).Why != NotAllowed {
		t.Error("a command that only the repository names:", a.Err)
	}
	t.Setenv(Allow, "./bin/tracker")
	a := ask(t, dir, Question{Backlog: true, PR: 8, Config: c})
	want := loop.Report{
		Edges:   [][2]int{{2, 1}},
		Backlog: &loop.Backlog{Unblocked: []int{}, Blocked: []int{1}, InProgress: []int{2}},
		PRs: []loop.PR{{Number: 8, State: "do-not-merge", Branch: "x", HeadSHA: "cccc",
			Labels: []string{"wip"}, HumanFeedback: new(true)}},
	}
	if d := cmp.Diff(want, a.Report()); d != "" || a.Err != nil {
		t.Error(a.Err, a.Notes, d)
	}
	if a = ask(t, dir, Question{PR: 9, Config: c}); a.Err == nil ||
		a.Err.Error() != "tracker: tracker failed (what is pr 9)" {
		t.Error(a.Err)
	}
	c.Tracker.Command = "./bin/nothing"
	t.Setenv(Allow, "./bin/nothing")
	if a = ask(t, dir, Question{PR: 9, Config: c}); a.Err == nil ||
		a.Err.(*Failure).Why != NoProgram {
		t.Error(a.Err)
	}
}
