package attempt

import (
	"strings"
	"testing"
)

const token = "1.1-n11abc"

func TestReadClaim(t *testing.T) {
	for message, want := range map[string]Claim{
		"TASK_COMPLETE 1.1-n11abc":                                {Done: true},
		"All tests pass.\n\nTASK_COMPLETE 1.1-n11abc\n\n \n":      {Done: true},
		"Done.\r\nTASK_COMPLETE 1.1-n11abc\r\n":                   {Done: true},
		"**TASK_COMPLETE 1.1-n11abc**":                            {Done: true},
		"Ran it.\n`TASK_COMPLETE 1.1-n11abc`":                     {Done: true},
		"_TASK_COMPLETE 1.1-n11abc_":                              {Done: true},
		"```\ngo test\n```\nTASK_COMPLETE 1.1-n11abc":             {Done: true},
		"I will not say TASK_COMPLETE.\nTASK_COMPLETE 1.1-n11abc": {Done: true},
		"TASK_COMPLETE 1.0-n10abc\n\nTASK_COMPLETE 1.1-n11abc":    {Done: true},
		"- a\n- b\n\n**TASK_COMPLETE** `1.1-n11abc`":              {Done: true},

		"TASK_BLOCKED 1.1-n11abc the API key is missing": {
			Blocked: true, Why: "the API key is missing"},
		"TASK_BLOCKED 1.1-n11abc: no database": {Blocked: true, Why: "no database"},
		"**TASK_BLOCKED 1.1-n11abc**: no `psql`": {
			Blocked: true, Why: "no `psql`"},
		"**TASK_BLOCKED 1.1-n11abc:** no key": {Blocked: true, Why: "no key"},
		"TASK_BLOCKED 1.1-n11abc — no key":    {Blocked: true, Why: "no key"},
	} {
		if got, why := ReadClaim(message, token); got != want || why != "" {
			t.Errorf("%q: %+v, %q", message, got, why)
		}
	}
}

