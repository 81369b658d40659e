package brake

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"hooks/internal/guard/effect"
	"hooks/internal/hint"
	"hooks/internal/loop"
	"hooks/internal/seal"
	"hooks/internal/tracker"
)

func noPass(_, _ string, _ effect.Kind, pr int, _ string) (ok bool, why, at string) {
	return false, fmt.Sprintf("a merge of PR #%d was not let through by its gate", pr), ""
}

// passes is a loop that lets PR 142 through so often, at one head.
type passes struct {
	project string
	passes  int
}

const head = "0123456789abcdef0123456789abcdef01234567"

func (p *passes) ground() ground {
	pass := func(_, _ string, kind effect.Kind, pr int, sha string) (ok bool, why, at string) {
		if kind != effect.MergePR || pr != 142 || sha != "" && sha != head || p.passes == 0 {
			return noPass("", "", kind, pr, sha)
		}
		p.passes--
		return true, "", ""
	}
	g := groundOf(p.project)
	g.pass = pass
	return g
}

// groundOf is a loop that began in a repository as it is.
func groundOf(dir string) ground {
	url := tracker.Repo(context.Background(), dir).Base().URL
	return ground{project: dir, pass: noPass, runs: []loop.Tracker{{URL: url}}}
}

// project is a repository of o/r on a branch of its own.
func project(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	for _, args := range [][]string{
		{"init", "--quiet", "--initial-branch=feature"},
		{"remote", "add", "origin", "https://github.com/o/r.git"},
		{"config", "alias.land", "!gh pr merge"},
		{"config", "alias.ship", "push origin HEAD:main"},
		{"config", "alias.out", "!git push origin HEAD:main"},
		{"config", "alias.any", "!eval \"$X\""},
	} {
		cmd := exec.Command("/usr/bin/git", args...)
		cmd.Dir, cmd.Env = dir, []string{"HOME=" + dir, "GIT_CONFIG_NOSYSTEM=1"}
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("git %v: %v\n%s", args, err, out)
		}
	}
	const lands = `mutation{mergePullRequest(input:{pullRequestId:"x"}){clientMutationId}}`
	const block = `mutation{a(i:"""\""" x""") b:mergePullRequest(input:{pullRequestId:"x"}){id} ` +
		`c:a(i:"""x""")}`
	const fragment = "{... on Mutation @include(if:true){"
	quoted := strconv.Quote(lands)
	many := strings.Repeat("1,", 25_000)
	const aliases = "aliases:\n    co: pr checkout\n    mm: pr merge\n" +
		"    pr land: pr merge\n    'release land': pr merge\n    secret import: pr merge\n"
	for name, text := range map[string]string{
		"merge.json":     `{"query":` + quoted + `}`,
		"plain.json":     `{"query":"query{viewer{login}}"}`,
		"curl.cfg":       "request = PUT\nurl = https://api.github.com/repos/o/r/pulls/142/merge\n",
		"next.cfg":       "config = curl.cfg\n",
		"long.graphql":   "#" + strings.Repeat("x", 70_000) + "\n" + lands,
		"pieces.graphql": "query{" + strings.Repeat("a ", 25_000) + "} " + lands,
		"return.graphql": "query a{viewer{login}} # \r" + lands,
		"block.graphql":  block,
		"inline.graphql": strings.Replace(lands, "{", fragment, 1) + "}",
		"list.json":      `[{"query":"query{viewer{login}}"},{"query":` + quoted + `}]`,
		"values.json":    `{"a":[` + many + `1],"query":` + quoted + `}`,
		"gh/config.yml":  aliases + "    sh: '!gh pr merge \"$1\"'\n",
	} {
		write(t, filepath.Join(dir, name), text, 0o644)
	}
	const glab = "ci: pipeline ci\nland: mr merge 5 -m $1\ntodo: mr merge\n"
	write(t, filepath.Join(dir, ".config/glab-cli/aliases.yml"), glab, 0o644)
	return dir
}

func write(t *testing.T, path, text string, mode os.FileMode) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), mode); err != nil {
		t.Fatal(err)
	}
}

