package store

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"hooks/internal/codec"
	"hooks/internal/loop"
)

func TestNothingIsNothing(t *testing.T) {
	st, err := newStore(t).Load("work")
	ok(t, err)
	same(t, "state", st, State{Skill: "work", BudgetPath: ".sdd/loop/work.budget.json"})
}

func TestSpecFilesLoad(t *testing.T) {
	s := newStore(t)
	put(t, s, "work.budget.json", specBudget)
	put(t, s, "work.lock", specLock)
	st, err := s.Load("work")
	ok(t, err)
	same(t, "budget", *st.Budget, loop.Budget{
		Version: 1, Skill: "work", Status: loop.Active, StartedAt: noon,
		Ceilings: loop.Ceilings{Iterations: 5, PRs: 3, Minutes: 120,
			Dollars: 1250 * loop.Cent},
		IterationsUsed: 2, PRsTouched: []string{"#7"}, CommentsPushed: 4, MergesAttempted: 1,
		MinutesElapsed: 33,
		TokensIn:       100, TokensOut: 20, AgentsDispatched: 3, DollarsEstimate: 125 * loop.Cent,
		RateTableSource: "built-in",
	})
	same(t, "lock", st.Lock.PID, 12345)
	same(t, "iteration", st.Lock.Iteration, 3)
}

func TestMissingBudgetField(t *testing.T) {
	for _, name := range budgetFormat.needs {
		var all map[string]any
		ok(t, json.Unmarshal([]byte(specBudget), &all))
		delete(all, name)
		s := newStore(t)
		put(t, s, "work.budget.json", string(must(json.Marshal(all))))
		st, err := s.Load("work")
		want := "Budget file at .sdd/loop/work.budget.json is missing required field " + name +
			" — refusing to load. " +
			"Delete the file to start a fresh run, or restore the missing field manually."
		same(t, "error", errText(damaged(err)), want)
		same(t, "budget", st.Budget, nil)
	}
	same(t, "required fields (R109)", len(budgetFormat.needs), 16)
}

func TestDamage(t *testing.T) {
	with := func(old, new string) string { return strings.Replace(specBudget, old, new, 1) }
	tests := map[string]struct{ file, text, why string }{
		"empty":         {"work.budget.json", "", "it is empty"},
		"torn":          {"work.budget.json", specBudget[:200], "not valid JSON"},
		"zeros":         {"work.budget.json", string(make([]byte, 600)), "not valid JSON"},
		"trailing text": {"work.budget.json", specBudget + "x", "not valid JSON"},
		"a list":        {"work.budget.json", "[]", "not a JSON object"},
		"string for number": {"work.budget.json", with(`"tokens_in":100`, `"tokens_in":"100"`),
			`tokens_in has the wrong type: "100"`},
		"null counter": {"work.budget.json",
			with(`"iterations_used":2`, `"iterations_used":null`), "iterations_used is null"},
		"half an iteration": {"work.budget.json",
			with(`"iterations_used":2`, `"iterations_used":2.5`), "iterations_used"},
		"number for list": {"work.budget.json", with(`["#7"]`, `7`),
			"prs_touched has the wrong type: 7"},
		"field twice": {"work.budget.json", with(`{`, `{"tokens_in":0,`),
			`key "tokens_in" appears twice`},
		"other case": {"work.budget.json", with(`"tokens_in"`, `"Tokens_In"`),
			"field tokens_in is missing"},
		"no time": {"work.budget.json", with(`2026-05-09T12:00:00Z`, `yesterday`),
			"yesterday"},
		"unknown status": {"work.budget.json", with(`{`, `{"status":"bored",`), `"bored"`},
		"another skill's": {"work.budget.json", with(`{`, `{"skill":"review",`),
			`skill "review", not "work"`},
		"no version":     {"work.budget.json", with(`{`, `{"version":"1",`), `version "1"`},
		"half a version": {"work.budget.json", with(`{`, `{"version":1.5,`), "version 1.5"},
		"huge": {"work.budget.json",
			with(`{`, `{"x":"`+strings.Repeat("x", maxState)+`",`), "over 1 MiB"},
		"lock without pid": {"work.lock", strings.Replace(specLock, "pid", "pad", 1),
			"field pid is missing"},
		"lock, pid a string": {"work.lock", strings.Replace(specLock, "12345", `"12345"`, 1),
			`pid has the wrong type: "12345"`},
		"lock, empty":        {"work.lock", "", "it is empty"},
		"tick without run":   {"work.tick.json", `{"version":1}`, "field run_id is missing"},
		"claim, torn":        {"work.claim.json", `{"session_id":"s"`, "not valid JSON"},
		"pointer, two lines": {"work.budget-file", "a\nb\n", "not a single line"},
		"pointer, empty":     {"work.budget-file", "", "not a single line"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			s := newStore(t)
			put(t, s, tt.file, tt.text)
			_, err := s.Load("work")
			d := damaged(err)
			if d == nil {
				t.Fatalf("error is %v", err)
			}
			holds(t, "error", d.Why, tt.why)
			same(t, "path", d.Path, ".sdd/loop/"+tt.file)
			same(t, "the file", content(t, s, tt.file), tt.text)
		})
	}
	t.Run("a folder", func(t *testing.T) {
		s := newStore(t)
		ok(t, os.Mkdir(path(s, "work.tick.json"), 0o700))
		_, err := s.Load("work")
		holds(t, "error", errText(err), "not a regular file")
	})
}

