package event

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"unicode/utf16"

	"github.com/google/go-cmp/cmp"
	"github.com/tidwall/gjson"
	"pgregory.net/rapid"

	"hooks/internal/codec"
	"hooks/internal/loop"
	"hooks/internal/term"
)

// output is the client's schema for a synchronous answer, as far as the program uses it: unknown
// members anywhere are an error here.
type output struct {
	Decision           *string `json:"decision"`
	Reason             *string `json:"reason"`
	SystemMessage      *string `json:"systemMessage"`
	HookSpecificOutput *struct {
		HookEventName            string  `json:"hookEventName"`
		PermissionDecision       *string `json:"permissionDecision"`
		PermissionDecisionReason *string `json:"permissionDecisionReason"`
		AdditionalContext        *string `json:"additionalContext"`
		UpdatedInput             *struct {
			Questions []struct {
				Question    string `json:"question"`
				Header      string `json:"header"`
				MultiSelect bool   `json:"multiSelect"`
				Options     []struct {
					Label       string `json:"label"`
					Description string `json:"description"`
				} `json:"options"`
			} `json:"questions"`
		} `json:"updatedInput"`
		Decision *struct {
			Behavior     string `json:"behavior"`
			UpdatedInput struct {
				Questions json.RawMessage   `json:"questions"`
				Answers   map[string]string `json:"answers"`
			} `json:"updatedInput"`
		} `json:"decision"`
	} `json:"hookSpecificOutput"`
}

var (
	blocking = []string{Stop, SubagentStop, UserPromptSubmit, UserPromptExpansion, ConfigChange}
	specific = []string{PreToolUse, PostToolUse, PostToolUseFailure, UserPromptSubmit,
		UserPromptExpansion, SessionStart, Stop, SubagentStop, PermissionRequest}
)

// checkOutput holds an answer against the client's parsing rules and output schema.
func checkOutput(name string, raw []byte) (output, error) {
	var out output
	if len(raw) == 0 {
		return out, nil
	}
	if raw[0] != '{' || raw[len(raw)-1] != '}' {
		return out, fmt.Errorf("does not begin and end with a brace")
	}
	dec := json.NewDecoder(bytes.NewReader(raw))
	dec.DisallowUnknownFields()
	if err := dec.Decode(&out); err != nil {
		return out, err
	}
	if dec.More() {
		return out, fmt.Errorf("more than one value")
	}
	return out, checkMembers(name, out)
}

func checkMembers(name string, out output) error {
	if out.Decision != nil &&
		(*out.Decision != "block" || !slices.Contains(blocking, name) || out.Reason == nil) {
		return fmt.Errorf("decision %q without a reason or on %s", *out.Decision, name)
	}
	for _, text := range []*string{out.Reason, out.SystemMessage} {
		if text != nil && len(utf16.Encode([]rune(*text))) >= 10000 {
			return fmt.Errorf("a text of %d units", len(utf16.Encode([]rune(*text))))
		}
	}
	h := out.HookSpecificOutput
	if h == nil {
		return nil
	}
	switch {
	case !slices.Contains(specific, name):
		return fmt.Errorf("%s accepts no hookSpecificOutput", name)
	case (name == PermissionRequest) != (h.Decision != nil):
		return fmt.Errorf("an answer on %s", name)
	case h.HookEventName != name:
		return fmt.Errorf("hookEventName is %q", h.HookEventName)
	case name != PreToolUse &&
		(h.PermissionDecision != nil || h.PermissionDecisionReason != nil || h.UpdatedInput != nil):
		return fmt.Errorf("a permission on %s", name)
	case h.PermissionDecision != nil &&
		!slices.Contains([]string{"deny", "ask"}, *h.PermissionDecision):
		return fmt.Errorf("permissionDecision %q", *h.PermissionDecision)
	case h.UpdatedInput != nil &&
		(len(h.UpdatedInput.Questions) == 0 || len(h.UpdatedInput.Questions) > 4):
		return fmt.Errorf("%d questions", len(h.UpdatedInput.Questions))
	case (name == Stop || name == SubagentStop) && h.AdditionalContext != nil &&
		out.Decision == nil:
		return fmt.Errorf("context without a block would continue the turn")
	}
	for _, text := range []*string{h.AdditionalContext, h.PermissionDecisionReason} {
		if text != nil && len(utf16.Encode([]rune(*text))) >= 10000 {
			return fmt.Errorf("a text of %d units", len(utf16.Encode([]rune(*text))))
		}
	}
	return nil
}