// The rule that refuses is given, "" for a command that passes.
var table = []struct{ rule, argv string }{
	{"merge-pr", "gh pr merge 5"},
	{"merge-pr", "gh pr merge 142 --match-head-commit ffff"},
	{"merge-pr", "gh pr merge --squash"},
	{"merge-pr", "gh pr merge 142 -R evil/other"},
	{"merge-pr", "gh -R o/r pr merge 5 --squash --delete-branch"},
	{"arm-auto-merge", "gh pr merge 142 --auto"},
	{"merge-pr", "gh pr merge 142 --admin"},
	{"approve-pr", "gh pr review 142 --approve"},
	{"merge-pr", "gh api -X PUT repos/o/r/pulls/5/merge"},
	{"merge-pr", "gh api --method=PUT /repos/{owner}/{repo}/pulls/5/merge"},
	{"unreadable", "gh api graphql --input -"},
	{"merge-pr", "gh api graphql --input merge.json"},
	{"merge-pr", "gh api graphql -f query=mutation{mergePullRequest(input:{id:\"x\"}){id}}"},
	{"", "gh api graphql -f query=" + strings.Repeat("x", 70_000)},
	{"merge-pr", "gh api graphql -f query=" + strings.Repeat("x", 70_000) +
		",mutation{mergePullRequest(input:{id:\"x\"}){id}}"},
	{"unreadable", "gh pr merge 5 --help=false"},
	{"merge-pr", "gh pr merge 5 -t -h"},
	{"unreadable", "gh pr merge 5 --help --help=false"},
	{"unreadable", "curl -X PUT --variable x=merge --expand-url https://a/repos/o/r/pulls/5/{{x}}"},
	{"unreadable", "wget --method=PUT -i list"},
	{"", "wget -i list"},
	{"unreadable", "gh mm 5"},
	{"unreadable", "gh pr land 5"},
	{"unreadable", "gh release land 5"},
	{"unreadable", "gh secret import 5"},
	{"unreadable", "gh cache set 5"},
	{"unreadable", "gh pr revert 5"},   // no command of an older gh
	{"", "gh auth git-credential get"}, // git asks it for a password
	{"", "gh attestation verify x --owner o"},
	{"unreadable", "gh mr 5"},
	{"unreadable", "gh pulls 5"},
	{"unreadable", "glab workflow 5"},
	{"unreadable", "glab co 5"},
	{"unreadable", "glab pr 5"},
	{"unreadable", "gh co 5"},
	{"", "gh pr view 5"},
	{"", "gh release list"},
	{"unreadable", "gh sh 5"},
	{"relax-protection", "gh api -X DELETE repos/o/r/branches/main/protection"},
	{"relax-protection", "gh repo edit --enable-auto-merge"},
	{"run-merging-workflow", "gh workflow run automerge"},
	{"unreadable", "gh unknown-extension now"},
	{"merge-pr", "glab mr merge 5"},
	{"merge-pr", "glab mr accept 5 --yes"},
	{"merge-pr", "glab api -X PUT projects/1/merge_requests/5/merge"},
	{"merge-pr", "tea pr merge 5"},
	{"merge-pr", "tea-cli pulls merge 5"},
	{"merge-pr", "hub merge https://github.com/o/r/pull/5"},
	{"push-protected", "hub push origin HEAD:main"},
	{"push-protected", "git push origin HEAD:main"},
	{"push-protected", "git push origin +feature:refs/heads/master"},
	{"push-protected", "git push --mirror"},
	{"push-protected", "git -c push.default=matching push"},
	{"push-protected", "git ship"},
	{"push-protected", "git out"}, // git finds git in its own folder
	{"", "git land 5"},            // its sh starts gh, which meets its link
	{"", "git any"},
	{"push-protected", "git send-pack origin HEAD:main"},
	{"merge-pr", "curl -X PUT https://api.github.com/repos/o/r/pulls/5/merge"},
	{"merge-pr", "curl -d '' https://api.bitbucket.org/2.0/repositories/o/r/pullrequests/5/merge"},
	{"unreadable", "curl -K curl.cfg"},
	{"unreadable", "curl -K -"},
	{"unreadable", "curl -d @- https://api.github.com/graphql"},
	{"merge-pr", "curl -d @merge.json https://api.github.com/graphql"},
	{"push-protected", "curl -X PATCH -d {} https://api.github.com/repos/o/r/git/refs/heads/main"},
	{"merge-pr", "wget --method=PUT https://api.github.com/repos/o/r/pulls/5/merge"},
	{"merge-pr", "http PUT api.github.com/repos/o/r/pulls/5/merge"},
	{"merge-pr", "https PUT api.github.com/repos/o/r/pulls/5/merge"},
	{"merge-pr", "xh put api.github.com/repos/o/r/pulls/5/merge"},
	{"merge-pr", "xhs PUT api.github.com/repos/o/r/pulls/5/merge"},

	{"", "gh"},
	{"", "gh pr view 142 --json state"},
	{"", "gh pr create --title x --body '" + strings.Repeat("gh pr merge 5\n", 6000) + "'"},
	{"", "gh pr merge --help"},
	{"", "gh pr checks 142 --watch"},
	{"unreadable", "gh co 142"},
	{"", "gh issue list"},
	{"", "gh api repos/o/r/pulls/142"},
	{"", "gh api graphql --input plain.json"},
	{"", "gh auth status"},
	{"", "git"},
	{"", "git status"},
	{"", "git push"},
	{"", "git push origin feature"},
	{"", "git push -u origin HEAD"},
	{"", "git push --dry-run origin HEAD:main"},
	{"", "git merge main"},
	{"", "git commit -m '" + strings.Repeat("gh pr merge 5; ", 6000) + "'"},
	{"", "git log --oneline main..HEAD"},
	{"", "git rebase -x 'make test' main"},
	{"", "git hash-object --stdin"},
	{"", "curl https://example.com"},
	{"", "curl -d @- https://example.com/upload"},
	{"", "curl -d a=b https://localhost:8080/api"},
	{"", "wget -O - https://example.com"},
	{"", "http GET https://example.com"},
	{"", "glab mr view 5"},
	{"", "tea pr list"},
	{"", "az repos pr list"},

	// documents and bodies that hide what they land
	{"merge-pr", "gh api graphql -F query=@long.graphql"},
	{"unreadable", "gh api graphql -F query=@pieces.graphql"},
	{"merge-pr", "gh api graphql -F query=@return.graphql"},
	{"merge-pr", "gh api graphql -F query=@block.graphql"},
	{"merge-pr", "gh api graphql -F query=@inline.graphql"},
	{"merge-pr", "gh api graphql --input list.json"},
	{"unreadable", "gh api graphql --input values.json"},
	{"push-protected", `curl https://a/repos/o/r/merges -d '{"x":{"base":"f"},"base":"main"}'`},
	{"push-protected", `curl https://a/repos/o/r/merges -d '{"base":"f","base":"main"}'`},
	{"approve-pr", "curl https://a/repos/o/r/pulls/5/reviews?event=COMMENT " +
		`-d '{"event":"APPROVE"}'`},

	// flags by their first letters, and what changes a request from elsewhere
	{"push-protected", "git push --al"},
	{"push-protected", "git push --mir origin"},
	{"push-protected", "git push -n --no-dry origin HEAD:main"},
	{"push-protected", "git push --push-o . origin HEAD:main"},
	{"arm-auto-merge", "git push --push-opt=merge_request.merge_when_pipeline_succeeds origin f"},
	{"push-protected", "git rebase --exe 'git push origin HEAD:main' x"},
	{"push-protected", "git difftool --extc 'git push origin HEAD:main'"},
	{"push-protected", "git ls-remote --exec 'git push origin HEAD:main' x"},
	{"unreadable", "git send-pack --stdin git@github.com:o/r"},
	{"merge-pr", "curl --uplo x https://api.github.com/repos/o/r/pulls/5/merge"},
	{"unreadable", "curl --conf curl.cfg"},
	{"unreadable", "curl -K next.cfg"},
	{"unreadable", "curl -X PUT https://a/repos/o/r/pulls/5/merge -s: -X GET https://x.y"},
	{"merge-pr", "curl -H 'X-HTTP-Method-Override: GET' -X PUT https://a/repos/o/r/pulls/5/merge"},
	{"merge-pr", "wget --meth=PUT https://api.github.com/repos/o/r/pulls/5/merge"},
	{"unreadable", "wget -e method=PUT https://api.github.com/repos/o/r/pulls/5/merge"},
	{"unreadable", "wget --method=PUT -qi list"},
	{"merge-pr", "http --max-redirects 3 PUT api.github.com/repos/o/r/pulls/5/merge"},
	{"merge-pr", "http Put api.github.com/repos/o/r/pulls/5/merge"},
	{"", "curl --header a:b --head https://example.com"},
	{"", "wget -e robots=off https://example.com"},
	{"unreadable", "git remote-https origin https://github.com/o/r"},
	{"push-protected", "git -c 'filter.x.process=git push https://x HEAD:main' checkout y"},
	{"push-protected", "git -c 'remote.origin.uploadpack=git push https://x HEAD:main' fetch"},
	{"unreadable", "curl -X PUT https://api.github.com/repos/o/r/pulls/5/{merge}"},
	{"unreadable", "curl -X PUT https://api.github.com/{repos,x}/o/r/pulls/5/mer[g-g]{x,e}"},
	{"merge-pr", "curl -X PUT http://127.0.0.1/repos/o/r/pulls/5/merge -sx proxy:80"},
	{"merge-pr", "curl --data-urlencode query@long.graphql https://gitlab.com/api/graphql"},
	{"unreadable", "curl --exp-data x https://y"},
	{"relax-protection", "tea branches unprotect main"},
	{"merge-pr", "gh codespace ssh -c x gh pr merge 5"},
	{"", "glab alias set x 'mr list'"},
	{"unreadable", "glab x 5"},
	{"unreadable", "gh mm --help"},
	{"unreadable", "glab todo 5"},
	{"unreadable", "glab land --help"},
	{"", "glab job list"},
	{"merge-pr", "gh pr --squash 5 merge"},
	{"merge-pr", "glab mr -y 5 merge"},
	{"", "gh codespace ssh -c x"},
	{"", "curl https://example.com/{a,b}/[1-9]"},
}

