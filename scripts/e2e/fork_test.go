//go:build e2e && linux

package e2e

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// A forked session's transcript begins with copies of the lines of the one before, marked by the
// session that made the requests. What they tell was spent before the run (R58, R59).
func TestAForkedSessionIsNotChargedForItsPast(t *testing.T) {
	w := newWorld(t, Worker{Usage: func(int) Usage {
		return Usage{Input: 900, Output: 700, CacheRead: 4000, CacheWrite5m: 300, CacheWrite1h: 200}
	}}.Say)
	w.Headless("tell me something")
	files, err := filepath.Glob(filepath.Join(w.Home, ".claude", "projects", "*", "*.jsonl"))
	if err != nil || len(files) != 1 {
		t.Fatalf("%d transcripts: %v", len(files), err)
	}
	session := strings.TrimSuffix(filepath.Base(files[0]), ".jsonl")
	w.Headless("/sdd:work --loop --max-dollars 0", "--resume", session, "--fork-session")
	if u := w.Budget("work").ByModel["claude-opus-5-5"]; u.Input != 910 || u.Output != 705 {
		t.Errorf("counted %+v, the run's two requests are of 10 and 900 tokens in", u)
	}
	files, _ = filepath.Glob(filepath.Join(filepath.Dir(files[0]), "*.jsonl"))
	copies := 0
	for _, f := range files {
		data, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		copies += strings.Count(string(data), `"requestSessionId":"`+session+`"`)
	}
	if len(files) != 2 || copies != 1 {
		t.Errorf("%d transcripts with %d copied requests", len(files), copies)
	}
}

// A skill that runs in a fork is asked there for the facts that it did not report; the main thread
// makes no request for them (R117, M10).
func TestAForkIsAskedForItsFacts(t *testing.T) {
	w := newWorld(t, func(r Request) Turn {
		asked := strings.Contains(r.All(), "hook feedback") && !r.main()
		switch {
		case asked && len(r.Calls()) == 0:
			return Turn{Calls: []Call{bash("hooks report <<'JSON'\n" + quiet + "\nJSON")}}
		case strings.Contains(r.All(), "Do one work iteration"):
			return Turn{Text: "the fork is done"}
		}
		return Turn{Text: "I hear you"}
	})
	w.spy()
	path := filepath.Join(w.Plugins[1], "skills", "work", "SKILL.md")
	w.write(path, strings.Replace(strings.ReplaceAll(skillHead, "%NAME%", "work"), "---\n",
		"---\ncontext: fork\nbackground: false\n", 1), 0o644)
	term := w.Interactive()
	term.Enter("/sdd:work --loop")
	lines := w.WaitHistory("work", 1, 45*time.Second)
	if lines[0].Outcome != "ok" {
		t.Errorf("the iteration is %+v", lines[0])
	}
	if !strings.Contains(w.read(".sdd/loop/work.history.jsonl"), `"plan":[143]`) {
		t.Errorf("nothing was reported: %s", w.read(".sdd/loop/work.history.jsonl"))
	}
	for _, r := range w.Model.Requests() {
		if !strings.Contains(r.All(), "Do one work iteration") {
			t.Errorf("the main thread was asked: %s", fmt.Sprint(r.Messages[len(r.Messages)-1]))
		}
	}
}
