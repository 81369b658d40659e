package forge

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// What the programs print when they fail, and what a status block says of it.
func TestFailures(t *testing.T) {
	for _, c := range []struct {
		says string
		why  Why
		line string
	}{
		{"gh: Bad credentials (HTTP 401)\nTry authenticating with:  gh auth login\n", LoggedOut,
			"tracker: gh is not logged in (gh: Bad credentials (HTTP 401))"},
		{"To get started with GitHub CLI, please run:  gh auth login\nAlternatively, populate " +
			"the GH_TOKEN environment variable", LoggedOut, ""},
		{"gh: Resource not accessible by personal access token (HTTP 403)\n", Failed, ""},
		{"gh: Resource protected by organization SAML enforcement. You must grant your OAuth " +
			"token access to this organization. (HTTP 403)\n", Failed, ""},
		{"gh: To use GitHub CLI in a GitHub Actions workflow, set the GH_TOKEN environment " +
			"variable. Example:\n", LoggedOut, ""},
		{"gh: Your token has not been granted the required scopes to execute this query.\n",
			Failed, ""},
		{"gh: Although you appear to have the correct authorization credentials, the `acme` " +
			"organization has an IP allow list enabled\n", Failed, ""},
		{"gh: Although you appear to have the correct authorization credentials, the `acme` " +
			"organization has enabled OAuth App access restrictions\n", Failed, ""},
		{"gh: Resource limits for this query exceeded.\n", Failed, ""},
		{"unknown flag: --paginate\n\nUsage:  gh api <endpoint> [flags]\n", TooOld,
			"tracker: gh is too old (unknown flag: --paginate)"},
		{"none of the git remotes configured for this repository point to a known GitLab host.\n",
			LoggedOut, ""},
		{"gh: API rate limit exceeded for user ID 1234567. (HTTP 403)\n", Failed, ""},
		{"gh: You have exceeded a secondary rate limit. Please wait a few minutes before you try " +
			"again. (HTTP 403)\n", Failed, ""},
		{"gh: HTTP 429\n", Failed, "tracker: gh failed (gh: HTTP 429)"},
		{"gh: HTTP 502\n", Failed, "tracker: gh failed (gh: HTTP 502)"},
		{"gh: Something went wrong while executing your query. This may be the result of a " +
			"timeout, or it could be a GitHub bug.\n", Failed, ""},
		{"error connecting to api.github.com\ncheck your internet connection or " +
			"https://githubstatus.com\n", Failed, ""},
		{"Post \"https://api.github.com/graphql\": EOF\n", Failed, ""},
		{"unexpected EOF\n", Failed, ""},
		{"gh: Could not resolve to a Repository with the name 'acme/app'.\n", NotFound, ""},
		{"\x1b[31mX\x1b[0m \x07token=ghp_16C7e42F292c6912E7710c838347Ae178B4a at " +
			"https://mara:pw@github.com/acme\n", Failed,
			"tracker: gh failed ([31mX[0m token=<redacted> at " +
				"https://<redacted>@github.com/acme)"},
		{strings.Repeat("x ", 5000), Failed, ""},
		{"", Failed, "tracker: gh failed (exit status 1)"},
	} {
		dir, from := project(t, "https://github.com/acme/app", "github")
		os.Remove(filepath.Join(from, "issues.json"))
		put(t, filepath.Join(from, "issues.err"), c.says)
		put(t, filepath.Join(from, "prs.err"), c.says)
		a := ask(t, dir, Question{Backlog: true})
		var f *Failure
		if !errors.As(a.Err, &f) || f.Why != c.why || a.Backlog != nil || a.Issues != nil {
			t.Errorf("%.60q: %v, %+v", c.says, a.Err, a)
			continue
		}
		if c.line != "" && f.Error() != c.line {
			t.Errorf("%.60q: %q", c.says, f.Error())
		}
		if len(a.Notes) != 1 || len([]rune(a.Notes[0])) > 300 ||
			strings.ContainsAny(a.Notes[0], "\n\x1b\x07") {
			t.Errorf("%.60q: notes %q", c.says, a.Notes)
		}
	}
}