// split takes a command line of the table apart: words at blanks, single quotes hold them together.
func split(line string) []string {
	var argv []string
	for i, part := range strings.Split(line, "'") {
		if i%2 == 1 {
			argv = append(argv, part)
			continue
		}
		argv = append(argv, strings.Fields(part)...)
	}
	return argv
}

func start(project string, argv ...string) Start {
	return Start{Argv: argv, Cwd: project, Environ: []string{
		"HOME=" + project, "GH_CONFIG_DIR=" + filepath.Join(project, "gh"),
	}}
}

// with is the same start with a variable of the environment.
func (s Start) with(name, value string) Start {
	s.Environ = slices.Insert(slices.Clone(s.Environ), 0, name+"="+value)
	return s
}

// refusal is why a program must not run, nil if it may.
func (s Start) refusal(g ground) *Refusal {
	_, r := s.judge(g)
	return r
}

func TestTable(t *testing.T) {
	dir := project(t)
	for _, row := range table {
		name := row.argv[:min(len(row.argv), 80)]
		r := start(dir, split(row.argv)...).refusal(groundOf(dir))
		switch {
		case r == nil && row.rule != "":
			t.Errorf("%s passed, want %s", name, row.rule)
		case r != nil && r.Rule != row.rule:
			t.Errorf("%s refused by %s, want %q\n%s", name, r.Rule, row.rule, hint.Text(r))
		case r != nil && strings.Count(hint.Text(r), "\n") != 1:
			t.Errorf("%s: the refusal is not of two lines:\n%s", name, hint.Text(r))
		}
	}
}