var gateQuestion = Question{
	Question: "Backlog changed. Re-propose, continue, or stop?", Header: "Backlog",
	Options: []loop.Option{{Label: "re-propose", Description: "plan again"},
		{Label: "continue", Description: "with the old plan"},
		{Label: "stop", Description: "halt \"now\""}},
}

// Every reply on every event, written out; the files are what the client gets.
func TestEncodedReplies(t *testing.T) {
	replies := []struct {
		name string
		r    Reply
	}{
		{"nothing", Reply{}},
		{"block", Block("line one\nline <two>")},
		{"deny", Deny("merge of PR #142 is not approved")},
		{"ask", Ask(gateQuestion)},
		{"context", Reply{}.Context("status").Context("how to report")},
		{"say", Reply{}.Say("iteration 2 of 5")},
		{"block context say", Block("why").Context("more").Say("seen")},
		{"deny context say", Deny("why").Context("more").Say("seen")},
		{"ask say", Ask(gateQuestion, gateQuestion).Say("seen")},
		{"answer", AnswerDialog([]Question{gateQuestion},
			map[string]string{gateQuestion.Question: "stop"})},
	}
	for _, name := range eventNames() {
		var b strings.Builder
		for _, c := range replies {
			raw := c.r.Encode(name)
			if _, err := checkOutput(name, raw); err != nil {
				t.Errorf("%s on %s: %v: %s", c.name, name, err, raw)
			}
			fmt.Fprintf(&b, "%s: %s\n", c.name, raw)
		}
		golden(t, "replies/"+name+".txt", b.String())
	}
}

func eventNames() []string {
	var names []string
	for _, w := range Words {
		names = append(names, w.Name)
	}
	return append(names, "Notification", "EventOfTomorrow")
}

// Whatever is put together, the client accepts it, and no text that fits is lost.
func TestAnyReplyIsAccepted(t *testing.T) {
	text := rapid.OneOf(rapid.String(), rapid.Map(rapid.IntRange(0, 30000), func(n int) string {
		return strings.Repeat("é🙂\n", n/3)
	}))
	rapid.Check(t, func(t *rapid.T) {
		reason, context, say := text.Draw(t, "reason"), text.Draw(t, "context"), text.Draw(t, "say")
		r := rapid.SampledFrom([]Reply{Reply{}, Block(reason), Deny(reason), Ask(),
			Ask(Question{Question: reason})}).Draw(t, "reply")
		name := rapid.SampledFrom(eventNames()).Draw(t, "event")
		raw := r.Context(context).Say(say).Encode(name)
		out, err := checkOutput(name, raw)
		if err != nil {
			t.Fatalf("%v: %s", err, codec.Clip(string(raw)))
		}
		reason, say = term.Text(reason), term.Text(say) // what a terminal would act on is dropped
		if all := heard(out); r.Blocks() && len(reason) < 1000 && !strings.Contains(all, reason) {
			t.Fatalf("the reason %q is lost in %s", reason, codec.Clip(string(raw)))
		} else if len(say) < 1000 && len(reason) < 1000 && !strings.Contains(all, say) {
			t.Fatalf("the message %q is lost in %s", say, codec.Clip(string(raw)))
		}
	})
}

// heard is every text of an answer.
func heard(out output) string {
	var all []string
	add := func(p *string) {
		if p != nil {
			all = append(all, *p)
		}
	}
	add(out.Reason)
	add(out.SystemMessage)
	if h := out.HookSpecificOutput; h != nil {
		add(h.PermissionDecisionReason)
		add(h.AdditionalContext)
	}
	return strings.Join(all, "\x00")
}

