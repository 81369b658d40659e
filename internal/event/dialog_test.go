package event

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/tidwall/gjson"

	"hooks/internal/guard/effect"
	"hooks/internal/loop"
)

func dialogEvent(t *testing.T, name, input, response string) Event {
	t.Helper()
	in := fmt.Sprintf(
		`{"session_id":"s","hook_event_name":%q,"tool_name":"AskUserQuestion","tool_input":%s,"tool_response":%s}`, name, input, response)
	word := wordOf(name)
	e, err := Read(word, strings.NewReader(in))
	if err != nil {
		t.Fatal(err)
	}
	return e
}

// answers returns answers given as questions and texts in turn.
func answers(words ...string) (a loop.Answers) {
	for i := 0; i < len(words); i += 2 {
		a.List = append(a.List, loop.DialogAnswer{Question: words[i], Text: words[i+1]})
	}
	return a
}

func TestAnswers(t *testing.T) {
	for _, c := range []struct {
		name, response string
		want           loop.Answers
	}{
		{"in order, odd keys", `{"answers":{"z|@this.#?":"b","a":"free \"text\""}}`,
			answers("z|@this.#?", "b", "a", `free "text"`)},
		{"no one was there", `{"answers":{"q":"continue"},"afkTimeoutMs":60000}`,
			loop.Answers{AFK: true, List: answers("q", "continue").List}},
		{"marks by question",
			`{"answers":{"q":"","r":"x","s":"y","t":"z"},"annotations":{"q":{"unanswered":"skipped"},"r":{"notes":"n"},"s":{"unanswered":true},"t":{"unanswered":false}}}`,
			answers("r", "x", "t", "z")},
		{"no answers", `{"questions":[]}`, loop.Answers{}},
		{"marks of another shape", `{"answers":{"q":"x"},"annotations":["q"]}`, loop.Answers{}},
		{"an answer of another type", `{"answers":{"q":1,"r":"x"}}`,
			answers("r", "x")},
		{"a string that looks like one", `"{\"answers\":{\"q\":\"merge\"}}"`, loop.Answers{}},
		{"an array", `[{"answers":{"q":"merge"}}]`, loop.Answers{}},
	} {
		got := dialogEvent(t, PostToolUse, `{"answers":{"q":"x"}}`, c.response).Answers()
		got.Input = ""
		if diff := cmp.Diff(c.want, got); diff != "" {
			t.Errorf("%s: %s", c.name, diff)
		}
	}
}

func TestForgedAnswers(t *testing.T) {
	for input, want := range map[string]bool{
		`{"questions":[]}`:                            false,
		`{"questions":[],"answers":null}`:             false,
		`{"questions":[],"answers":{}}`:               true,
		`{"questions":[],"answers":{"q":"merge"}}`:    true,
		`{"questions":[],"\u0061nswers":{"q":"yes"}}`: true,
	} {
		e := dialogEvent(t, PreToolUse, input, "null")
		if e.Forged() != want || e.Answers().List != nil {
			t.Errorf("%s: forged is %v, the answers are %v", input, e.Forged(), e.Answers())
		}
	}
}

// Another tool with the same members is no dialog.
func TestOnlyTheDialogAnswers(t *testing.T) {
	in := `{"session_id":"s","hook_event_name":"PostToolUse","tool_name":"mcp__x__AskUserQuestion","tool_input":{"questions":[{"question":"q"}],"skill":"work","command":"ls"},"tool_response":{"answers":{"q":"merge"}}}`
	e, err := Read("post-tool-use", strings.NewReader(in))
	if err != nil {
		t.Fatal(err)
	}
	if name, _ := e.Skill(); name != "" || e.Answers().List != nil {
		t.Errorf("read as a dialog: %+v", e.Answers())
	}
	if _, ok := e.ShellCommand(); ok {
		t.Error("read as a shell command")
	}
}

func TestFieldsBounds(t *testing.T) {
	deep := strings.Repeat(`{"k":`, 70) + `"merge"` + strings.Repeat("}", 70)
	wide := `{"a":[` + strings.Repeat("1,", 20_000) + `2]}`
	for _, input := range []string{deep, wide} {
		if list, whole := (Event{Input: gjson.Parse(input)}).Fields(); whole {
			t.Errorf("%.20s: the %d fields are said to be all", input, len(list))
		}
	}
	const input = `{"s":"x","n":1.50,"b":false,"z":null,` +
		`"e":{},"a":[],"o":{"p.q":[true,{"r":"\u0041"}]}}`
	list, whole := Event{Input: gjson.Parse(input)}.Fields()
	want := []effect.Field{}
	for _, f := range [][2]string{{"s", "x"}, {"n", "1.50"}, {"b", "false"}, {"z", ""},
		{"o.p.q.0", "true"}, {"o.p.q.1.r", "A"}} {
		want = append(want, effect.Field{Path: f[0], Value: f[1]})
	}
	if diff := cmp.Diff(want, list); diff != "" || !whole {
		t.Error(whole, diff)
	}
}