// TestDamageLeavesTheRestReadable: a loop whose tick is damaged still has its lock, by which others
// are told.
func TestDamageLeavesTheRestReadable(t *testing.T) {
	s := newStore(t)
	put(t, s, "work.tick.json", "{")
	put(t, s, "work.lock", specLock)
	put(t, s, "work.budget.json", specBudget)
	st, err := s.Load("work")
	if damaged(err) == nil || st.Lock == nil || st.Budget == nil || st.Tick != nil {
		t.Errorf("%v, %+v", err, st)
	}
}

func TestNewerIsNeverRewritten(t *testing.T) {
	s := newStore(t)
	for _, name := range []string{"work.budget.json", "work.tick.json", "work.claim.json",
		"work.lock"} {
		put(t, s, name, `{"version":2}`)
	}
	put(t, s, "work.history.jsonl", `{"version":2}`+"\n")
	_, err := s.Load("work")
	same(t, "version", newer(err).Version, 2)
	holds(t, "error", err.Error(), "upgrade hooks")
	_, aerr := s.appendHistory(line(1))
	_, qerr := s.Acquire("work", *lock(1))
	claim := &loop.Claim{Skill: "work", SessionID: "s", PromptID: "p", Since: noon}
	for what, err := range map[string]error{
		"budget": s.saveBudget("", budget()), "tick": s.saveTick(tick(1)),
		"claim": s.saveClaim(claim), "history": aerr, "lock": qerr,
	} {
		if newer(err) == nil {
			t.Errorf("saving the %s: %v", what, err)
		}
	}
	for _, name := range files(t, s) {
		same(t, name, strings.TrimSpace(content(t, s, name)), `{"version":2}`)
	}
}

// TestRoundTrip: whatever is saved is loaded again, the same.
func TestRoundTrip(t *testing.T) {
	s := newStore(t)
	rapid.Check(t, func(rt *rapid.T) {
		b := rapid.MakeCustom[loop.Budget](Values()).Draw(rt, "budget")
		tk := rapid.MakeCustom[loop.Tick](Values()).Draw(rt, "tick")
		c := rapid.MakeCustom[loop.Claim](Values()).Draw(rt, "claim")
		b.Version, tk.Version, c.Version = 1, 1, 1
		for _, name := range files(t, s) {
			ok(t, os.Remove(path(s, name)))
		}
		if err := firstError(s.saveBudget("", &b), s.saveTick(&tk), s.saveClaim(&c)); err != nil {
			rt.Fatal(err)
		}
		st, err := s.Load("work")
		if err != nil {
			rt.Fatal(err)
		}
		if d := cmp.Diff([]any{&b, &tk, &c}, []any{st.Budget, st.Tick, st.Claim}, sameTime,
			emptyIsNil); d != "" {
			rt.Fatal(d)
		}
	})
}

func firstError(errs ...error) error {
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}

// A required field that its struct does not have could not be checked.
func TestRequiredFieldsAreFields(t *testing.T) {
	for _, f := range []format{budgetFormat, tickFormat, lockFormat, claimFormat, lineFormat} {
		for _, name := range f.needs {
			if codec.Position(codec.Fields(f.of), name, 0) < 0 {
				t.Errorf("%v has no field %s", f.of, name)
			}
		}
	}
}

func FuzzDecode(f *testing.F) {
	f.Add([]byte(specBudget))
	f.Add([]byte(specLock))
	f.Add([]byte(`{"version":1e99,"pid":-0,"a\u0062":1}`))
	dir := filepath.Join("testdata", "none")
	f.Fuzz(func(t *testing.T, body []byte) {
		if b, err := decodeBudget(dir, "work", body); err == nil {
			again, err := codec.Encode(*b)
			if err != nil {
				t.Fatalf("%s cannot be written again: %v", body, err)
			}
			if _, err := decodeBudget(dir, "work",
				keep(again, body, &budgetFormat)); err != nil {
				t.Fatalf("%s is not read again: %v", again, err)
			}
		}
		if lockFormat.check(dir, body) == nil {
			_, _ = parse[loop.Lock](dir, body)
		}
		if tickFormat.check(dir, body) == nil {
			_, _ = parse[loop.Tick](dir, body)
		}
		if claimFormat.check(dir, body) == nil {
			_, _ = parse[loop.Claim](dir, body)
		}
		_, _ = parseLine(dir, body)
	})
}
