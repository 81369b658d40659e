package report

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/tidwall/gjson"

	"hooks/internal/hint"
	"hooks/internal/loop"
	"hooks/internal/term"
	"hooks/schemas"
)

// ReportCommand is the first line of the shell command that reports a skill's facts.
const ReportCommand = `hooks report <<'JSON'`

// Entry returns the model's context at the start of an iteration: the budgets, the questions to ask
// first, and how to report.
func Entry(b *loop.Budget, t *loop.Tick) string {
	var x text
	x.line("## Loop Iteration %s — %s (run %s)", outOf(t.Iteration, b.Ceilings.Iterations, "/"),
		invocation(b), cmp.Or(b.RunID, "unknown"))
	x.line("Budget remaining: %s", Remaining(b))
	if b.SinglePR != 0 {
		x.line("Watching PR #%d only. Comments pushed: %d, merges attempted: %d",
			b.SinglePR, b.CommentsPushed, b.MergesAttempted)
	}
	x.line("Stop conditions evaluated: none triggered")
	x.line("Concurrency: lock held by pid %d", b.Owner.PID)
	// Without the next line, the skill would mistake its own session's lock for another's.
	x.line("Kept by hooks: lock, budget, history, status block and final report. "+
		"The lock in .sdd/loop/%s.lock is held by pid %d for this session, "+
		"so the tick continues. Skip the skill's own steps for these: "+
		"do not take, check or release the lock, do not skip this tick because of it, "+
		"and do not write under .sdd/loop. You may read those files.", b.Skill, b.Owner.PID)
	switch {
	case b.Kind().Prompts:
	case b.Kind().Reviews:
		x.line("A PR may be approved once in this iteration, when its round ends; " +
			"an approval does not allow a merge.")
	default:
		x.line("After you open a PR, the skill's own review of it may run once here. It may " +
			"comment or request changes, but not approve; only a review loop or a person " +
			"approves. Leave out steps that run in the cloud or in the background, such as " +
			"/autofix-pr, because a loop refuses them. Count them as unavailable, and open no " +
			"issue about them.")
	}
	if t.Asked != nil {
		x.asked(b, t.Asked)
	}
	x.lines("Note: ", t.Notes)
	x.lines("", LeftAlone(b, t))
	if len(t.Pending) > 0 {
		x.asks(t.Pending)
	}
	if b.Kind().Prompts && b.Prompt() != "" {
		x.prompt(b.Prompt())
	}
	x.rules(b, t.Asked != nil && t.Asked.Backlog != nil)
	return x.String()
}

// maxListed is the maximum number of issues listed in one line of the model's context.
const maxListed = 50

// asked writes the tracker's facts. The model bases its plan on them.
func (x *text) asked(b *loop.Budget, asked *loop.Asked) {
	if list := asked.Backlog; list != nil {
		x.line("Backlog according to the tracker: %s. Workable: %s", inBacklog(list),
			firstOf(b.Workable(list)))
	}
	if len(asked.Ambiguous) > 0 {
		x.line("Issues with missing or unfinished criteria; a person is asked before work on "+
			"them begins: %s",
			firstOf(each(asked.Ambiguous, func(i loop.Issue) int { return i.Number })))
	}
}

func firstOf(list []int) string {
	if more := len(list) - maxListed; more > 0 {
		return fmt.Sprintf("%s and %d more", numbers(list[:maxListed]), more)
	}
	return cmp.Or(numbers(list), "none")
}

// Ask returns an instruction for the model to ask a person the gates' questions.
func Ask(gates []loop.Gate) string {
	var x text
	x.asks(gates)
	return x.String()
}

// Waits returns the end of a refusal while questions are pending: a line that lists the questions,
// and a hint to ask them.
func Waits(gates []loop.Gate) string {
	return term.Line("waits: "+strings.Join(each(gates, waiting), "; ")) +
		"\nhint: call " + order(gates)
}

