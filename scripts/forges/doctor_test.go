//go:build forges

package forges

import (
	"context"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"hooks/internal/tracker/forge"
)

// doctored runs the doctor in a project at a remote and gives what its check of
// the forge's client found.
func doctored(t *testing.T, program, remote string) (client string) {
	t.Helper()
	project := t.TempDir()
	for _, line := range []string{"init -q -b main", "remote add origin " + remote} {
		cmd := exec.Command("git", strings.Fields(line)...)
		cmd.Dir = project
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("git %s: %s", line, out)
		}
	}
	cmd := exec.Command(program, "doctor", "--json")
	cmd.Dir = project
	cmd.Env = append(os.Environ(), "CLAUDE_PROJECT_DIR="+project)
	out, _ := cmd.Output() // the rest of this machine is not right
	var found struct {
		Checks []struct {
			Name     string
			Found    []string
			Problems []struct{ Text, Way string }
		}
	}
	if err := json.Unmarshal(out, &found); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	for _, c := range found.Checks {
		if c.Name != "forge-client" {
			continue
		}
		client = strings.Join(c.Found, "\n")
		for _, p := range c.Problems {
			client += p.Text + ": " + p.Way
		}
	}
	return client
}

func build(t *testing.T) string {
	t.Helper()
	program := filepath.Join(t.TempDir(), "hooks")
	cmd := exec.Command("go", "build", "-o", program, "hooks/hooks")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return program
}

// The real gh and glab answer the doctor's questions.
func TestDoctor(t *testing.T) {
	schema, program := fixture(t, "HOOKS_GITHUB_SCHEMA"), build(t)
	each(t, "HOOKS_GH", "gh", func(t *testing.T) {
		s := github(t, schema, small())
		s.files = map[string]string{"/": `{}`}
		loggedIn(t, s, program, "gh", "github.com")
	})
	each(t, "HOOKS_GLAB", "glab", func(t *testing.T) {
		s := gitlab(t, true, nil, nil)
		loggedIn(t, s, program, "glab", "gitlab.com")
	})
}

// loggedIn wants the doctor to say so, and that it is not once the server refuses the token.
func loggedIn(t *testing.T, s *forgeServer, program, client, host string) {
	t.Helper()
	found := doctored(t, program, "https://"+host+"/acme/app.git")
	if !strings.Contains(found, client+" can read "+host+"/acme/app") {
		t.Errorf("%s\n%q", found, s.asked)
	}
	s.before = says(401, "401 Unauthorized: Bad credentials")
	found = doctored(t, program, "https://"+host+"/acme/app.git")
	if !strings.Contains(found, client+" is not logged in") {
		t.Errorf("%s\n%q", found, s.asked)
	}
}

// Debian's tea-cli is found by its name, and has no command api yet. The doctor reports it, and so
// does the tracker's own failure.
func TestOldTea(t *testing.T) {
	program := build(t)
	each(t, "HOOKS_TEA", "tea-cli", func(t *testing.T) {
		if exec.Command("tea-cli", "api", "--help").Run() == nil {
			t.Skip("skipped: this tea-cli has the command api")
		}
		serve(t, nil)
		q := question(t, forge.Gitea, "codeberg.org")
		q.Backlog = true
		a := forge.Ask(context.Background(), q)
		if why(a.Err) != forge.TooOld || !strings.Contains(a.Err.Error(), "tea-cli is too old") {
			t.Errorf("%v", a.Err)
		}
		client := doctored(t, program, "https://codeberg.org/acme/app.git")
		if !strings.Contains(client, "tea-cli is too old") {
			t.Error(client)
		}
	})
}
