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
		if got := ReadClaim(message, token); got != want {
			t.Errorf("%q: %+v", message, got)
		}
	}
}

// No text that only resembles a claim is one.
func TestNearMisses(t *testing.T) {
	for _, message := range []string{
		"",
		"Done.",
		"The task is complete.",
		"1.1-n11abc",
		"TASK COMPLETE 1.1-n11abc",
		"TASK_COMPLETE",
		"TASK_COMPLETE\n1.1-n11abc",
		"TASK_COMPLETE:",
		"TASK_COMPLETE 1.0-n10abc",
		"TASK_COMPLETE 1.1-n11abcd",
		"TASK_COMPLETE 1.1-n11ab",
		"TASK_COMPLETE 1.1-N11ABC",
		"TASK_COMPLETE 1.1-n11abc.",
		"TASK_COMPLETE <token>",
		"TASK_COMPLETE \"1.1-n11abc\"",
		"TASK_COMPLETE\u00a01.1-n11abc",
		"TASK_COMPLETE  1.1-n11abc",
		"TASK_COMPLETE 1.1-n11abc!",
		"TASK_COMPLETE 1.1-n11abc (all green)",
		"TASK_COMPLETE 1.1-n11abc is what I will say",
		"task_complete 1.1-n11abc",
		"Task_Complete 1.1-n11abc",
		"TASK_COMPLETED 1.1-n11abc",
		"TASK\\_COMPLETE 1.1-n11abc",
		"\u200bTASK_COMPLETE 1.1-n11abc",
		"I will NOT output TASK_COMPLETE 1.1-n11abc yet",
		"I will NOT output TASK_COMPLETE 1.1-n11abc",
		"Done: TASK_COMPLETE 1.1-n11abc",
		"- TASK_COMPLETE 1.1-n11abc",
		"1. TASK_COMPLETE 1.1-n11abc",
		"* TASK_COMPLETE 1.1-n11abc",
		"- [x] TASK_COMPLETE 1.1-n11abc",
		"| TASK_COMPLETE 1.1-n11abc |",
		"\"TASK_COMPLETE 1.1-n11abc\"",
		"~~TASK_COMPLETE 1.1-n11abc~~",
		"[TASK_COMPLETE 1.1-n11abc](x)",
		"<b>TASK_COMPLETE 1.1-n11abc</b>",
		"TASK_COMPLETE 1.1-n11abc\n\nNow the next task.",
		"TASK_COMPLETE 1.1-n11abc\n---",
		"TASK_COMPLETE 1.1-n11abc\n\n---",
		"TASK_COMPLETE 1.1-n11abc\nTASK_COMPLETE 1.2-n12abc",
		"TASK_COMPLETE 1.1-n11abc\rTASK_COMPLETE 1.1-n11abc.",
		"```\nTASK_COMPLETE 1.1-n11abc\n```",
		"```\nTASK_COMPLETE 1.1-n11abc",
		"~~~text\nTASK_COMPLETE 1.1-n11abc\n~~~\n",
		"````\n```\n````x\nTASK_COMPLETE 1.1-n11abc",
		"    TASK_COMPLETE 1.1-n11abc",
		"a\n\n\tTASK_COMPLETE 1.1-n11abc",
		"> TASK_COMPLETE 1.1-n11abc",
		"The prompt says:\n> end with\nTASK_COMPLETE 1.1-n11abc",
		"# TASK_COMPLETE 1.1-n11abc",
		"<!-- TASK_COMPLETE 1.1-n11abc -->",
		"<!--\nTASK_COMPLETE 1.1-n11abc",
		"<!-- a -->TASK_COMPLETE 1.1-n11abc",
		"TASK_COMPLETE 1.1-n11abc<!-- not -->",
		"TASK_BLOCKED 1.1-n11abc",
		"The spec has two formats.\n\nTASK_BLOCKED 1.1-n11abc",
		"```\nno key\n```\nTASK_BLOCKED 1.1-n11abc",
		"TASK_BLOCKED 1.0-n10abc no key",
		"Task_blocked 1.1-n11abc no key",
		"> TASK_BLOCKED 1.1-n11abc no key",
		"I am not TASK_BLOCKED 1.1-n11abc",
		"TASK_BLOCKED 1.1-n11abc no key\n\nTASK_COMPLETE",
	} {
		if got := ReadClaim(message, token); got != (Claim{}) {
			t.Errorf("%q: %+v", message, got)
		}
	}
	if got := ReadClaim("TASK_COMPLETE", ""); got != (Claim{}) {
		t.Errorf("without a token: %+v", got)
	}
}

// A claim has its words and its token on the last line; in a fence or a quote the same text claims
// nothing.
func FuzzReadClaim(f *testing.F) {
	f.Add("I tried.\n**TASK_BLOCKED** `1.1-n11abc` no key")
	f.Add("<!-- ` -->\nTASK_COMPLETE 1.1-n11abc")
	f.Fuzz(func(t *testing.T, message string) {
		claim := ReadClaim(message, token)
		if claim.Done && claim.Blocked || claim.Blocked == (claim.Why == "") ||
			len(claim.Why) > maxWhy {
			t.Fatalf("%+v", claim)
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
			if c := ReadClaim(copied, token); c != (Claim{}) {
				t.Errorf("%q: %+v", copied, c)
			}
		}
	})
}
