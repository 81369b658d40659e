package replay

import (
	"cmp"
	"slices"
	"strings"

	"hooks/internal/event"
	"hooks/internal/guard/effect"
	"hooks/internal/loop"
	"hooks/internal/report"
	"hooks/internal/toolcall"
	"hooks/internal/usage"
)

// called returns a past call as the client reports it to PreToolUse.
func called(m usage.Moment, session, prompt string) *toolcall.Call {
	return &toolcall.Call{
		Env: func(string) string { return "" }, Past: &effect.Repo{Branch: m.Branch},
		Event: event.Event{Name: event.PreToolUse, SessionID: session, PromptID: prompt, Cwd: m.Cwd,
			AgentID: m.Agent, Tool: m.Tool, ToolUseID: m.ID, Input: m.Input},
	}
}

// matters reports whether a rule may apply to a call.
func matters(m usage.Moment) bool {
	c := called(m, "", "")
	if _, schedules := c.Event.Schedules(); schedules || m.Tool == "Skill" || c.Event.Asks() ||
		c.Event.Dispatches() {
		return true
	}
	r := c.Read()
	return len(r.Acts) > 0 || toolcall.Unreadable(r) != ""
}

// call judges a past tool call. If no rule refuses it, the runs count its effects.
func (s *session) call(st *step) {
	c := called(st.Moment, s.id, s.prompt)
	if c.Event.Asks() {
		s.dialog(st, c)
		return
	}
	turn := s.at(st.At.UTC(), s.prompt)
	if c.Event.Dispatches() {
		s.last().seen.RecordWorker(c.Judged(turn))
	}
	refused, list := false, s.addressed(c, turn)
	for _, t := range list {
		refused = s.refuses(t, list, c, turn) || refused
	}
	if st.result == nil {
		return
	}
	after := *c
	after.Event.Name, after.Event.Response = event.PostToolUse, st.result.Response
	if after.Event.Error = st.result.Error; after.Event.Error != "" {
		after.Event.Name = event.PostToolUseFailure
	}
	result := after.Result(turn, toolcall.Run{})
	s.last().seen.RecordEffects(result)
	for _, t := range list {
		if t.Tick != nil && !refused {
			t.Tick.RecordEffects(result)
		}
	}
}

// addressed first answers the questions that block the call. It then returns the runs whose rules
// apply. If the prompt belongs to open iterations, all other open ones are left out.
func (s *session) addressed(c *toolcall.Call, turn loop.Turn) []*thread {
	list := slices.Clone(s.threads)
	for _, t := range list {
		if t.Tick != nil && !c.Event.InSubagent() && len(t.Tick.Held()) > 0 {
			s.settle(t, turn.Now)
		}
	}
	own := func(t *thread) bool {
		return t.Tick != nil && slices.Contains(t.Tick.Prompts, turn.Prompt)
	}
	if !slices.ContainsFunc(list, own) {
		return list
	}
	return slices.DeleteFunc(list, func(t *thread) bool { return t.Tick != nil && !own(t) })
}

// refuses reports whether t's rules refuse the call. It records the refusal, except while the rules
// wait for a person's answer. The spend is not checked until the end of an iteration. Every merge
// is judged as if a person had commented on the PR.
func (s *session) refuses(
	t *thread, list []*thread, c *toolcall.Call, turn loop.Turn,
) bool {
	k := loop.Known{
		Bare:    true,
		Count:   loop.Fetched(loop.Count{Spent: s.spends()}),
		Running: loop.Fetched(loop.RunningNow{Running: loop.Running{From: t.Run.DollarsEstimate}}),
	}
	call, reading := c.Judged(turn), loop.Reading{}
	if call.Sends == nil && call.Schedules == nil {
		reading = c.Reading(toolcall.Run{Budget: t.Run})
	}
	reading.Beside = slices.ContainsFunc(list, func(o *thread) bool {
		return o != t && o.Tick != nil
	})
	var merging []loop.Looked
	for i := range reading.Acts {
		a := &reading.Acts[i]
		a.SHA = "unknown"
		pr := loop.PR{Number: a.PR, HeadSHA: a.SHA, HumanFeedback: new(true)}
		merging = append(merging, loop.Looked{PR: pr})
	}
	k.Reading, k.Merging = loop.Fetched(reading), loop.Fetched(merging)
	o := loop.Step(t.State, k, call)
	if o.Save.Tick != nil {
		t.Tick = o.Save.Tick
	}
	d := o.Reply.Deny
	if d == nil {
		return false
	}
	r := c.Read()
	asked := func(a effect.Act) bool { return t.Tick != nil && t.Tick.AsksMerge(a.PR) }
	if !slices.ContainsFunc(r.Merges(), asked) && (t.Tick == nil || len(t.Tick.Held()) == 0) {
		reason, _, _ := strings.Cut(d.Text, "\n")
		text, row := c.Words(), s.last()
		if len(r.Acts) > 0 {
			text = r.Acts[0].Command
		}
		row.Denied = append(row.Denied, report.Denial{
			Tool: c.Event.Tool, Call: report.Short(text),
			Rule: cmp.Or(d.Rule, loop.OtherRule), Reason: report.Short(reason),
			Agent: c.Event.AgentID, At: turn.Now,
		})
	}
	return true
}

// dialog records the answers that a person gave in the past session to questions that the rules
// would also ask.
func (s *session) dialog(st *step, c *toolcall.Call) {
	if st.result == nil || c.Event.Forged() {
		return
	}
	given := event.ParseAnswers("", st.result.Response)
	if given.AFK {
		return
	}
	for _, a := range given.List {
		s.answered(a.Question, a.Text, st.result.At)
	}
}