// A67: in an audit loop a program that pushes anything, or opens a PR, does not start.
func TestAuditPublishesNothing(t *testing.T) {
	dir := project(t)
	for line, refused := range map[string]bool{
		"git push": true, "git push origin feature": true, "git -C . push -u origin HEAD": true,
		"git -c alias.x=push x": true, "git subtree push --prefix a origin b": true,
		"gh pr create --fill": true, "glab mr create": true,
		"git status": false, "git commit -m 'git push'": false, "git fetch": false,
		"gh pr view 142": false, "curl https://example.com": false,
	} {
		s := start(dir, split(line)...)
		r := s.refusal(ground{project: dir, phase: loop.Confined{During: "coding"}})
		if (r != nil) != refused || r != nil && r.Rule != loop.AuditRule {
			t.Errorf("%s: %v", line, r)
		}
		if r := s.refusal(groundOf(dir)); r != nil {
			t.Errorf("%s outside of an audit loop: %v", line, r)
		}
	}
}

func TestAuditPhase(t *testing.T) {
	for _, row := range []struct {
		status, skill, audit string
		want                 loop.Confined
	}{
		{"active", "audit", `"phase":"coding","branch":"b"`, loop.Confined{
			During: "coding", Writes: true, Branch: "b"}},
		{"active", "audit", `"phase":"auditing","branch":"b"`, loop.Confined{
			During: "auditing", Reads: true}},
		{"halted", "audit", `"phase":"auditing"`, loop.Confined{}},
		{"active", "work", `"phase":"auditing"`, loop.Confined{}},
		{"active", "audit", `"phase":"post_action","post_action":{"push":true}`, loop.Confined{}},
		{"active", "audit", `"phase":"post_action","post_action":{}`, loop.Confined{
			During: "post action"}},
		{"active", "audit", `"phase":"fix","post_action":{"push":true}`, loop.Confined{
			During: "fix", Writes: true}},
	} {
		budget := fmt.Sprintf(`{"status":%q,"audit":{%s}}`, row.status, row.audit)
		got := confined(seal.Loop{Skill: row.skill, State: seal.Files{Budget: budget}})
		if row.want.During != "" {
			row.want.During = "the " + row.want.During + " phase of an audit loop"
			row.want.Until = "the audit is clear"
		}
		if got != row.want {
			t.Errorf("%s of %s: %+v", budget, row.skill, got)
		}
	}
}

