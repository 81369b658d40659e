package store

import (
	"bytes"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"hooks/internal/codec"
	"hooks/internal/loop"
)

// TestSkimSaysWhatReadingSays: of any line that this program writes, also in another form.
func TestSkimSaysWhatReadingSays(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		it := rapid.MakeCustom[loop.Iteration](Values()).Draw(rt, "line")
		body := bytes.TrimSpace(must((&Store{disk: disk{shown: Dir}}).lineOf(&it, nil)))
		odd := bytes.Replace(body, []byte(`,"budget_snapshot":`), []byte(`, "budget_snapshot":`), 1)
		for _, text := range [][]byte{body, odd} {
			want, err := parseLine("x", text)
			if err != nil {
				rt.Fatal(err)
			}
			var got loop.Iteration
			if err := (RawLine{JSON: text}).Skim(&got); err != nil {
				rt.Fatal(err)
			}
			for _, l := range []*loop.Iteration{&got, want} {
				if l.Outcome != loop.Stopped {
					l.Budget = loop.Budget{}
				}
				l.Budget = loop.Budget{IterationsUsed: l.Budget.IterationsUsed,
					DollarsOutside: l.Budget.DollarsOutside}
				l.TrackedPRs, l.Worktrees = nil, nil
			}
			if diff := cmp.Diff(want, &got, cmpopts.EquateEmpty()); diff != "" {
				rt.Fatal(diff)
			}
		}
	})
}

// TestSkimFindsWhatCrashesLeave: a line is damage wherever it was cut, zeroed or joined to another.
func TestSkimFindsWhatCrashesLeave(t *testing.T) {
	good := string(must(codec.Encode(line(1))))
	for i := range len(good) {
		zeros := good[:i] + strings.Repeat("\x00", min(8, len(good)-i)) + good[min(len(good), i+8):]
		texts := map[string]string{"cut": good[:i], "zeros": zeros}
		if i > 0 {
			texts["joined"] = good[:i] + good
		}
		for name, text := range texts {
			if err := (RawLine{JSON: []byte(text)}).Skim(new(loop.Iteration)); damaged(err) == nil {
				t.Errorf("%s at %d is no damage: %v: %s", name, i, err, text)
			}
		}
	}
	for from, to := range map[string]string{
		`"outcome":"ok",`: ``, `"iteration":1,`: `"iteration":"1",`,
		`"tokens_in_this_iter":0`: `"tokens_in_this_iter":-1`,
		`"skill":"work",`:         `"skill":"work","skill":"work",`,
		`,"failures":`:            `,"usage_by_model":{"m":{"input":-1}},"failures":`,
	} {
		text := strings.Replace(good, from, to, 1)
		if text == good {
			t.Fatalf("no %s in %s", from, good)
		}
		if err := (RawLine{JSON: []byte(text)}).Skim(new(loop.Iteration)); damaged(err) == nil {
			t.Errorf("%s instead of %s is no damage: %v", to, from, err)
		}
	}
	text := strings.Replace(good, `"version":1`, `"version":9`, 1)
	if err := (RawLine{JSON: []byte(text)}).Skim(new(loop.Iteration)); newer(err) == nil {
		t.Errorf("a newer line: %v", err)
	}
}

// FuzzSkim: no text makes it fail, and what reading takes it takes too.
func FuzzSkim(f *testing.F) {
	good := must(codec.Encode(line(1)))
	f.Add(good)
	f.Add(append(good[:200:200], good...))
	for _, later := range []string{`"tracked_prs":[],"x":1},"tracked_prs":[`,
		`"x":1},"tracked_prs":[{"gates":[]}],"x":[`} { // fields of a later version
		text := bytes.Replace(good, []byte(`},"tracked_prs":[`), []byte(`,"y":{},`+later), 1)
		if _, err := parseLine("x", text); err != nil {
			f.Error(err)
		}
		f.Add(text)
	}
	f.Add([]byte(`{"budget_snapshot":{"version":1},"tracked_prs":[`))
	f.Add([]byte(`x,"budget_snapshot":{"version":},"tracked_prs":[}`))
	f.Fuzz(func(t *testing.T, text []byte) {
		text = bytes.TrimSpace(text)
		if len(text) == 0 {
			return
		}
		err := (RawLine{JSON: text}).Skim(new(loop.Iteration))
		if _, full := parseLine("x", text); full == nil && err != nil {
			t.Fatal(err)
		}
	})
}
