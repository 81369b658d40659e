package loop

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"hooks/internal/english"
	"hooks/internal/guard/effect"
)

// dispatch allows and counts a worker if the run may start new work (R30, R45, R91).
func (e Call) dispatch(s State, k *Known) Outcome {
	if d := cmp.Or(e.refuseWorker(s), e.critique(s)); d != nil || !e.open(s) {
		return Outcome{Reply: Reply{Deny: d}}
	}
	k.Require(&k.Count)
	if text := exhausted(s.spent(e.Now, k)); text != "" {
		return refuseCall(notSent(text, endTurn))
	}
	if e.mustName(s) {
		return RefuseCall(UnnamedRule,
			"name the issue in the task, as in \"Implement issue #44\"; "+
				"if the worker is not about an issue, repeat the call unchanged",
			"Not dispatched: the task names no issue, so the loop cannot tell whether this work "+
				"is allowed")
	}
	if d := e.askCriteria(s, k); d != nil {
		out := refuseCall(d)
		out.Save.Tick = s.Tick
		return out
	}
	out := Outcome{Save: Save{Tick: s.Tick}}
	if a := s.Tick.Attempt; a != nil && e.Agent == "" && !s.Run.Driven() {
		k.Require(&k.Prompt)
		a.Sent, a.Call, out.Reply.Prompt = true, e.ID, *k.Prompt.Value
	}
	s.Tick.RecordWorker(e)
	return out
}

// conduct keeps the main thread from doing the worker's task itself. The thread may only start that
// worker and read. If its kind is not Silent, it may also ask a person and report.
func (e Call) conduct(s State, k *Known) Outcome {
	between := e.between(s)
	driven := e.open(s) && s.Run.Conducted() && s.Tick.Attempt != nil && e.Agent == "" &&
		!e.Foreign(s)
	if !driven && !between {
		return Outcome{}
	}
	p := s.Run.Own
	what := p.UnderWay()
	if driven {
		what = p.Name(s.Tick.Attempt)
	}
	silent := s.Run.Kind().Silent
	_, check := s.Unmeasured("")
	switch {
	case between && e.Sends != nil: // the entry that follows checks the ceilings
		return Outcome{}
	case between && e.dollarsReached(s, k) != "":
		return refuseCall(e.ends(deny(DollarCeiling, "", "%s is refused: %s", e.Tool,
			e.dollarsReached(s, k))))
	case e.Sends != nil && s.Tick.Attempt.Sent:
		return RefuseCall(ConductRule, "end the turn; the Stop hook names the next task",
			"Not dispatched: the worker of %s has already been started", what)
	case driven && e.Sends != nil && check != "":
		return RefuseCall(ConductRule, "end the turn; the Stop hook runs the check, and then asks "+
			"for this call", "Not dispatched: the check must run before the work of %s", what)
	case e.Sends != nil, e.Asks && !silent, e.Tool == "ToolSearch", e.Tool == "TodoWrite":
		return Outcome{}
	case required(k, &k.Looks).Only && !(k.Looks.Value.Reports && silent):
		return Outcome{}
	}
	return RefuseCall(ConductRule, "make the Agent call, or end the turn",
		"%s is refused: this thread only conducts; the worker does the work of %s", e.Tool, what)
}

// dollarsReached returns the message of the dollar ceiling if the run has reached it, or "".
func (e Call) dollarsReached(s State, k *Known) string {
	if s.Run.Ceilings.Dollars == 0 {
		return ""
	}
	k.Require(&k.Count)
	return costBudget(s.spent(e.Now, k))
}

// RecordWorker counts the worker that e starts. It counts each call once.
func (t *Tick) RecordWorker(e Call) {
	if t.countOnce("PreToolUse", e.ID, e.Input) {
		t.Agents++
		t.Taken = append(slices.Clone(t.Taken), e.Sends.Issues...)
		if critic := e.Sends.critic(); critic != "" {
			t.Critics = append(slices.Clone(t.Critics), e.Agent+"/"+critic)
		}
	}
}

