package usage

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// What the real client recorded, told in order: prompts once each, calls with their results, the
// ends of turns.
func TestMomentsOfARecordedSession(t *testing.T) {
	var got []string
	for m, err := range Moments("testdata/scheduled-with-gate.jsonl") {
		if err != nil {
			t.Fatal(err)
		}
		switch m.Kind {
		case Prompted:
			got = append(got, fmt.Sprintf("prompt %.6s %s", m.Prompt, m.Origin))
		case Called:
			got = append(got, "call "+m.Tool)
		case Returned:
			got = append(got, fmt.Sprintf("result %v", m.Error == ""))
		case Fired:
			got = append(got, "fire "+m.Text)
		case TurnEnded:
			got = append(got, "end")
		}
	}
	want := []string{
		"prompt adeb0a human", "call ToolSearch", "result true", "call CronCreate", "result true",
		"call Skill", "result true",
		"call AskUserQuestion", "result true", "end",
	}
	for _, id := range []string{"9695e1", "8e5601", "7449ce"} {
		want = append(want, "fire /sdd:work --loop --max-iterations 5", "prompt "+id+" scheduled",
			"end")
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

// A failed call tells what the tool said; Esc tells whose turn it ended; lines that are no one's
// prompt are none.
func TestMomentsOfFailuresAndNoise(t *testing.T) {
	path := filepath.Join(t.TempDir(), "s.jsonl")
	text := strings.Join([]string{
		`{"type":"user","isMeta":true,"promptId":"a","message":{"content":"no prompt"}}`,
		`{"type":"user","isCompactSummary":true,"message":{"content":"no prompt"}}`,
		`{"type":"user","uuid":"u1","message":{"content":"an old client's prompt"}}`,
		`{"type":"user","promptId":"b","message":{"content":[{"type":"tool_result","tool_use_id":"t","is_error":true,"content":[{"type":"text","text":"Exit code 78"}]}]},"toolUseResult":"Error"}`,
		`{"type":"user","promptId":"b","message":{"content":[{"type":"text","text":"[Request interrupted by user]"}]}}`,
		`{"type":"api-request","message":{"content":"a copy of everything"}}`,
		`{"type":"queue-operation","operation":"enqueue","content":"waits"}`,
		`{"type":"queue-operation","operation":"remove","content":"reached the turn","reason":"absorbed_mid_turn"}`,
		`{"type":"user","promptId":"c","message":`,
	}, "\n")
	if err := os.WriteFile(path, []byte(text+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	var got []Moment
	for m, err := range Moments(path) {
		if err != nil {
			t.Fatal(err)
		}
		got = append(got,
			Moment{Kind: m.Kind, Prompt: strings.Clone(m.Prompt), Text: strings.Clone(m.Text),
				ID: strings.Clone(m.ID), Error: strings.Clone(m.Error)})
	}
	want := []Moment{
		{Kind: Prompted, Prompt: "u1", Text: "an old client's prompt"},
		{Kind: Returned, ID: "t", Error: "Exit code 78"},
		{Kind: Interrupted, Prompt: "b"},
		{Kind: Absorbed, Text: "reached the turn"},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestMomentsOfNoFile(t *testing.T) {
	n := 0
	for _, err := range Moments(t.TempDir()) { // a folder
		if n++; err == nil || !strings.Contains(err.Error(), "not a regular file") {
			t.Errorf("error %v", err)
		}
	}
	if n != 1 {
		t.Errorf("%d moments", n)
	}
}
