package store

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"hooks/internal/loop"
)

func TestUnknownFieldsAreKept(t *testing.T) {
	strange := `"x*y":1,"a.0":[1,{"b":-2}],"@this":"é\u00e9","":1e400,"#":"|","nested":{"run_id":"z"},"tokens\u005fout2":1.10`
	s := newStore(t)
	put(t, s, "work.budget.json", strings.Replace(specBudget, "{", "{"+strange+",", 1))
	for range 2 {
		ok(t, s.saveBudget("", budget()))
	}
	var got map[string]json.RawMessage
	ok(t, json.Unmarshal([]byte(content(t, s, "work.budget.json")), &got))
	for key, want := range map[string]string{"x*y": "1", "@this": `"é\u00e9"`, "": "1e400",
		"#": `"|"`, "tokens_out2": "1.10"} {
		same(t, "field "+key, string(got[key]), want)
	}
	var list []any
	ok(t, json.Unmarshal(got["a.0"], &list))
	same(t, "list", list, []any{1.0, map[string]any{"b": -2.0}})
	st, err := s.Load("work")
	ok(t, err)
	same(t, "run", st.Budget.RunID, "run-1")
}

func TestWrittenAsPeopleReadIt(t *testing.T) {
	s := newStore(t)
	b := budget()
	b.PRsTouched = nil
	ok(t, s.saveBudget("", b))
	got := content(t, s, "work.budget.json")
	holds(t, "budget", got, `"prs_touched": []`)
	holds(t, "budget", got, `"command": "/sdd:work <&> x"`)
	holds(t, "budget", got, "\n  \"max_dollars\": 25,\n")
	if !strings.HasSuffix(got, "\n}\n") {
		t.Errorf("budget ends in %q", got[len(got)-5:])
	}
	same(t, "the caller's own value", b.PRsTouched, []string(nil))
}

func TestAnotherRunsBudgetIsNotReplaced(t *testing.T) {
	s := newStore(t)
	ok(t, s.saveBudget("", budget()))
	before := content(t, s, "work.budget.json")
	other := budget()
	other.RunID = "run-2"
	if err := s.saveBudget("", other); !errors.Is(err, errOtherRun) {
		t.Errorf("error is %v", err)
	}
	same(t, "budget", content(t, s, "work.budget.json"), before)
}

func TestNothingUnreadableIsWritten(t *testing.T) {
	s := newStore(t)
	for name, change := range map[string]func(*loop.Budget){
		"huge":     func(b *loop.Budget) { b.Flags = strings.Repeat("x", maxState) },
		"no skill": func(b *loop.Budget) { b.Skill = "" },
	} {
		b := budget()
		change(b)
		if err := s.saveBudget("", b); err == nil {
			t.Errorf("%s: saved", name)
		}
	}
	same(t, "files", files(t, s), []string{})
}

func TestBudgetFile(t *testing.T) {
	s := newStore(t)
	outside := t.TempDir()
	for name, p := range map[string]string{
		"in the project": "b.json", "absolute": filepath.Join(outside, "b.json"),
		"beside the others": ".sdd/loop/mine.json",
	} {
		t.Run(name, func(t *testing.T) {
			ok(t, s.saveBudget(p, budget()))
			st, err := s.Load("work")
			ok(t, err)
			same(t, "path", st.BudgetPath, p)
			same(t, "run", st.Budget.RunID, "run-1")
			ok(t, s.saveBudget(p, at(1)))
			same(t, "default", must(s.run("work", "")).Budget, nil)
		})
	}
	info, err := os.Stat(filepath.Join(outside, "b.json"))
	ok(t, err)
	same(t, "mode", info.Mode().Perm().String(), "-rw-------")
	// the default by its full name
	ok(t, s.saveBudget(filepath.Join(s.project, Dir, "work.budget.json"), at(2)))
	same(t, "files", files(t, s), []string{"mine.json", "work.budget.json"})
}

// TestBudgetFileIsNobodyElses: --budget-file is typed by people and models; a file that is no
// budget stays as it is.
func TestBudgetFileIsNobodyElses(t *testing.T) {
	s := newStore(t)
	foreign := filepath.Join(s.project, "package.json")
	ok(t, os.WriteFile(foreign, []byte(`{"name":"x"}`), 0o644))
	_, err := s.run("work", "package.json")
	same(t, "missing", damaged(err).Missing, "started_at")
	if err := s.saveBudget("package.json", budget()); damaged(err) == nil {
		t.Errorf("saving says %v", err)
	}
	same(t, "the file", string(must(os.ReadFile(foreign))), `{"name":"x"}`)
	for _, p := range []string{
		".sdd/loop/work.lock", ".sdd/loop/work.history.jsonl", ".sdd/loop/review.budget.json",
		".sdd/loop/.guard",
		".sdd/loop/work.tick.json", "../none/b.json",
	} {
		if err := s.saveBudget(p, budget()); err == nil {
			t.Errorf("budget saved at %s", p)
		}
	}
	if err := s.saveBudget("two\nlines.json", budget()); err == nil {
		t.Error("budget saved under two lines")
	}
	same(t, "files", files(t, s), []string{})
}

func TestRemove(t *testing.T) {
	s := newStore(t)
	ok(t, s.saveTick(tick(1)))
	ok(t, s.saveClaim(&loop.Claim{Skill: "work", SessionID: "s", PromptID: "p", Since: noon}))
	for range 2 { // removing what is gone is fine
		_, err := (&Tx{s}).Commit(&State{Skill: "work"}, loop.Save{DropTick: true, DropClaim: true})
		ok(t, err)
	}
	same(t, "files", files(t, s), []string{})
}