// askCriteria asks a person about the worker's issue if its criteria are not settled (R91).
func (e Call) askCriteria(s State, k *Known) *Deny {
	f := Look(s.Run, s.Tick, nil, e.Now)
	f.Sent = e.Sends.Issues
	due := Due(f, Sending)
	if len(due) == 0 {
		return nil
	}
	s.Tick.Pending = append(s.Tick.Pending, due...)
	s.Tick.applyOfflineAnswers(s.Run, e.Now)
	if len(s.Tick.Pending) > 0 {
		d := deny(DispatchRule, "", "Not dispatched yet: a person must settle the criteria first.")
		d.Ask = s.Tick.Pending
		return d
	}
	if d := e.refuseWorker(s); d != nil { // an answer from a terminal
		return d
	}
	if text := exhausted(s.spent(e.Now, k)); text != "" {
		return notSent(text, endTurn)
	}
	return nil
}

func notSent(why, hint string) *Deny { return deny(DispatchRule, hint, "Not dispatched: %s", why) }

// mustName reports whether to refuse a worker of a backlog loop because its task names no issue.
// Only the first such worker in an iteration is refused.
func (e Call) mustName(s State) bool {
	if len(e.Sends.Issues) > 0 || !s.Run.Kind().Backlog || e.Agent != "" || e.Sends.Replayed {
		return false
	}
	return !slices.ContainsFunc(s.Tick.Denied, func(d Denial) bool { return d.Rule == UnnamedRule })
}

// refuseWorker returns a refusal if the worker may not be started for a reason other than a
// ceiling. Otherwise it returns nil.
func (e Call) refuseWorker(s State) *Deny {
	switch {
	case s.Run.Status != Active:
		return notSent(priorStop(s.Run), endTurn)
	case !e.open(s):
		return nil
	case s.Tick.Halting():
		return notSent("the loop ends with this iteration ("+s.Tick.HaltedBy()+")", endTurn)
	case s.Tick.Attempt != nil && s.Run.Own == nil:
		return notSent("the budget file no longer contains the data of the "+
			string(s.Run.Skill)+" loop",
			endTurn)
	}
	if waiting := s.Tick.Held(); len(waiting) > 0 { // only a worker started by a worker gets here
		return notSent("gate "+waiting[0].Name+" waits for a person", endTurn)
	}
	if why := s.leftAlone(e.Sends.Issues); why != "" {
		return notSent(why, "take the next issue in the plan, and do not mention this one")
	}
	// a worker's helper works on the worker's issue
	if e.Agent == "" && s.Tick.offPlan(e.Sends.Issues) {
		return notSent("a person asked for a new plan, and the task names none of its issues",
			"report the plan, as in `hooks report <<< '{\"plan\":[N]}'`, and name one of its "+
				"issues")
	}
	return nil
}

// leftAlone returns the reason for not starting a worker if all issues and PRs that its task
// mentions are skipped, deferred or in progress elsewhere. Otherwise it returns "". Issues taken by
// this tick's own workers do not count as in progress elsewhere.
func (s State) leftAlone(issues []int) (why string) {
	var off []string
	for _, n := range s.Tick.siblingIssues(s.Run) {
		off = append(off, prName(n))
	}
	off = append(off, s.Tick.Deferred...)
	for _, n := range issues {
		name := prName(n)
		switch skipped := s.skipped("", name, prTarget(n)); {
		case skipped != "":
			why = saysSkip(skipped)
		case slices.Contains(off, name), slices.Contains(off, prTarget(n)):
			why = name + " is deferred in this iteration, or in progress elsewhere"
		default:
			return ""
		}
	}
	return why
}