// An answer that is no answer, and one that is a part of one.
func TestUnreadableAnswers(t *testing.T) {
	whole, err := os.ReadFile("testdata/github/issues.json")
	if err != nil {
		t.Fatal(err)
	}
	second, err := os.ReadFile("testdata/github/issues.2.json")
	if err != nil {
		t.Fatal(err)
	}
	refused := strings.TrimSuffix(strings.TrimSpace(string(second)), "}") +
		`,"errors":[{"type":"FORBIDDEN","message":"no"}]}`
	for _, c := range []struct {
		name, text string
		found      int // issues that are told nonetheless
	}{
		{"garbage", "<html>502</html>", 0},
		{"nothing", "", 0},
		{"binary", "\x00\xff{\"", 0},
		{"cut", string(whole[:200]), 0},
		{"cut in the second page", string(whole) + string(second[:500]), 3},
		{"a page that promises more", string(whole), 3},
		{"errors beside data", string(whole) + refused, 9},
		{"another shape", `{"data":{"repository":{"issues":[]}}}`, 0},
		{"no repository", `{"data":{"repository":null}}`, 0},
		{"a message", `{"message":"API rate limit exceeded"}`, 0},
		{"null nodes",
			`{"data":{"repository":{"issues":{"pageInfo":{"hasNextPage":false},"nodes":[null,{"number":"x"},{"number":-1},{"number":7}]}}}}`, 1},
		{"a string", `"x"`, 0},
		{"deep", strings.Repeat("[", 1<<20), 0},
	} {
		dir, from := project(t, "https://github.com/acme/app", "github")
		os.Remove(filepath.Join(from, "issues.2.json"))
		put(t, filepath.Join(from, "issues.json"), c.text)
		a := ask(t, dir, Question{Backlog: true})
		if a.Backlog != nil || len(a.Issues) != c.found ||
			len(a.Notes) == 0 {
			t.Errorf("%s: %d issues, %+v", c.name, len(a.Issues), a)
		}
	}
}

// More than 100 issues are several pages; one that moved between the calls is on two of them.
func TestManyPages(t *testing.T) {
	dir, from := project(t, "https://github.com/acme/app", "github")
	os.Remove(filepath.Join(from, "issues.2.json"))
	node := func(n int) string {
		return fmt.Sprintf(`{"number":%d,"title":"}{\"","body":"Depends on #%d"}`, n, n-1)
	}
	var text strings.Builder
	for page := range 3 {
		var nodes []string
		for i := page * 100; i <= page*100+100; i++ {
			nodes = append(nodes, node(i+1))
		}
		fmt.Fprintf(&text,
			`{"data":{"repository":{"issues":{"pageInfo":{"hasNextPage":%v,"endCursor":"x"},"nodes":[%s]}}}}`, page < 2, strings.Join(nodes, ","))
	}
	put(t, filepath.Join(from, "issues.json"), text.String())
	a := ask(t, dir, Question{Backlog: true})
	if a.Err != nil || a.Backlog == nil || len(a.Issues) != 301 || len(a.Backlog.Blocked) != 300 ||
		len(a.Edges) != 300 {
		t.Errorf("%v %v: %d issues, %d edges", a.Err, a.Notes, len(a.Issues), len(a.Edges))
	}
}

// PRs that are not told keep an issue from being taken for free only where it depends on a number
// no one knows.
func TestOneOfTwoCallsFails(t *testing.T) {
	dir, from := project(t, "https://github.com/acme/app", "github")
	put(t, filepath.Join(from, "prs.err"), "gh: HTTP 502\n")
	os.Remove(filepath.Join(from, "prs.json"))
	a := ask(t, dir, Question{Backlog: true})
	if a.Backlog != nil || a.Err == nil || len(a.Issues) == 0 {
		t.Errorf("#145 depends on #12, which may be an open PR: %+v", a)
	}
	put(t, filepath.Join(from, "issues.json"),
		`{"data":{"repository":{"issues":{"pageInfo":{"hasNextPage":false},"nodes":[{"number":1},{"number":2,"body":"Depends on #1"}]}}}}`)
	os.Remove(filepath.Join(from, "issues.2.json"))
	a = ask(t, dir, Question{Backlog: true})
	if a.Backlog == nil || len(a.Backlog.Blocked) != 1 || a.Err == nil {
		t.Errorf("%+v", a)
	}
}

// An older enterprise server is asked again without the fields that it lacks, and for all others.
// It names all of them at once in its answer, of which gh repeats the first line.
func TestServersWithoutSomeFields(t *testing.T) {
	for _, c := range []struct{ lacks, asked string }{
		{"", "blockedBy subIssues"},
		{"blockedBy", "subIssues"},
		{"subIssues", "blockedBy"},
		{"blockedBy subIssues", ""},
	} {
		for _, answered := range []bool{true, false} {
			var asked []string
			got := askKnown(githubFields, func(query string) connection {
				var known, wrong, list []string
				for _, f := range githubFields {
					switch {
					case !strings.Contains(query, f.name):
					case strings.Contains(c.lacks, f.name):
						m := "Field '" + f.name + "' doesn't exist on type 'Issue'"
						wrong = append(wrong, m)
						list = append(list, fmt.Sprintf(`{"message":%q}`, m))
					default:
						known = append(known, f.name)
					}
				}
				asked = known
				if len(wrong) == 0 {
					const none = `{"r":{"issues":{"pageInfo":{"hasNextPage":false},"nodes":[]}}}`
					return connected([]byte(none), nil, "r", "issues")
				}
				out := `{"errors":[` + strings.Join(list, ",") + `]}`
				if !answered {
					out = ""
				}
				says := "gh: " + strings.Join(wrong, "\n")
				fail := failure(errors.New("exit status 1"), says)
				return connected([]byte(out), fail, "r", "issues")
			})
			if !got.whole || strings.Join(asked, " ") != c.asked {
				t.Errorf("without %q (answered: %v): %v, asked for %q",
					c.lacks, answered, got.fail, asked)
			}
		}
	}
}