// The next step is a command of the client that was started, else of the repository's forge.
func TestHintNamesTheForgesOwnCommand(t *testing.T) {
	dir := project(t)
	for line, want := range map[string]string{
		"gh pr merge 142 --auto":                          "gh pr merge N",
		"glab mr merge":                                   "glab mr merge N",
		"glab mr merge 142":                               "glab mr merge 142",
		"tea pr merge 142":                                " pr merge 142",
		"hub merge https://github.com/o/r/pull/142":       "gh pr merge 142",
		"curl -X PUT https://a/repos/o/r/pulls/142/merge": "gh pr merge 142",
	} {
		r := start(dir, split(line)...).refusal(groundOf(dir))
		if r == nil || !strings.Contains(hint.Text(r), want) {
			t.Errorf("%s: %v, want %q", line, hint.Text(r), want)
		}
	}
	write(t, filepath.Join(dir, ".git", "config"),
		"[remote \"origin\"]\nurl = https://gitlab.com/me/github-mirror.git\n", 0o600)
	r := start(dir, "curl", "-X", "PUT", "https://gitlab.com/api/v4/projects/me%2Fgithub-mirror/"+
		"merge_requests/142/merge").refusal(groundOf(dir))
	if r == nil || !strings.Contains(hint.Text(r), "glab mr merge 142") {
		t.Errorf("a name in the path is taken for a host: %v", hint.Text(r))
	}
}

func TestPassLetsOneMergeThrough(t *testing.T) {
	dir := project(t)
	merges := []string{
		"gh pr merge 142 --squash", "gh pr merge 142 --match-head-commit " + head,
		"gh pr merge 142 -R o/r",
		"gh api -X PUT repos/o/r/pulls/142/merge",
		"gh api -X PUT repos/o/r/pulls/142/merge -f sha=" + head,
		"curl -X PUT https://api.github.com/repos/o/r/pulls/142/merge",
		"gh pr merge https://github.com/o/r/pull/142",
		"glab api -X PUT projects/:id/merge_requests/142/merge",
		"glab api -X PUT projects/o%2Fr/merge_requests/142/merge",
	}
	for _, line := range merges {
		g := &passes{dir, 1}
		s := start(dir, split(line)...)
		if r := s.refusal(g.ground()); r != nil || g.passes != 0 {
			t.Errorf("%s: %v, %d passes left", line, r, g.passes)
		}
		if s.refusal(g.ground()) == nil {
			t.Errorf("%s passed twice", line)
		}
	}
}

