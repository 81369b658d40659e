package loop

import "testing"

// A kind is one row: a loop that copies pages, with nothing of a backlog or a PR, is entered, holds
// its turn for the next page, ends its iteration and stops at its ceiling.
func TestAKindIsOneRow(t *testing.T) {
	defer func(before []Kind) { Kinds = before }(Kinds)
	Kinds = append(Kinds[:len(Kinds):len(Kinds)], Kind{
		Name: "copy", MaxHolds: 3,
		Owes: func(s State) *Continue {
			if s.Tick.Report.Note == "done" {
				return nil
			}
			return &Continue{Name: "page", Text: "Copy the next page."}
		},
	})
	cmd, ok := ParsePrompt("/sdd:copy --loop --max-iterations 1")
	flags, looping, err := ParseFlags(cmd.Skill, cmd.Args)
	if !ok || !looping || err != nil {
		t.Fatal(cmd, ok, looping, err)
	}
	r := Request{Now: noon, SessionID: "s", PromptID: "p", Command: cmd, Flags: flags,
		Attended: true}
	if a := admit(r, Standing{}); a.Verdict != Start || a.Mode != FreshRun {
		t.Fatalf("admitted as %+v", a)
	}
	run := newRun(r)
	tick := openTick(&run, nil, r, EntryFacts{})
	s := State{Run: &run, Tick: &tick}
	end := TurnEnd{Turn: Turn{Now: noon, Session: "s", Prompt: "p", Attended: true}}
	held := Step(s, Known{Bare: true}, end)
	if held.Reply.Continue == nil || held.Reply.Continue.Text != "Copy the next page." {
		t.Fatalf("the turn was not held: %+v", held.Reply)
	}
	s.Run, s.Tick = held.Save.Run, held.Save.Tick
	s.Tick.Report.Note = "done"
	closed := Step(s, Known{Bare: true}, end).Save.Close
	if closed == nil || closed.Budget.StopCause != "iteration_budget" ||
		closed.Skill != "copy" {
		t.Errorf("closed as %+v", closed)
	}
}