// act refuses calls with forbidden effects on a forge or on the loop's own files.
func (e Call) act(s State, k *Known) Outcome {
	r := required(k, &k.Reading)
	switch {
	case r.Refused != nil:
		return refuseCall(r.Refused)
	case len(r.Acts) == 0:
		return Outcome{Reply: Reply{Deny: e.unread(s, r)}}
	}
	if d := cmp.Or(e.deferred(s, r.Acts), e.openPRs(s, r.Acts)); d != nil {
		return refuseCall(d)
	}
	if o := e.contests(s, k, r.Acts); !o.Nothing() {
		return o
	}
	if slices.ContainsFunc(r.Acts, lands) { // last, because it uses up an answer
		return e.merge(s, k)
	}
	if d := e.unread(s, r); d != nil {
		return refuseCall(d)
	}
	return e.review(s, r.Acts)
}

// unread refuses a call that cannot be fully read and could reach a forge. While a review loop's
// merge gate waits, it refuses any call that cannot be fully read. If the brake is in place, it
// allows the call, because the brake judges every program that the call starts.
func (e Call) unread(s State, r Reading) *Deny {
	why := "it could reach a forge: "
	switch {
	case r.Opaque == "" || r.Braked:
		return nil
	case e.reviews(s) && s.Tick.mergeShut():
		why = "a merge gate is waiting for an answer: "
	case !r.Reaches:
		return nil
	}
	return deny(UnreadText, "write it plainly, without text that is only known at run time",
		"This command cannot be read, and %s%s", why, r.Opaque)
}

// openPRs refuses to open PRs beyond the ceiling (R30). It also refuses to open one in the
// background, because such a call returns an empty result and the PR's number stays unknown (R27).
func (e Call) openPRs(s State, acts []effect.Act) *Deny {
	n := 0
	for _, a := range acts {
		if a.Kind == effect.OpenPR {
			n++
		}
	}
	if n > 0 && e.Background {
		return deny(PRCeiling, "open it in a separate call that does not run in the background",
			"Not opened: the loop cannot learn the number of a PR that is opened in the background")
	}
	f := Look(s.Run, s.Tick, nil, e.Now)
	left, unbounded := f.PRsLeft()
	switch {
	case n == 0 || unbounded || n <= left:
		return nil
	case left > 0:
		return deny(PRCeiling, "open them one at a time",
			"%d PRs at once would exceed the ceiling (%d / %d)", n, len(f.PRs), s.Run.Ceilings.PRs)
	}
	return deny(PRCeiling,
		"report, and end the turn; a person can raise the ceiling with --max-prs N --resume",
		"PR budget reached: %d / %d — no further PR in this run (prs_touched_budget)",
		len(f.PRs), s.Run.Ceilings.PRs)
}

const inProgress = "in-progress" // the label of an issue being worked on

// contests protects the in-progress labels of other iterations (R80). The loop may change a label
// if this iteration has set it or the previous iteration planned the issue.
func (e Call) contests(s State, k *Known, acts []effect.Act) Outcome {
	if !e.open(s) {
		return Outcome{}
	}
	others := s.Tick.siblingIssues(s.Run)
	for _, a := range acts {
		label := (a.Kind == effect.SetLabel || a.Kind == effect.DropLabel) &&
			strings.EqualFold(a.Ref, inProgress)
		own := slices.Contains(s.Tick.Labels, fmt.Sprintf("#%d %s", a.PR, a.Ref))
		switch {
		case !label || own || !slices.Contains(others, a.PR):
			continue
		}
		if last := required(k, &k.Previous); last != nil && slices.Contains(last.Plan, a.PR) {
			continue
		}
		return RefuseCall(InProgress,
			"take the next workable issue; a person can remove a stale label",
			"Not done: %s. Another iteration is working on #%d, so its label must not change",
			a.Command, a.PR)
	}
	return Outcome{}
}