func TestPassIsForOneThing(t *testing.T) {
	dir, other := project(t), project(t)
	for _, line := range []string{
		"gh pr merge 143", "gh pr merge 142 --auto", "gh pr merge 142 --admin",
		"gh pr merge 142 -R evil/r", "gh pr merge 142 -R evil/o/r", "gh pr merge",
		"curl -X PUT https://a/repos/o/r/pulls/142/merge --next -K -",
		"gh pr merge 142 --match-head-commit ffff", "gh pr review 142 --approve",
		"git push origin HEAD:main",
		"curl -X PUT https://api.github.com/repos/evil/r/pulls/142/merge",
		"glab api -X PUT projects/evil%2Fother/merge_requests/142/merge",
		"glab api -X PUT projects/17/merge_requests/142/merge",
		"curl -X PUT https://a/repos/o/r/pulls/142/merge https://a/repos/o/r/pulls/143/merge",
	} {
		g := &passes{dir, 1}
		if r := start(dir, split(line)...).refusal(g.ground()); r == nil || g.passes != 1 {
			t.Errorf("%s: %v, %d passes left", line, r, g.passes)
		}
	}
	for _, name := range []string{"GH_REPO", "GH_HOST", "GIT_DIR", "GIT_CONFIG_COUNT"} {
		s := start(dir, "gh", "pr", "merge", "142").with(name, "evil/other")
		if s.refusal((&passes{dir, 1}).ground()) == nil {
			t.Errorf("%s leads to another repository", name)
		}
	}
	for host, away := range map[string]bool{"evil.example": true, "https://github.com/": false} {
		glab := start(dir, "glab", "mr", "merge", "142")
		glab.Environ = []string{"GITLAB_HOST=" + host}
		if r := glab.refusal((&passes{dir, 1}).ground()); (r != nil) != away {
			t.Errorf("GITLAB_HOST %s: %v", host, r)
		}
	}
	const evil = "https://github.com/evil/other"
	for text, away := range map[string]bool{
		"": false, "[user]\n\tname = a\n": false,
		"[url \"" + evil + "\"]\n\tinsteadOf = https://github.com/o/r.git\n": true,
		"[remote \"upstream\"]\n\turl = " + evil + "\n":                      true,
	} {
		file := filepath.Join(t.TempDir(), "settings")
		write(t, file, text, 0o600)
		s := start(dir, "gh", "pr", "merge", "142").with("GIT_CONFIG_NOSYSTEM", "1")
		s = s.with("GIT_CONFIG_GLOBAL", file)
		if r := s.refusal((&passes{dir, 1}).ground()); (r != nil) != away {
			t.Errorf("GIT_CONFIG_GLOBAL with %q: %v", text, r)
		}
	}
	cmd := exec.Command("/usr/bin/git", "remote", "set-url", "origin", evil)
	if cmd.Dir = other; cmd.Run() != nil {
		t.Fatal("git remote set-url")
	}
	if start(other, "gh", "pr", "merge", "142").refusal((&passes{dir, 1}).ground()) == nil {
		t.Error("another clone leads to another repository")
	}
}

// A seal that cannot be read may be that of an audit loop, which publishes nothing. Without one no
// loop is on, and an empty one is what a power cut leaves.
func TestRecordThatCannotBeReadRefusesMergesAndPushes(t *testing.T) {
	dir, f := project(t), folder{t.TempDir(), "s1"}
	path := seal.SwitchPath(f.home, f.session)
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	for _, text := range []string{"{}", "{\"version\":99}\x1f\n", ""} {
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		push := "sealed-record"
		if text == "" {
			push = ""
		}
		g, on := f.ground(nil)
		for line, rule := range map[string]string{
			"gh pr merge 142": "sealed-record", "git push origin HEAD:main": "push-protected",
			"git push": push, "gh pr create --fill": push, "gh pr view 142": "", "git status": "",
		} {
			r := start(dir, split(line)...).refusal(g)
			if !on || (r == nil) != (rule == "") || r != nil && r.Rule != rule {
				t.Errorf("%q, %s: %v", text, line, r)
			}
		}
	}
	if r := start(dir, "git", "push").refusal(ground{}); r != nil {
		t.Errorf("without a loop: %v", r)
	}
}