func TestRefusalsRefuse(t *testing.T) {
	for _, name := range blocking {
		if out, _ := checkOutput(name, Block("why").Encode(name)); out.Decision == nil ||
			*out.Reason != "why" {
			t.Errorf("a block on %s does not block", name)
		}
	}
	for _, r := range []Reply{Deny("why"), Block("why")} {
		out, _ := checkOutput(PreToolUse, r.Encode(PreToolUse))
		if h := out.HookSpecificOutput; h == nil || *h.PermissionDecision != "deny" ||
			*h.PermissionDecisionReason != "why" {
			t.Errorf("%+v on PreToolUse does not deny", r)
		}
	}
	// A denial must never turn into "keep working".
	if out, _ := checkOutput(Stop, Deny("why").Encode(Stop)); out.Decision != nil ||
		*out.SystemMessage != "why" {
		t.Error("a denial on Stop blocks")
	}
}

func TestAskedQuestionsArriveUnchanged(t *testing.T) {
	five := []Question{gateQuestion, {Question: "b?", Multiple: true},
		{Question: "c.*#?", Options: []loop.Option{{Label: "0", Description: "|@"}}},
		gateQuestion, gateQuestion}
	raw := Ask(five...).Encode(PreToolUse)
	out, err := checkOutput(PreToolUse, raw)
	if err != nil {
		t.Fatal(err)
	}
	var got []Question
	for _, q := range out.HookSpecificOutput.UpdatedInput.Questions {
		back := Question{Question: q.Question, Header: q.Header, Multiple: q.MultiSelect}
		for _, o := range q.Options {
			back.Options = append(back.Options,
				loop.Option{Label: o.Label, Description: o.Description})
		}
		got = append(got, back)
	}
	if diff := cmp.Diff(five[:4], got); diff != "" {
		t.Error(diff)
	}
}

func TestCut(t *testing.T) {
	lines := strings.Repeat(strings.Repeat("x", 99)+"\n", 200)
	got := cut(lines)
	if body, ok := strings.CutSuffix(got, "\n… (cut)"); !ok || len(body)%100 != 99 ||
		len(body) < 9700 {
		t.Errorf("not cut at a line's end: %d bytes, ends %q", len(got), got[len(got)-20:])
	}
	if one := cut(strings.Repeat("x", 20000)); !strings.HasSuffix(one, "x\n… (cut)") ||
		len(one) > 9900 {
		t.Errorf("one long line: %d bytes", len(one))
	}
	if pairs := cut(strings.Repeat("🙂", 6000)); len(utf16.Encode([]rune(pairs))) > 9900 {
		t.Error("longer than the client passes on")
	}
	if fits := strings.Repeat("é", 4950); cut(fits) != fits {
		t.Error("a text that fits was cut")
	}
}

// A refusal wins over an answer that lets the call through, in either order. Its texts remain.
func TestAndRefuses(t *testing.T) {
	asked := Ask(Question{Header: "Gate 2", Question: "Merge?",
		Options: []loop.Option{{Label: "yes"}}})
	sent := Send(gjson.Parse(`{"description":"x"}`), "", "work").Say("kept")
	for _, let := range []Reply{asked, sent} {
		for _, r := range []Reply{let.And(Deny("no")), Deny("no").And(let)} {
			if !r.Blocks() || r.Reason != "no" || r.Said != let.Said {
				t.Errorf("%+v", r)
			}
		}
	}
	if r := Deny("first").And(Deny("second")); r.Reason != "first" {
		t.Errorf("%+v", r)
	}
}

// The bell goes beside everything else, on every event, and alone it is a reply.
func TestRing(t *testing.T) {
	for _, w := range Words {
		if got := string(Reply{Ring: true}.Encode(w.Name)); got != `{"terminalSequence":"\u0007"}` {
			t.Errorf("%s: %s", w.Name, got)
		}
	}
	if r := Block("x").And(Reply{Ring: true}); !strings.Contains(string(r.Encode(Stop)),
		`"decision":"block"`) || !strings.Contains(string(r.Encode(Stop)), "terminalSequence") {
		t.Errorf("%s", r.Encode(Stop))
	}
}
