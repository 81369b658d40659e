//go:build e2e && linux

package e2e

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"
)

const ungoverned = "the hooks plugin cannot govern a loop"

// bare is a world whose plugin lacks its program, as a clone of the source does.
func bare(t *testing.T, script Script) *World {
	w := newWorld(t, script)
	if err := os.Remove(filepath.Join(w.Plugins[0], "bin", "hooks")); err != nil {
		t.Fatal(err)
	}
	return w
}

// A plugin that lacks its program blocks a looping command that a person types, with the line that
// installs it, and nothing else (interface: build and registration; R2).
func TestAPluginWithoutAProgramBlocksATypedLoop(t *testing.T) {
	w := bare(t, Worker{}.Say)
	r := w.Headless("/sdd:work --loop --max-iterations 1")
	said := strings.Join(append(r.Said, r.Result), "\n")
	install := "sh '" + filepath.Join(w.Plugins[0], "scripts", "install.sh") + "'"
	if !strings.Contains(said, ungoverned) || !strings.Contains(said, install) {
		t.Errorf("the person was told:\n%s\nwant %q and %q", said, ungoverned, install)
	}
	if n := w.iterationsBegun(); n != 0 {
		t.Errorf("%d iterations reached the model, want none", n)
	}
	w.Headless("/sdd:work issue 4")
	if n := w.iterationsBegun(); n != 1 {
		t.Errorf("without --loop %d iterations reached the model, want 1", n)
	}
}

// The same holds for the model's own call of a looping skill.
func TestAPluginWithoutAProgramBlocksTheModelsLoop(t *testing.T) {
	skill := Call{"Skill", map[string]any{"args": "--loop", "skill": "sdd:work"}}
	w := bare(t, func(r Request) Turn {
		if len(r.Calls()) == 0 {
			return Turn{Calls: []Call{skill}}
		}
		return Turn{Text: "done"}
	})
	w.Headless("go")
	if n := w.refusals(); n != 1 || !w.Model.Told(ungoverned) || w.iterationsBegun() != 0 {
		t.Errorf("%d calls were refused, want 1 with the reason", n)
	}
}

// The same holds for a schedule that fires.
func TestAPluginWithoutAProgramBlocksAScheduledLoop(t *testing.T) {
	cron := Call{"CronCreate", map[string]any{
		"cron": "*/1 * * * *", "prompt": "/sdd:work --loop", "recurring": true,
	}}
	w := bare(t, func(r Request) Turn {
		if calls := []Call{load("CronCreate"), cron}; len(r.Calls()) < len(calls) {
			return Turn{Calls: calls[len(r.Calls()):][:1]}
		}
		return Turn{Text: "scheduled"}
	})
	term := w.Interactive()
	term.Enter("go")
	term.WaitShowed(ungoverned, 150*time.Second)
	if n := w.iterationsBegun(); n != 0 {
		t.Errorf("%d iterations reached the model, want none", n)
	}
}

// The launcher finds the program where a person put it, governs from the first command on, and
// leaves every later call to the program alone.
func TestThePluginFindsItsProgram(t *testing.T) {
	for name, folder := range map[string]string{
		"where people install": ".local/bin",
		"the plugin's data":    ".claude/plugins/data/hooks-inline/bin",
	} {
		t.Run(name, func(t *testing.T) {
			w := bare(t, Worker{}.Say)
			w.copy(hooksProgram, filepath.Join(w.Home, folder, "hooks"), 0o755)
			w.Headless("/sdd:work --loop --max-iterations 2")
			if lines := w.History("work"); len(lines) != 1 || lines[0].Outcome != "ok" {
				t.Errorf("the first command left the lines %+v", lines)
			}
			target, err := os.Readlink(filepath.Join(w.Plugins[0], "bin", "hooks"))
			if err != nil || target != filepath.Join(w.Home, folder, "hooks") {
				t.Errorf("the plugin's program is a link to %q: %v", target, err)
			}
			w.Headless("/sdd:work --loop --max-iterations 2 --resume")
			if lines := w.History("work"); len(lines) != 2 {
				t.Errorf("the second command left the lines %+v", lines)
			}
		})
	}
}

// A program put in place while a session runs governs the next command of that session.
func TestAProgramInstalledMeanwhileGovernsTheNextCommand(t *testing.T) {
	w := bare(t, Worker{}.Say)
	term := w.Interactive()
	term.Enter("/sdd:work --loop --max-iterations 2")
	term.WaitShowed(ungoverned, 60*time.Second)
	w.copy(hooksProgram, filepath.Join(w.Home, ".local", "bin", "hooks"), 0o755)
	term.Enter("/sdd:work --loop --max-iterations 2")
	if line := w.WaitHistory("work", 1, 60*time.Second)[0]; line.Outcome != "ok" {
		t.Errorf("the line is %+v", line)
	}
}

// A marketplace that is added by a released ref brings a plugin that governs, with no step by hand.
func TestAReleasedRefGoverns(t *testing.T) {
	w := newWorld(t, Worker{}.Say)
	w.Plugins = w.Plugins[1:]
	clone := filepath.Join(w.Bin, "clone")
	w.source(clone)
	carry := exec.Command("sh", "scripts/carry.sh")
	carry.Dir = clone
	carry.Env = append(os.Environ(), "HOOKS_PLATFORMS="+runtime.GOOS+"/"+runtime.GOARCH,
		"GIT_AUTHOR_NAME=x", "GIT_AUTHOR_EMAIL=x@x",
		"GIT_COMMITTER_NAME=x", "GIT_COMMITTER_EMAIL=x@x")
	if out, err := carry.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	const address = "https://example.com/acme/hooks.git"
	w.write(filepath.Join(w.Home, ".gitconfig"),
		"[url \"file://"+clone+"\"]\n\tinsteadOf = "+address+"\n", 0o600)
	for _, args := range [][]string{
		{"plugin", "marketplace", "add", address + "#released"},
		{"plugin", "install", "hooks@hooks"},
	} {
		cmd := w.command(context.Background())
		cmd.Args = append(cmd.Args[:1], args...)
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("claude %v: %v\n%s", args, err, out)
		}
	}
	w.Headless("/sdd:work --loop --max-iterations 1")
	if lines := w.History("work"); len(lines) != 1 || lines[0].Outcome == "errored" {
		t.Errorf("the lines are %+v", lines)
	}
}

// source makes a repository of the files that are tracked here, as they are now.
func (w *World) source(dir string) {
	w.t.Helper()
	list := exec.Command("git", "ls-files", "-co", "--exclude-standard")
	list.Dir = repository()
	out, err := list.Output()
	if err != nil {
		w.t.Fatal(err)
	}
	for name := range strings.FieldsSeq(string(out)) {
		from := filepath.Join(repository(), name)
		if info, err := os.Stat(from); err == nil {
			w.copy(from, filepath.Join(dir, name), info.Mode().Perm())
		}
	}
	w.git(dir, "init", "--quiet", "--initial-branch=main")
	w.git(dir, "add", ".")
	w.git(dir, "commit", "--quiet", "-m", "source")
}
