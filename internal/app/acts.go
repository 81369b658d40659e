package app

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"hooks/internal/brake"
	"hooks/internal/guard"
	"hooks/internal/guard/shellword"
	"hooks/internal/loop"
	"hooks/internal/report"
	"hooks/internal/store"
	"hooks/internal/tracker"
)

// reading is what a call would do, as loops judge it.
func (h *handler) reading(t *loopState) loop.Reading {
	r := h.read()
	command, _ := h.ev.ShellCommand()
	reading := loop.Reading{
		Refused: h.refuseCall(t, r), Opaque: unreadable(r), Reaches: reaches(r, command),
		Pushes: r.Pushes, Beside: h.openInOther(t),
	}
	if reading.Opaque != "" && r.Unparsable == "" { // meetsBrake also repairs missing links
		reading.Braked = h.meetsBrake(t)
	}
	if t.Budget.Audit != nil && t.Tick != nil && !t.Tick.Braked {
		reading.Shown = guard.Shown(h.call())
	}
	for _, a := range slices.Concat(r.Acts, r.Uses) {
		act := h.actOf(t, a)
		if len(t.Budget.DeferredTargets) > 0 || act.Kind == loop.ActMerge ||
			act.Kind == loop.ActApprove {
			act.Elsewhere, act.Own = h.elsewhere(t, a)
		}
		reading.Acts = append(reading.Acts, act)
	}
	return reading
}

// reaches reports whether what is not plain in a command could land something.
func reaches(r guard.Reading, command string) bool {
	return r.ReachesForge() || r.Piped() && guard.LeavesLinks(command)
}

// actOf is an act as a loop judges it.
func (h *handler) actOf(t *loopState, a guard.Act) loop.Act {
	act := loop.Act{
		PR: a.PR, Ref: a.Ref, SHA: a.SHA, Auto: a.Auto || a.Admin, Review: a.Review,
		Command: a.Command, Words: describe(a), Alone: strings.HasPrefix(a.Command, h.ev.Tool+"("),
	}
	switch a.Kind {
	case guard.MergePR:
		act.Kind = loop.ActMerge
	case guard.ApprovePR:
		act.Kind = loop.ActApprove
	case guard.OpenPR:
		act.Kind = loop.ActOpen
	case guard.Comment:
		act.Kind = loop.ActComment
	case guard.SetLabel, guard.DropLabel:
		act.Kind = loop.ActLabel
	case guard.UseBranch:
		act.Kind = loop.ActUse
	default:
		if a.Kind.Merges() {
			act.Kind = loop.ActLand
		}
	}
	return act
}

// refuseCall is why a call may not run, whatever the loop's state.
func (h *handler) refuseCall(t *loopState, r guard.Reading) *loop.Deny {
	tool := h.ev.Tool
	if path := h.touchesBudget(t); path != "" {
		return &loop.Deny{
			Rule: loop.StateGuard,
			Text: fmt.Sprintf("Not run: %s would %s (%s %s)", tool, would(guard.WriteState),
				guard.WriteState, path),
			Hint: "reading is free; facts go through `hooks report`",
		}
	}
	if _, whole := h.ev.Fields(); !whole {
		return &loop.Deny{
			Rule: loop.UnreadText, Text: tool + " has more fields than can be looked at",
			Hint: "make several smaller calls",
		}
	}
	if file := h.rewires(); file != "" {
		return &loop.Deny{
			Rule: loop.StateGuard,
			Text: tool + " would change, or could change, the hooks that the client runs: " + file,
			Hint: "permission rules and the model may change; the rest waits until the loop has " +
				"ended",
		}
	}
	if a := h.tampers(r); len(a) > 0 {
		return refuseTampering(a[0])
	}
	if r.Bound != "" {
		return &loop.Deny{
			Rule: loop.UnreadText,
			Text: tool + " is not read to its end, and what is left could land something: " +
				r.Bound,
			Hint: "make several smaller calls; long text goes through a file",
		}
	}
	return nil
}

func refuseTampering(a guard.Act) *loop.Deny {
	if a.Kind == guard.DropRegistration && a.Path != "" {
		return &loop.Deny{
			Rule: loop.StateGuard,
			Text: a.Command + " could change how this loop is guarded: " + string(a.Kind) + " " +
				a.Path,
			Hint: wayToSettings(a.Path),
		}
	}
	if a.Kind == guard.WriteLedger {
		return &loop.Deny{
			Rule: loop.StateGuard,
			Text: notRun(a),
			Hint: "add a turn with `hooks ledger append FILE`, the turn on stdin; reading is free",
		}
	}
	hint := "reading is free; facts go through `hooks report`, " +
		"answers come from a person's dialog or terminal"
	if a.Kind == guard.OtherSession {
		hint = "do it in this session, or send a worker with the Agent tool"
	}
	return &loop.Deny{Rule: loop.StateGuard, Text: notRun(a), Hint: hint}
}

func notRun(a guard.Act) string {
	return fmt.Sprintf("Not run: %s would %s (%s)", a.Command, would(a.Kind), describe(a))
}