func (x *text) asks(gates []loop.Gate) {
	x.line("A person must answer. Call %s", order(gates))
	x.lines("waits: ", each(gates, waiting))
}

// order returns the text that follows the word "call": the tool that asks the questions, and what
// the model may do until they are answered.
func order(gates []loop.Gate) string {
	until := "Do nothing else until they are answered; other tools are held back."
	if !slices.ContainsFunc(gates,
		func(g loop.Gate) bool { return g.Name != loop.PostFeedbackMerge }) {
		until = "Until they are answered, nothing is merged; other work may continue."
	}
	return "AskUserQuestion now " +
		`(load it with ToolSearch "select:AskUserQuestion" if it is not loaded); ` +
		"hooks fills the dialog with exactly these questions. " + until +
		" Never answer them yourself."
}

func waiting(g loop.Gate) string {
	labels := each(g.Options, func(o loop.Option) string { return o.Label })
	return fmt.Sprintf("[%s] %s Options: %s", g.Name, g.Question, commas(labels...))
}

func (x *text) rules(b *loop.Budget, tracked bool) {
	kind, duty := b.Kind(), "Report facts as soon as you know them, before dispatching and again "+
		"at the end, with: "
	if kind.Owes == nil {
		duty = "You need not report anything except a failure, with: "
	}
	x.line("%s%s {…} JSON (in a worktree: hooks report <<< '{…}')", duty, ReportCommand)
	fields := kind.Fields
	if tracked && kind.Tracked != "" {
		fields = kind.Tracked + "; issues and dependencies are known from the tracker"
	}
	x.line("Fields: %s", fields)
	if kind.Reviews {
		x.line("One review-response round per PR in this iteration, no more.")
	}
	merges := map[string]string{
		loop.MergesNever: "This run merges nothing (--merges never); leave PRs open.",
		loop.MergesAsk:   "A person must approve the exact commit of each merge (--merges ask).",
	}[b.Merges]
	if !kind.Prompts {
		x.line("Skip issues that are in progress elsewhere; leave their labels alone.")
	}
	x.line("%s", cmp.Or(merges, "A merge needs no approval only if the tracker itself says that "+
		"nobody commented; otherwise a person must approve the exact commit."))
}

// LeftAlone returns a line for each issue or PR that the iteration skips.
func LeftAlone(b *loop.Budget, t *loop.Tick) (list []string) {
	for _, target := range b.DeferredTargets {
		branch := b.SkippedBranches[target]
		list = append(list, fmt.Sprintf("Skipped by a person: do not work on %s in this run%s",
			target, when(branch != "", ", and leave its branch "+term.Line(branch)+" alone")))
	}
	return append(list, each(t.Deferred, deferred)...)
}

// deferred returns a line that tells the model to leave an issue or PR alone.
func deferred(target string) string {
	return "Deferred: do not work on " + target + " in this iteration"
}

// Wake describes what triggers the next tick.
func Wake(b *loop.Budget) string {
	switch {
	case b.Own != nil && b.Driven():
		return "a new client, started by `hooks go`"
	case b.Own != nil && b.Conducted():
		return "sent by the Stop hook"
	case len(b.Scheduled) > 0:
		return "scheduled by /loop"
	case b.UnderLoop:
		return "to be scheduled by /loop"
	case b.Scheduled == nil: // an earlier schedule in the session may trigger it
		return "not known yet; the skill was not started under /loop"
	}
	return fmt.Sprintf("none — the skill was not started under /loop (start it with /loop %s)",
		b.Command)
}

