package usage

import (
	"fmt"
	"strings"
	"testing"
)

func TestInterruptions(t *testing.T) {
	user := func(extra, content string) string {
		return `{"parentUuid":"p","isSidechain":false,` + extra +
			`"type":"user","message":{"role":"user","content":` + content + `}}`
	}
	tests := []struct {
		name, line string
		want       bool
	}{
		{"text block", user("", `[{"type":"text","text":"[Request interrupted by user]"}]`), true},
		{"for tool use",
			user("",
				`[{"type":"tool_result","content":"x"},{"type":"text","text":"[Request interrupted by user for tool use]"}]`), true},
		{"string", user("", `"[Request interrupted by user]"`), true},
		{"quoted in words", user("", `"why [Request interrupted by user]?"`), false},
		{"tool result",
			user("", `[{"type":"tool_result","content":"[Request interrupted by user]"}]`), false},
		{"assistant",
			strings.Replace(user("", `"[Request interrupted by user]"`), `"user","m`,
				`"assistant","m`,
				1), false},
		{"api request", `{"type":"api-request","x":` + user("", `"[Request interrupted by user]"`) +
			`}`, false},
		{"subagent's own",
			strings.Replace(user("", `"[Request interrupted by user]"`), "false", "true", 1),
			false},
	}
	for _, tt := range tests {
		tr := newTree(t)
		tr.add(tr.main, tt.line)
		tr.add(tr.agent("agent-1"), user("", `"[Request interrupted by user]"`))
		r := tr.count(nil)
		if r.Marked(nil, false) != tt.want {
			t.Errorf("%s: %v", tt.name, r.marks)
		}
		if again := tr.count(r.Cursors); again.Marked(nil, true) {
			t.Errorf("%s: told twice", tt.name)
		}
	}
}

func TestAnswersFromTheTranscript(t *testing.T) {
	got, err := Count("testdata/scheduled-with-gate.jsonl", nil, NewTable(nil))
	if err != nil {
		t.Fatal(err)
	}
	if a := got.Answers; len(a) != 1 || a[0].ID != "toolu_mock00040" ||
		a[0].Response.Get("answers").Raw != `{"Backlog changed?":"re-propose"}` {
		t.Errorf("answers %+v", a)
	}
	tr := newTree(t)
	dialog := `{"isSidechain":false,"type":"user","message":{"content":[{"type":"tool_result","tool_use_id":"toolu_%d"}]},"toolUseResult":%s}`
	tr.add(tr.main,
		fmt.Sprintf(dialog, 1,
			`{"questions":[{"question":"A?"}],"answers":{"A?":"yes"},"afkTimeoutMs":60000}`),
		fmt.Sprintf(dialog, 2, `"User rejected tool use, answers\": none"`),
		fmt.Sprintf(dialog, 3, `{"answers":["x"]}`),
	)
	const want = `{"questions":[{"question":"A?"}],"answers":{"A?":"yes"},"afkTimeoutMs":60000}`
	if a := tr.count(nil).Answers; len(a) != 1 || a[0].ID != "toolu_1" ||
		a[0].Response.Raw != want {
		t.Errorf("answers %+v", a)
	}
}