// Such a server through the program: the second question is answered.
func TestAnOlderServer(t *testing.T) {
	dir, from := project(t, "https://github.com/acme/app", "github")
	program(t, `#!/bin/sh
case "$*" in
*blockedBy*) echo "gh: Field 'blockedBy' doesn't exist on type 'Issue'" >&2; exit 1 ;;
*pullRequests*) cat '`+from+`/prs.json' ;;
*subIssues*) cat '`+from+`/issues.json' '`+from+`/issues.2.json' ;;
esac
`)
	if a := ask(t, dir, Question{Backlog: true}); a.Err != nil || a.Backlog == nil {
		t.Errorf("%v", a.Notes)
	}
}

// program puts a script named gh first on PATH.
func program(t *testing.T, script string) {
	t.Helper()
	bin := filepath.Join(t.TempDir(), "first")
	put(t, filepath.Join(bin, "gh"), script)
	if err := os.Chmod(filepath.Join(bin, "gh"), 0o755); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", bin+string(filepath.ListSeparator)+os.Getenv("PATH"))
}

func TestGiantOutput(t *testing.T) {
	dir, _ := project(t, "https://github.com/acme/app", "github")
	program(t, `#!/bin/sh
exec yes "{\"data\":{\"text\":\"$(head -c 60000 /dev/zero | tr '\0' x)\"}}"
`)
	var f *Failure
	if a := ask(t, dir, Question{Backlog: true}); !errors.As(a.Err, &f) || f.Why != Unreadable {
		t.Errorf("%v", a.Err)
	}
}

func TestMissingProgram(t *testing.T) {
	dir, _ := project(t, "https://github.com/acme/app", "github")
	git, err := exec.LookPath("git")
	if err != nil {
		t.Fatal(err)
	}
	bin := t.TempDir()
	if err := os.Symlink(git, filepath.Join(bin, "git")); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", bin)
	a := ask(t, dir, Question{PRs: true})
	if a.Err == nil || a.Err.Error() != "tracker: gh is not installed" ||
		a.Err.(*Failure).Hint() == "" {
		t.Error(a.Err)
	}
}

// The caller's own end of the world is heeded too.
func TestCancelled(t *testing.T) {
	dir, from := project(t, "https://github.com/acme/app", "github")
	put(t, filepath.Join(from, "prs.sleep"), "60s")
	ctx, cancel := context.WithTimeout(context.Background(), 300*time.Millisecond)
	defer cancel()
	a := Ask(ctx, Question{Project: dir, Env: os.Getenv, PRs: true, Wait: time.Minute})
	if a.Err == nil || a.Err.(*Failure).Why != TooSlow {
		t.Error(a.Err)
	}
}

// Nothing may make a program talk, trace its tokens, or turn to another repository.
func TestEnvironment(t *testing.T) {
	dir, from := project(t, "https://github.com/acme/app", "github")
	seen := filepath.Join(dir, "env")
	program(t, "#!/bin/sh\nenv >'"+seen+"'; cat '"+from+"/prs.json'\n")
	for _, name := range []string{"GH_DEBUG", "DEBUG", "GH_REPO", "GIT_DIR", "GH_FORCE_TTY"} {
		t.Setenv(name, "x")
	}
	t.Setenv("GH_TOKEN", "kept")
	ask(t, dir, Question{PRs: true})
	text, err := os.ReadFile(seen)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"GH_TOKEN=kept", "GH_PROMPT_DISABLED=1", "NO_COLOR=1",
		"GIT_TERMINAL_PROMPT=0", "GH_NO_UPDATE_NOTIFIER=1"} {
		if !strings.Contains(string(text), want+"\n") {
			t.Errorf("%s is missing", want)
		}
	}
	for _, no := range []string{"\nGH_DEBUG=", "\nDEBUG=", "\nGH_REPO=", "\nGIT_DIR=",
		"\nGH_FORCE_TTY="} {
		if strings.Contains("\n"+string(text), no) {
			t.Errorf("%q is there", no)
		}
	}
}