// Continue returns the instruction for the model when the Stop hook keeps its turn open.
func Continue(run *loop.Budget, c *loop.Continue) string {
	switch {
	case c.Gates != nil:
		return Ask(c.Gates)
	case c.Schedule != nil: // the schedule would start the ended loop again
		var calls []string
		for _, s := range c.Schedule {
			calls = loop.AppendNew(calls, s.End)
		}
		return "The loop has ended but is still scheduled. Call now: " + commas(calls...) +
			" (load the tool with ToolSearch \"select:CronDelete\"). Do nothing else."
	case c.Text != "":
		return c.Text
	case c.Name == "wake":
		return fmt.Sprintf("Nothing is scheduled that would start the next iteration. Call now: "+
			`ScheduleWakeup {"delaySeconds":60,"prompt":%q,"reason":"next loop iteration"}`+
			" (load the tool with ToolSearch \"select:ScheduleWakeup\"). Do nothing else.",
			"/loop "+run.Command)
	}
	return "Report this iteration's facts before it ends:\n" + ReportCommand + "\n" +
		run.Kind().Report + "\nJSON"
}

// ReportAnswer returns the answer to a report: a line with the changes and, while gates are
// pending, a second line with the next step.
func ReportAnswer(f *loop.Facts, c loop.Changed) string {
	changed := changes(f, c)
	if len(changed) == 0 && len(c.Due) == 0 {
		changed = append(changed, fmt.Sprintf("recorded for iteration %d; "+
			"no gate is waiting, and no reported fact ends the loop", f.Tick.Iteration))
	}
	for _, g := range c.Due {
		changed = append(changed, "gate waits: "+waiting(g))
	}
	said := strings.ReplaceAll(term.Line(strings.Join(changed, "; ")), ".; ", ". ")
	if len(c.Due) == 0 {
		return said
	}
	return said + "\nA person must answer. Call " + order(c.Due)
}

func changes(f *loop.Facts, c loop.Changed) (out []string) {
	holds := func(condition, text, then string) {
		out = append(out, fmt.Sprintf("condition %s holds: %s. %s", condition, text, then))
	}
	const last = "the loop ends with this iteration."
	for _, fired := range c.Fired {
		holds(fired.Condition, fired.Text, "Dispatch nothing; end the turn now.")
	}
	if f.Tick.Interrupted != "" {
		holds("user-interrupt", f.Tick.Interrupted, "Dispatch nothing new; "+last)
	}
	left, unbounded := f.PRsLeft()
	if len(c.Due)+len(c.Fired) == 0 && f.Tick.Interrupted == "" && left <= 0 && !unbounded {
		// The condition ends the loop only at the exit, so that open work can be finished (R30).
		text := fmt.Sprintf("PR budget reached: %d / %d", len(f.PRs), f.Run.Ceilings.PRs)
		holds("prs-touched-budget", text, "Open no further PR and dispatch nothing; "+last)
	}
	out = append(out, each(c.Deferred, deferred)...)
	for _, n := range f.Tick.PassOver(f.Run) {
		out = append(out, fmt.Sprintf("another iteration is working on #%d: "+
			"skip it and take the next workable issue; leave its label alone", n))
	}
	if f.Run.Kind().Reviews {
		for _, note := range f.Tick.Notes { // for example that a PR has no new commits (R83)
			if slices.ContainsFunc(c.PRs, func(p loop.PR) bool {
				return strings.HasPrefix(note, fmt.Sprintf("PR #%d:", p.Number))
			}) {
				out = append(out, note)
			}
		}
	}
	return out
}

// MaxFacts is the maximum size of a skill's report, in bytes.
const MaxFacts = 1 << 20

// Facts parses a skill's report and validates it against the schema. It rejects unknown fields and
// values, because a misspelled field would otherwise become a missing fact. Every error has a hint.
func Facts(raw []byte) (r loop.Report, err error) {
	if len(raw) > MaxFacts {
		return r, hint.New("report in parts; lists are merged by number",
			"the report is over %d bytes", MaxFacts)
	}
	raw = bytes.TrimPrefix(raw, []byte("\ufeff")) // byte order mark, which some editors write
	if err = json.Unmarshal(raw, new(json.RawMessage)); err != nil {
		err = fmt.Errorf("the report is not one JSON object: %w", err)
	} else {
		text, _ := schemas.Get("report") // cannot fail, because the schema is embedded
		f := form{gjson.ParseBytes(text)}
		err = f.check("", gjson.ParseBytes(raw), f.schema)
	}
	if err == nil {
		err = json.Unmarshal(raw, &r)
	}
	if err != nil {
		return loop.Report{}, hint.New("see `hooks schema report`", "%w", err)
	}
	return r, nil
}