// would is what an act that tampers with the loop would do.
func would(kind guard.Kind) string {
	switch kind {
	case guard.WriteLedger:
		return "change a ledger, to which turns are only added"
	case guard.AnswerGate:
		return "do what only a person or the client does"
	case guard.DropRegistration:
		return "end the hooks or take them out of the client"
	case guard.OtherSession:
		return "start a client that no loop governs"
	}
	return "change the loop's own files"
}

// wayToSettings is what to do instead of writing a file that registers hooks.
func wayToSettings(path string) string {
	switch filepath.Base(path) {
	case "hooks", "hooks.exe":
		return "build to another path while a loop is on, as in `go build -o /tmp/hooks ./hooks`"
	case "settings.json", "settings.local.json":
		return "use Edit, whose result can be looked at before it is written; reading is free"
	}
	return "reading is free; change it when the loop has ended"
}

// touchesBudget names the run's budget file where --budget-file put it outside of the folder that
// the guard knows, and the call names it without only looking.
func (h *handler) touchesBudget(t *loopState) string {
	if t.BudgetPath == store.DefaultBudgetPath(t.Skill) || t.BudgetPath == "" ||
		guard.ReadOnly(h.call()) {
		return ""
	}
	base := filepath.Base(t.BudgetPath)
	command, shell := h.ev.ShellCommand()
	path := h.ev.Text("file_path")
	if shell && strings.Contains(command, base) || path != "" && filepath.Base(path) == base {
		return t.BudgetPath
	}
	return ""
}

func describe(a guard.Act) string {
	s := string(a.Kind)
	if a.Ref != "" {
		s += " " + a.Ref
	}
	if len(a.Via) > 0 {
		s += " (through " + strings.Join(a.Via, ", ") + ")"
	}
	return s
}

// lines joins the texts that are not empty.
func lines(parts ...string) string {
	return strings.Join(slices.DeleteFunc(parts, func(s string) bool { return s == "" }), "\n")
}

// meetsBrake reports whether all that a shell command starts by a forge's name meets a link of the
// brake. Links that were removed since the iteration began are put back first.
func (h *handler) meetsBrake(t *loopState) bool {
	command, shell := h.ev.ShellCommand()
	if !shell || h.ev.Tool != "Bash" || t.Tick == nil || !t.Tick.Braked ||
		guard.LeavesLinks(command) {
		return false
	}
	return h.replayRepo != nil || h.dress()
}

// dress makes or repairs the session's links of the brake, which lead to a kept copy of this
// program, and reports whether they are in place.
func (h *handler) dress() bool {
	exe, err := os.Executable()
	if err != nil {
		return false
	}
	if kept, err := brake.Keep(h.seals.Path(), exe); err == nil {
		exe = kept
	}
	return brake.Dress(h.seals.Path(), h.ev.SessionID, exe) == nil
}

// mentions returns the issue and PR numbers that a text names, each once, in order: "#44",
// "PR 142", "issue 44", "!7", "/pull/142", "/issues/44", "owner/name#44". It is for prompts of
// workers, which name their target.
func mentions(text string) []int {
	var out []int
	for i := 0; i < len(text); i++ {
		end := i
		for end < len(text) && text[end] >= '0' && text[end] <= '9' {
			end++
		}
		if end == i {
			continue
		}
		n := shellword.Number(text[i:end])
		if n > 0 && mentioned(text, i, end) && !slices.Contains(out, n) {
			out = append(out, n)
		}
		i = end
	}
	return out
}

// mentioned reports whether the digits between from and to name an issue or a PR by the text around
// them.
func mentioned(text string, from, to int) bool {
	behind := text[to:min(to+2, len(text))] + "  "
	decimal := behind[0] == '.' && behind[1] >= '0' && behind[1] <= '9'
	if shellword.NameByte(behind[0]) || behind[0] == '%' || decimal || to-from > 8 {
		return false
	}
	before := strings.ToLower(text[max(0, from-40):from])
	if strings.HasSuffix(before, "#") {
		return !strings.HasSuffix(before, "&#") && !strings.HasSuffix(before, "##")
	}
	for _, mark := range []string{
		"/pull/", "/pulls/", "/issues/", "/merge_requests/", "/pull-requests/",
	} {
		if strings.HasSuffix(before, mark) {
			return true
		}
	}
	before = strings.TrimRight(before, " \t:=!-")
	for _, filler := range []string{" number", " no.", " nr."} {
		before = strings.TrimSuffix(before, filler)
	}
	letter := func(r rune) bool { return r < 'a' || r > 'z' }
	noun := before[strings.LastIndexFunc(before, letter)+1:]
	if noun == "request" {
		kind := strings.TrimRight(strings.TrimSuffix(before, noun), " -")
		return strings.HasSuffix(kind, "pull") || strings.HasSuffix(kind, "merge")
	}
	return shellword.Has("pr prs issue issues mr mrs ticket bug gh pull", noun)
}