// No text that only resembles a claim is one, and each has its reason. An empty reason is for a
// message that does not name a claim at all.
func TestNearMisses(t *testing.T) {
	const (
		wrongToken = "does not have the token of this attempt"
		elsewhere  = "is not the whole last line"
	)
	for _, c := range []struct{ message, why string }{
		{"", ""},
		{"Done.", ""},
		{"The task is complete.", ""},
		{"1.1-n11abc", ""},
		{"TASK COMPLETE 1.1-n11abc", ""},
		{"TASK_COMPLETE", wrongToken},
		{"TASK_COMPLETE\n1.1-n11abc", elsewhere},
		{"TASK_COMPLETE:", wrongToken},
		{"TASK_COMPLETE 1.0-n10abc", wrongToken},
		{"TASK_COMPLETE 1.1-n11abcd", elsewhere},
		{"TASK_COMPLETE 1.1-n11ab", wrongToken},
		{"TASK_COMPLETE 1.1-N11ABC", wrongToken},
		{"TASK_COMPLETE 1.1-n11abc.", elsewhere},
		{"TASK_COMPLETE <token>", wrongToken},
		{"TASK_COMPLETE \"1.1-n11abc\"", elsewhere},
		{"TASK_COMPLETE\u00a01.1-n11abc", elsewhere},
		{"TASK_COMPLETE  1.1-n11abc", elsewhere},
		{"TASK_COMPLETE 1.1-n11abc!", elsewhere},
		{"TASK_COMPLETE 1.1-n11abc (all green)", elsewhere},
		{"TASK_COMPLETE 1.1-n11abc is what I will say", elsewhere},
		{"task_complete 1.1-n11abc", elsewhere},
		{"Task_Complete 1.1-n11abc", elsewhere},
		{"TASK_COMPLETED 1.1-n11abc", elsewhere},
		{"TASK\\_COMPLETE 1.1-n11abc", elsewhere},
		{"\u200bTASK_COMPLETE 1.1-n11abc", elsewhere},
		{"I will NOT output TASK_COMPLETE 1.1-n11abc yet", elsewhere},
		{"I will NOT output TASK_COMPLETE 1.1-n11abc", elsewhere},
		{"Done: TASK_COMPLETE 1.1-n11abc", elsewhere},
		{"- TASK_COMPLETE 1.1-n11abc", elsewhere},
		{"1. TASK_COMPLETE 1.1-n11abc", elsewhere},
		{"* TASK_COMPLETE 1.1-n11abc", elsewhere},
		{"- [x] TASK_COMPLETE 1.1-n11abc", elsewhere},
		{"| TASK_COMPLETE 1.1-n11abc |", elsewhere},
		{"\"TASK_COMPLETE 1.1-n11abc\"", elsewhere},
		{"~~TASK_COMPLETE 1.1-n11abc~~", elsewhere},
		{"[TASK_COMPLETE 1.1-n11abc](x)", elsewhere},
		{"<b>TASK_COMPLETE 1.1-n11abc</b>", elsewhere},
		{"TASK_COMPLETE 1.1-n11abc\n\nNow the next task.", elsewhere},
		{"TASK_COMPLETE 1.1-n11abc\n---", elsewhere},
		{"TASK_COMPLETE 1.1-n11abc\n\n---", elsewhere},
		{"TASK_COMPLETE 1.1-n11abc\nTASK_COMPLETE 1.2-n12abc", elsewhere},
		{"TASK_COMPLETE 1.1-n11abc\rTASK_COMPLETE 1.1-n11abc.", elsewhere},
		{"```\nTASK_COMPLETE 1.1-n11abc\n```", elsewhere},
		{"```\nTASK_COMPLETE 1.1-n11abc", elsewhere},
		{"~~~text\nTASK_COMPLETE 1.1-n11abc\n~~~\n", elsewhere},
		{"````\n```\n````x\nTASK_COMPLETE 1.1-n11abc", elsewhere},
		{"    TASK_COMPLETE 1.1-n11abc", elsewhere},
		{"a\n\n\tTASK_COMPLETE 1.1-n11abc", elsewhere},
		{"<pre>\nTASK_COMPLETE 1.1-n11abc", elsewhere},
		{"> TASK_COMPLETE 1.1-n11abc", elsewhere},
		{"The prompt says:\n> end with\nTASK_COMPLETE 1.1-n11abc", elsewhere},
		{"# TASK_COMPLETE 1.1-n11abc", elsewhere},
		{"<!-- TASK_COMPLETE 1.1-n11abc -->", elsewhere},
		{"<!--\nTASK_COMPLETE 1.1-n11abc", elsewhere},
		{"<!-- a -->TASK_COMPLETE 1.1-n11abc", elsewhere},
		{"TASK_COMPLETE 1.1-n11abc<!-- not -->", elsewhere},
		{"TASK_BLOCKED 1.1-n11abc", "has no reason"},
		{"The spec has two formats.\n\nTASK_BLOCKED 1.1-n11abc", "has no reason"},
		{"```\nno key\n```\nTASK_BLOCKED 1.1-n11abc", "has no reason"},
		{"TASK_BLOCKED 1.0-n10abc no key", wrongToken},
		{"Task_blocked 1.1-n11abc no key", elsewhere},
		{"> TASK_BLOCKED 1.1-n11abc no key", elsewhere},
		{"I am not TASK_BLOCKED 1.1-n11abc", elsewhere},
		{"TASK_BLOCKED 1.1-n11abc no key\n\nTASK_COMPLETE", elsewhere},
	} {
		got, why := ReadClaim(c.message, token)
		if got != (Claim{}) {
			t.Errorf("%q: %+v", c.message, got)
		}
		if !strings.Contains(why, c.why) || c.why == "" && why != "" {
			t.Errorf("%q: because %q, want %q", c.message, why, c.why)
		}
	}
	if got, why := ReadClaim("TASK_COMPLETE", ""); got != (Claim{}) || why != "" {
		t.Errorf("without a token: %+v, %q", got, why)
	}
}

// A claim has its words and its token on the last line; in a fence or a quote the same text claims
// nothing.
func FuzzReadClaim(f *testing.F) {
	f.Add("I tried.\n**TASK_BLOCKED** `1.1-n11abc` no key")
	f.Add("<!-- ` -->\nTASK_COMPLETE 1.1-n11abc")
	f.Fuzz(func(t *testing.T, message string) {
		claim, why := ReadClaim(message, token)
		if claim.Done && claim.Blocked || claim.Blocked == (claim.Why == "") ||
			len(claim.Why) > maxWhy {
			t.Fatalf("%+v", claim)
		}
		if claim != (Claim{}) && why != "" {
			t.Errorf("%+v, and %q", claim, why)
		}
		text := strings.TrimSpace(message)
		last := text[strings.LastIndexByte(text, '\n')+1:]
		word, rest, _ := strings.Cut(last, " ")
		exact := strings.Trim(word, "*_`") == completeWord && strings.Trim(rest, "*_`") == token
		if claim.Done && !exact || claim.Blocked && !strings.Contains(last, token) {
			t.Errorf("the last line %q is a claim", last)
		}
		fence := strings.Repeat("`", 3+strings.Count(message, "`"))
		for _, copied := range []string{
			fence + "\n" + message + "\n" + fence, fence + "\n" + message, "> " + last,
			message + "\nThat is all.",
		} {
			if c, _ := ReadClaim(copied, token); c != (Claim{}) {
				t.Errorf("%q: %+v", copied, c)
			}
		}
	})
}