func TestGitEnvironmentCounts(t *testing.T) {
	dir := project(t)
	s := start(dir, "git", "x").with("GIT_CONFIG_COUNT", "1")
	s = s.with("GIT_CONFIG_KEY_0", "alias.x").with("GIT_CONFIG_VALUE_0", "push origin HEAD:main")
	if r := s.refusal(groundOf(dir)); r == nil {
		t.Error("an alias of the environment pushes")
	}
}

// TestTextOfTheEnvironment: what git hands to a shell finds git itself in git's own folder.
func TestTextOfTheEnvironment(t *testing.T) {
	dir := project(t)
	for _, row := range []struct{ name, value, argv, rule string }{
		{"GIT_SSH_COMMAND", "git push https://x HEAD:main", "git fetch", "push-protected"},
		{"GIT_EDITOR", "git push https://x HEAD:main", "git commit", "push-protected"},
		{"GIT_EDITOR", "git push https://x HEAD:main", "gh pr list", ""},
		{"GIT_SSH_COMMAND", "ssh -i key", "git fetch", ""},
		{"GIT_SEQUENCE_EDITOR", ":", "git rebase -i main", ""},
		{"FOO", "push https://x HEAD:main", "git --config-env=alias.x=FOO x", "push-protected"},
		{"FOO", "push https://x HEAD:main", "git --config-env alias.x=FOO x", "push-protected"},
		{"FOO", "status", "git --config-env=alias.x=FOO x", ""},
	} {
		s := start(dir, split(row.argv)...).with(row.name, row.value)
		r := s.refusal(groundOf(dir))
		if (r == nil) != (row.rule == "") || r != nil && r.Rule != row.rule {
			t.Errorf("%s=%q %s: %v, want %q", row.name, row.value, row.argv, r, row.rule)
		}
	}
}

func TestRefusalHidesSecrets(t *testing.T) {
	dir := project(t)
	r := start(dir, "curl", "-H", "Authorization: Bearer abcdef0123456789", "-X", "PUT",
		"https://u:pw@api.github.com/repos/o/r/pulls/142/merge").refusal(groundOf(dir))
	if r == nil {
		t.Fatal("not refused")
	}
	for _, secret := range []string{"abcdef", "pw@"} {
		if strings.Contains(r.What+r.Error(), secret) {
			t.Errorf("refusal with %s: %v", secret, r)
		}
	}
}

func FuzzJudge(f *testing.F) {
	for _, row := range table {
		if len(row.argv) < 500 {
			f.Add(strings.Join(split(row.argv), "\x00"))
		}
	}
	f.Fuzz(func(t *testing.T, line string) {
		argv := strings.Split(line, "\x00")
		if !slices.Contains(Names[:], argv[0]) {
			argv = append([]string{"git"}, argv...)
		}
		s := Start{Argv: argv, Cwd: "/"}
		if r := s.refusal(ground{}); r != nil && r.Error() == "" {
			t.Error("a refusal without a text")
		}
	})
}

// TestOwnOptionsCount: curl and wget read them themselves, however long they are.
func TestOwnOptionsCount(t *testing.T) {
	const url = "https://api.github.com/repos/o/r/pulls/142/merge"
	const merge = "request = PUT\nurl = " + url + "\n"
	for _, row := range []struct{ file, text, argv, rule string }{
		{".curlrc", "silent\n", "curl https://example.com", ""},
		{".curlrc", merge, "curl -s", "unreadable"},
		{".curlrc", merge, "curl -q https://example.com", ""},
		{".curlrc", strings.Repeat("# x\n", effect.MaxFile/4) + merge, "curl -s", "unreadable"},
		{".wgetrc", "timeout = 5\n", "wget " + url, ""},
		{".wgetrc", "method = PUT\n", "wget " + url, "unreadable"},
		{"rc", "post_data = {}\n", "wget " + url, "unreadable"},
	} {
		dir := project(t)
		write(t, filepath.Join(dir, row.file), row.text, 0o600)
		s := start(dir, split(row.argv)...).with("WGETRC", "rc")
		r := s.refusal(groundOf(dir))
		if (r == nil) != (row.rule == "") || r != nil && r.Rule != row.rule {
			t.Errorf("%s with %.20q: %v, want %q", row.argv, row.text, r, row.rule)
		}
	}
}