// elsewhere names the repository that a merge is about, and that of the run, nil for the project's
// as it is now. It is "" if they are the same: a person is asked about the run's only.
func (h *handler) elsewhere(t *loopState, a guard.Act) (other, own string) {
	if h.replayRepo != nil {
		return "", ""
	}
	redact := h.config(t).Redact // as it is recorded
	at := func(dir string) (top, url string) {
		facts := tracker.Asked(context.Background(), h.Env, dir)
		return facts.Top, redact(facts.Base().URL)
	}
	var run loop.Tracker
	if t != nil && t.Budget != nil && t.Budget.Tracker != nil {
		run = *t.Budget.Tracker
	} else {
		_, run.URL = at(h.project)
	}
	list := tracker.Own(run)
	own = cmp.Or(list[0].String(), list[len(list)-1].String())
	if a.Repo != "" {
		leads := func(b tracker.Base) bool { return b.Leads(redact(a.Repo)) }
		if own != "" && !slices.ContainsFunc(list, leads) {
			return a.Repo, own
		}
		return "", own
	}
	if a.Cwd == "" {
		return "", own
	}
	top, url := at(a.Cwd)
	if there := tracker.BaseOf(url).String(); top != "" && there != list[0].String() {
		return cmp.Or(there, "that of "+top), own
	}
	return "", own
}

// Explain reads a command as the guard reads it and says what would happen to it while a loop runs.
// Nothing is run, and no state is looked at.
func (a *App) Explain(command string) report.Explanation {
	h := &handler{App: a, now: a.now()}
	h.ev.Cwd = a.cwd()
	h.project = tracker.Project(a.Env, h.ev.Cwd)
	call := guard.Call{
		Tool:    "Bash",
		Command: command,
		Cwd:     h.ev.Cwd,
		Own:     h.own(),
		PID:     a.Env("CLAUDE_PID"),
	}
	r := guard.Read(call, h.repo, h.below(h.ev.Cwd))
	e := report.Explanation{Command: command, ReadOnly: guard.ReadOnly(call)}
	for _, act := range r.Acts {
		e.Acts = append(e.Acts, report.ExplainedAct{
			Kind: string(act.Kind), PR: act.PR, Ref: act.Ref, Repo: act.Repo, SHA: act.SHA,
			Auto: act.Auto, Admin: act.Admin,
			Command: act.Command, Via: act.Via,
		})
	}
	for _, o := range r.Opaque {
		e.Opaque = append(e.Opaque, fmt.Sprintf("%s (%s)", o.Text, o.Reason))
	}
	if r.Unparsable != "" {
		e.Opaque = append(e.Opaque, r.Unparsable)
	}
	e.Verdict, e.HeldBy = h.verdict(r, call), h.heldBy(r, call)
	return e
}

// heldBy names the layer that keeps a command from a merge that no person approved.
func (h *handler) heldBy(r guard.Reading, call guard.Call) string {
	around := guard.LeavesLinks(call.Command)
	switch {
	case len(r.Merges()) > 0 || len(h.tampers(r)) > 0:
		return "asked before it runs, by the guard"
	case r.Bound != "":
		return "refused before it runs, by the guard: it is not read to its end (" + r.Bound + ")"
	case around && reaches(r, call.Command):
		return "refused before it runs, by the guard: a login shell or an absolute path does not " +
			"meet the brake"
	case guard.ReadOnly(call):
		return ""
	case around:
		return "not held, for a login shell or an absolute path does not meet the brake: " +
			"branch protection"
	}
	return "judged when it starts, by the brake if it is a forge's program; " +
		"the seal finds what it changes of the loop's files"
}

// verdict is what the rules make of a reading while an iteration is open.
func (h *handler) verdict(r guard.Reading, call guard.Call) string {
	unread, around := unreadable(r) != "", r.Unparsable != "" || guard.LeavesLinks(call.Command)
	switch {
	case len(h.tampers(r)) > 0:
		return "denied: it would " + would(h.tampers(r)[0].Kind)
	case len(r.Merges()) > 0:
		approvals := 0
		for _, a := range r.Merges() {
			if a.Kind == guard.ApprovePR && a.PR > 0 {
				approvals++
				continue
			}
			act := h.actOf(nil, a)
			act.Elsewhere = ""
			anyLoop := loop.State{Run: &loop.Budget{Skill: loop.Review}}
			if d := anyLoop.Landable(act); d != nil {
				return "denied: " + h.denial(nil, d).Reason()
			}
		}
		if approvals == len(r.Merges()) {
			return "passes in a review loop, once a PR and iteration; denied in a work loop"
		}
		return "judged by gate post-feedback-merge: " + loop.MergePromise
	case r.Bound != "":
		return "denied: it cannot be read to its end, and the rest could land something"
	case unread && reaches(r, call.Command) && around:
		return "denied: it cannot be read, could reach a forge, and need not meet the brake"
	case unread && reaches(r, call.Command):
		return "passes where the brake works, in sessions that began after the installation; " +
			"is denied elsewhere"
	case unread && around:
		return "passes, but is denied in a review loop while a merge gate waits"
	case unread:
		return "passes where the brake works; " +
			"elsewhere it is denied in a review loop while a merge gate waits"
	}
	return "passes"
}