// deferred refuses work on a PR or issue that a person skipped. In a review loop, it also refuses
// to comment on or approve a PR that has not changed since the previous iteration (R81).
func (e Call) deferred(s State, acts []effect.Act) *Deny {
	if !e.open(s) {
		return nil
	}
	for _, a := range acts {
		name, issue := prTarget(a.PR), ""
		if a.Kind == effect.Comment && !a.Review { // the number may denote an issue
			issue = prName(a.PR)
		}
		speaks := a.Kind == effect.Comment || a.Kind == effect.ApprovePR
		works := speaks || a.Kind == effect.MergePR || a.Kind == effect.UseBranch
		if target := s.skipped(a.Ref, name, issue); works && target != "" && a.Elsewhere == "" {
			return deny(DeferredRule, "take the next issue or PR; this one stays skipped until a "+
				"person starts a new run without --resume", "Not done: %s. %s", a.Command,
				upper(saysSkip(target)))
		}
		if speaks && s.Run.Kind().Reviews && slices.Contains(s.Tick.Deferred, name) {
			d := deny(DeferredRule, "", "Not posted: %s. %s is deferred to the next tick.",
				a.Command, name)
			for _, note := range s.Tick.Notes {
				if strings.HasPrefix(note, name+":") {
					d.Text += "\n" + note
				}
			}
			return d
		}
	}
	return nil
}

// reviews reports whether the call is made in an open iteration that reviews PRs.
func (e Call) reviews(s State) bool { return s.Run.Kind().Reviews && e.open(s) }

// review records the reviews in a call that lands nothing, or refuses the call if a review is a
// second round (R149).
func (e Call) review(s State, acts []effect.Act) Outcome {
	posts := e.posts(acts)
	if !e.reviews(s) || len(posts) == 0 {
		return Outcome{}
	}
	if d := e.secondRound(s, posts); d != nil {
		return refuseCall(d)
	}
	s.Tick.Reviews = AppendNew(s.Tick.Reviews, posts...)
	return Outcome{Save: Save{Tick: s.Tick}}
}

// posts returns the reviews and approvals among the call's acts.
func (e Call) posts(acts []effect.Act) (list []PostedReview) {
	call := callKey(e.ID, e.Input)
	for _, a := range acts {
		approval, target := a.Kind == effect.ApprovePR, a.Ref
		if a.PR > 0 {
			target = prTarget(a.PR)
		}
		if (approval || a.Review) && target != "" {
			list = append(list, PostedReview{Target: target, Call: call, Approval: approval})
		}
	}
	return list
}

// secondRound refuses a call that reviews a PR again in the same iteration.
func (e Call) secondRound(s State, posts []PostedReview) *Deny {
	if !s.Run.Kind().Reviews {
		return nil
	}
	why := s.Tick.refuseReviews(posts)
	if why == "" {
		return nil
	}
	return deny(ReviewRule,
		"you may still post replies and plain comments; the next iteration reviews the PR again",
		"Not posted: %s in this iteration, and each PR gets one review round per iteration", why)
}

// maxCritiques bounds how often a thread may start the same critic in one iteration (L17).
const maxCritiques = 3

// critic returns the type of a worker that only criticizes, in lower case and without a plugin
// prefix, or "" for any other worker. Only the type reveals a cycle of critique and revision.
func (t *Task) critic() string {
	name := strings.ToLower(t.Type)
	name = name[strings.LastIndexByte(name, ':')+1:]
	if name == "archimedes" || strings.Contains(name, "critic") ||
		strings.Contains(name, "critique") {
		return name
	}
	return ""
}

// critique refuses to start a critic that the thread has already started maxCritiques times in this
// iteration (L18).
func (e Call) critique(s State) *Deny {
	critic := e.Sends.critic()
	if critic == "" || !e.open(s) || s.Tick.wasCounted("PreToolUse", e.ID, e.Input) {
		return nil
	}
	sent := 0
	for _, c := range s.Tick.Critics {
		if c == e.Agent+"/"+critic {
			sent++
		}
	}
	if sent < maxCritiques {
		return nil
	}
	return notSent("an iteration allows at most "+english.Plural(sent, "cycle")+" with "+critic,
		"accept the current state, or report what a person has to decide")
}