// form validates values against the subset of JSON Schema that the report's schema uses. A field
// counts as missing if it is null, or if it is "" and the schema has an enum for it.
type form struct{ schema gjson.Result }

// check validates v against schema s and returns the first error. at is the path of v's field.
func (f form) check(at string, v, s gjson.Result) error {
	if ref := s.Get("$ref").Str; ref != "" {
		s = f.schema.Get("$defs." + strings.TrimPrefix(ref, "#/$defs/"))
	}
	kind := s.Get("type").Str
	inWords := map[string]string{"boolean": "true or false", "string": "a string",
		"array": "a list", "integer": "a whole number", "object": "an object with fields"}
	what := cmp.Or(s.Get("title").Str, inWords[kind])
	if at == "" {
		at, what = "the report", "one JSON object"
	}
	number, err := strconv.Atoi(v.Raw)
	fits := map[string]bool{"boolean": v.IsBool(), "string": v.Type == gjson.String,
		"integer": err == nil, "array": v.IsArray(), "object": v.IsObject()}
	items, least, most := v.Array(), s.Get("minItems").Int(), s.Get("maxItems")
	if !fits[kind] || kind == "array" && int64(len(items)) < least ||
		most.Exists() && int64(len(items)) > most.Int() {
		return fmt.Errorf("%s is %s, not %s", at, v.Raw, what)
	}
	switch kind {
	case "object":
		return f.fields(at, v, s)
	case "string":
		return checkText(at, v.Str, s)
	case "array":
		for i, item := range items {
			if err := f.check(fmt.Sprintf("%s[%d]", at, i), item, s.Get("items")); err != nil {
				return err
			}
		}
	case "integer":
		if least := s.Get("minimum").Int(); int64(number) < least {
			return fmt.Errorf("%s is %d, but must be at least %d", at, number, least)
		}
	}
	return nil
}

// fields validates an object. Unknown, repeated and missing required fields are errors.
func (f form) fields(at string, v, s gjson.Result) (err error) {
	within := strings.TrimPrefix(at+".", "the report.")
	properties, seen := s.Get("properties").Map(), map[string]bool{}
	v.ForEach(func(key, value gjson.Result) bool {
		name := key.String()
		property, known := properties[name]
		switch {
		case !known:
			err = fmt.Errorf("unknown field %q", within+name)
		case seen[name]:
			err = fmt.Errorf("%s is given twice", within+name)
		case value.Type != gjson.Null && !(value.Str == "" && property.Get("enum").Exists()):
			seen[name] = true
			err = f.check(within+name, value, property)
		}
		return err == nil
	})
	for _, name := range s.Get("required").Array() {
		if err == nil && !seen[name.Str] {
			err = fmt.Errorf("%s is missing", within+name.Str)
		}
	}
	return err
}

func checkText(at, text string, s gjson.Result) error {
	var allowed []string
	for _, word := range s.Get("enum").Array() {
		if allowed = append(allowed, word.Str); word.Str == text {
			return nil
		}
	}
	n, most := utf8.RuneCountInString(text), s.Get("maxLength").Int()
	switch {
	case len(allowed) > 0:
		return fmt.Errorf("%s is %q, not one of %s", at, text, strings.Join(allowed, ", "))
	case s.Get("minLength").Int() > 0 && strings.TrimSpace(text) == "":
		return fmt.Errorf("%s is empty", at)
	case most > 0 && int64(n) > most:
		return fmt.Errorf("%s has %d characters; the maximum is %d", at, n, most)
	}
	return nil
}
