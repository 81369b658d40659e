package audit

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"hooks/internal/attempt"
	"hooks/internal/english"
	"hooks/internal/loop"
)

// Name is the kind's name in commands and files.
const Name loop.Skill = "audit"

// Kind is the loop kind that carries out a plan and audits each section (A1).
var Kind = loop.Kind{
	Name: Name, Commands: []string{"audit"}, MaxHolds: 6,
	Ceilings: loop.Ceilings{Iterations: minDefault, PRs: 20, Minutes: 480,
		Dollars: 25 * loop.Dollar},
	Endless: true, Linked: true, Alone: true, Silent: true,
	Driver:   "hooks go audit",
	Flags:    []string{"--check", "--check-timeout", "--drive", "--untidy"},
	Switches: []string{"--restart"},
	Report:   `{"findings":[],"resolved":[],"verdict":"clean"}`,
	Fields: `{"findings":[{"file":"a.go","line":1,"severity":"bug|warning","description":"…",` +
		`"scenario":"…"}],"resolved":["F1"],"verdict":"clean|dirty","note":"…"}`,
	Conditions: []loop.Condition{
		{Number: 17, Name: "audit-clear", Cause: "audit_complete", When: loop.Entry | loop.Exit,
			Holds: auditClear, Tell: tellClear,
			Way: "look at the report card, then push the branch"},
		{Number: 18, Name: "audit-retries", Cause: "audit_retry_exhausted", When: loop.Exit,
			Way:   silentAuditor,
			Holds: func(f *loop.Facts) string { return noVerdicts(f, Auditing) },
			Tell:  tellNoVerdicts},
		{Number: 19, Name: "final-audit-retries", Cause: "final_audit_retry_exhausted",
			When: loop.Exit, Way: silentAuditor,
			Holds: func(f *loop.Facts) string { return noVerdicts(f, FinalAuditing) },
			Tell:  tellNoVerdicts},
	},
	Applies: func(b *loop.Budget) bool {
		_, is := b.Own.(*Run)
		return is
	},
	Gates: gates, Completes: "audit_complete", Rule: audited, Confine: confine, Enter: enter,
	Steer: steer, InAgent: "findings cannot be changed from inside the agent",
	Reported: told,
	Run:      loop.Part{Name: "audit", Of: (*Run)(nil)},
	Line:     loop.Part{Name: "audit", Of: (*Line)(nil)}, Columns: []string{"phase"},
}

var tellNoVerdicts = loop.Says("fires after three audits in a row without a verdict").Tell

const silentAuditor = "find out from the transcript why the auditor reported nothing, then " +
	"type the command again with `--restart`"

// Of returns the audit loop's part of a run, or nil if the run is of another kind.
func Of(b *loop.Budget) *Run { return loop.RunOf[Run](b) }

// LineOf returns the audit loop's part of a history line, or nil if the line is of another kind.
func LineOf(l *loop.Iteration) *Line { return loop.LineOf[Line](l) }

// Run is the audit loop's part of a run (A17).
type Run struct {
	Plan    string `json:"plan"`     // path, relative to the project
	PlanSum string `json:"plan_sum"` // hash of the plan when the run began (A44)
	// Sections lists the plan's section titles in order. It is never empty (A40).
	Sections []string `json:"sections"`
	Section  int      `json:"section"` // current section, from 0 (A41)
	Phase    Phase    `json:"phase"`
	Drive    string   `json:"drive"`           // see tasks.Run
	Check    string   `json:"check,omitempty"` // a person's command, or ""
	// CheckMinutes bounds one run of the check command.
	CheckMinutes int               `json:"check_minutes,omitempty"`
	Checked      *attempt.CheckRun `json:"checked,omitempty"` // the last run of the check
	Worktree     string            `json:"worktree"`
	Branch       string            `json:"branch,omitempty"`
	// Tip is the commit at the end of the last phase that left the tree clean and the check green.
	// The branch must still contain it. A person who resumes the run accepts the branch as it is,
	// which clears Tip.
	Tip         string `json:"tip,omitempty"`
	Base        string `json:"base,omitempty"`         // commit where the run began
	SectionBase string `json:"section_base,omitempty"` // commit where the section began
	FinalDone   bool   `json:"final_audit_done,omitempty"`
	Audits      int    `json:"audits"`            // number of audits that ended with a verdict
	Retries     int    `json:"retries,omitempty"` // consecutive audits that ended without a verdict
	// Dirty counts consecutive dirty audits of the same section or the whole plan.
	Dirty int `json:"dirty_in_a_row,omitempty"`
	// Outages counts consecutive phases that ended through no fault of the work.
	Outages int `json:"outages,omitempty"`
	// Findings is stored in a separate file. History lines have no findings, but the run files of
	// older versions contain them.
	Findings []Finding `json:"findings,omitempty"`
	Found    Tally     `json:"found,omitzero"`
	LastID   int       `json:"last_finding,omitempty"` // number of the newest finding
	// Verdict is the verdict of the last audit, bound to its commit (A75).
	Verdict *attempt.WorkerVerdict `json:"verdict,omitempty"`
	// Reason explains why the last phase was not accepted.
	Reason string `json:"reason,omitempty"`
	Post   *Post  `json:"post_action,omitempty"`
	// Before is the number of iterations used when the run was last restarted (A10).
	Before   int `json:"iterations_before,omitempty"`
	Restarts int `json:"restarts,omitempty"`
}

// Post is the action after a clean audit, as configured when the run began (A51–A58).
type Post struct {
	Skill   string `json:"skill,omitempty"`
	Prompt  string `json:"prompt,omitempty"`
	Push    bool   `json:"push,omitempty"`    // the action may push and open a PR
	Summary string `json:"summary,omitempty"` // the worker's last message, redacted
}

// since returns the commit where the changes under audit begin, or "" if the phase is not an audit
// or the commit is unknown.
func (r *Run) since(p Phase) string {
	switch {
	case !p.Audits():
		return ""
	case p == FinalAuditing:
		return r.Base
	}
	return r.SectionBase
}

// seen returns how many changed files the auditor looked at, and whether it ran the check.
func (r *Run) seen(a *attempt.Attempt, e *attempt.Evidence) *attempt.Seen {
	s := &attempt.Seen{Changed: len(e.Changed)}
	for _, file := range e.Changed {
		if slices.Contains(a.Looked, file) {
			s.Read++
		}
	}
	if r.Check != "" {
		s.Check = map[bool]string{true: "run", false: "not run"}[a.Ran]
	}
	return s
}

// The words for a verdict.
const (
	cleanWord = "clean"
	dirtyWord = "dirty"
)

// Phase is the kind of work done by an iteration of an audit loop.
type Phase string

// The phases (A16). Fixing is the coding after a dirty final audit (A46).
const (
	Coding        Phase = "coding"
	Auditing      Phase = "auditing"
	FinalAuditing Phase = "final_auditing"
	Fixing        Phase = "fix"
	PostAction    Phase = "post_action"
	Complete      Phase = "complete"
)

// PhaseOf returns the phase of an attempt, or "" if it has none.
func PhaseOf(a *attempt.Attempt) Phase {
	if a == nil {
		return ""
	}
	return Phase(a.Phase)
}

// Phases lists the phases that do work, in the order of a run.
var Phases = [...]Phase{Coding, Auditing, FinalAuditing, Fixing, PostAction}

// Audits reports whether the phase is an audit, which only reads.
func (p Phase) Audits() bool { return p == Auditing || p == FinalAuditing }

// Codes reports whether the phase changes the tree: it codes a section or fixes findings.
func (p Phase) Codes() bool { return p == Coding || p == Fixing }

// turn returns the audit that follows a coding phase, or the coding phase that follows a dirty
// audit.
func (p Phase) turn() Phase {
	switch p {
	case Coding:
		return Auditing
	case Auditing:
		return Coding
	case Fixing:
		return FinalAuditing
	}
	return Fixing
}

// Limits on an audit loop.
const (
	maxSections = 24 // sections in a plan (A44)
	maxRetries  = 3  // consecutive audits without a verdict (A63, A64)
	perSection  = 4  // default iterations for a section: two rounds of coding and audit
	minDefault  = 15 // minimum default iteration ceiling (A66)
)

// Iterations returns the default iteration ceiling for a plan with that many sections (A66).
func Iterations(sections int) int { return max(minDefault, perSection*sections+3) }

// Line holds the fields of a history line that describe a phase (A23).
type Line struct {
	Phase     Phase             `json:"phase"`
	Section   int               `json:"section"` // from 1
	Judgement attempt.Judgement `json:"judgement"`
	Fresh     string            `json:"fresh,omitempty"`
	Opened    []string          `json:"findings_opened,omitempty"`
	Resolved  []string          `json:"findings_resolved,omitempty"`
}

// Methods of loop.Record.

func (l *Line) Judged() *attempt.Judgement { return &l.Judgement }
func (l *Line) Context() string            { return l.Fresh }

// Cells returns the phase with its section, such as "auditing 2".
func (l *Line) Cells() []string {
	switch l.Phase {
	case "":
		return nil
	case Coding, Auditing:
		return []string{fmt.Sprintf("%s %d", l.Phase, l.Section)}
	}
	return []string{strings.ReplaceAll(string(l.Phase), "_", " ")}
}

func (l *Line) Changes() (list []string) {
	if len(l.Opened) > 0 {
		list = append(list, "opened "+strings.Join(l.Opened, " "))
	}
	if len(l.Resolved) > 0 {
		list = append(list, "resolved "+strings.Join(l.Resolved, " "))
	}
	return list
}

func (l *Line) Cost(loop.Payload) (number int, title, phase string) {
	return slices.Index(Phases[:], l.Phase), "", string(l.Phase)
}

func (r *Run) Clone() loop.Payload { return r.clone() }

func (r Run) clone() *Run {
	r.Findings = slices.Clone(r.Findings)
	if r.Post != nil {
		post := *r.Post
		r.Post = &post
	}
	return &r
}

// title returns the title of the current section, or "" if the run file has lost it.
func (r *Run) title() string {
	if r.Section < 0 || r.Section >= len(r.Sections) {
		return ""
	}
	return r.Sections[r.Section]
}

// Heading returns the name of the current phase, with the title of its section, or with the plan
// once all sections are done.
func (r *Run) Heading() (name, title string) {
	if r.Phase == Coding || r.Phase == Auditing {
		return r.UnderWay(), r.title()
	}
	return r.UnderWay(), r.Plan
}

func (r *Run) Retune(loop.TaskFlags) []string              { return nil }
func (r *Run) Enter(*loop.Tick, loop.EntryFacts, bool)     {}
func (r *Run) Answered(e loop.EntryFacts)                  { r.acceptLast(&e.Attempt) }
func (r *Run) Unmeasured(*loop.Tick, string) (int, string) { return 0, "" }
func (r *Run) Measured(int, attempt.CheckRun)              {}
func (r *Run) NoCheck(attempt.CheckRun) string             { return "" }

// Begin prepares an attempt at the current phase. It returns false if no work is left.
func (r *Run) Begin(a *attempt.Attempt) bool {
	if r.Phase == Complete || r.Section < 0 || r.Section >= len(r.Sections) {
		return false
	}
	r.Branch = cmp.Or(r.Branch, a.Branch)
	if r.Base == "" {
		r.Base, r.SectionBase = a.Start(), a.Start()
	}
	return true
}

// Aim sets an attempt's phase to the current one.
func (r *Run) Aim(a *attempt.Attempt) {
	nonce := strings.TrimPrefix(a.Token, a.Phase)
	a.Task, a.Of, a.Try, a.Title = r.Section+1, len(r.Sections), r.Retries+1, r.title()
	a.Phase, a.Token = string(r.Phase), string(r.Phase)+nonce
}

// restart applies --restart. The iteration and error counts start over, but the plan, sections,
// phase and findings stay (A9, A10).
func (r *Run) restart(b *loop.Budget, by loop.Request) {
	most := b.Ceilings.Iterations - r.Before
	if by.Flags.Names("--max-iterations") {
		most = by.Flags.Iterations
	}
	r.Before, r.Reason = b.IterationsUsed, ""
	r.Restarts++
	b.Ceilings.Iterations = min(b.IterationsUsed+most, loop.MaxUnits)
}

// Resume resets the retry and outage counts. A person who resumes the run accepts the branch as it
// is, and may name another check.
func (r *Run) Resume(run *loop.Budget, by loop.Request) {
	if by.Flags.Restart {
		r.restart(run, by)
	}
	r.Retries, r.Outages = 0, 0
	r.Drive = loop.ResumedDrive(by.Flags.Task.Drive, r.Drive)
	if by.Unasked() {
		return
	}
	r.Tip, r.Branch = "", ""
	r.Check = cmp.Or(by.Flags.Task.Check, r.Check)
}

// count advances the run by one phase (A16, A45–A50).
func (r *Run) count(a *attempt.Attempt, j attempt.Judgement) {
	if j.Check != nil {
		r.Checked = j.Check
	}
	if r.Outages++; j.Verdict != attempt.Outage {
		r.Outages = 0
	}
	if j.SHA != "" && (j.Why == "" || j.Why == openFindings) {
		r.Tip = j.SHA
	}
	retries := r.Retries
	r.Retries, r.Reason = 0, ""
	switch {
	case r.Phase == PostAction: // a failed post action completes the run too (A57)
		if j.Verdict == attempt.Ended && r.Post != nil {
			r.Post.Summary = a.Last
		}
		r.Phase = Complete
	case j.Verdict == attempt.Outage: // it neither counts as a retry nor resets the count
		r.Retries, r.Reason = retries, j.Why
	case r.Phase.Codes():
		r.Phase = r.Phase.turn()
	case j.Verdict == attempt.Clean,
		j.Verdict == attempt.Dirty && j.Why == openFindings && r.open() == 0:
		r.audited(cleanWord, j) // a person may have accepted the open findings
		r.clear(j.SHA)
	case j.Verdict == attempt.Dirty:
		r.audited(dirtyWord, j)
		if r.Phase = r.Phase.turn(); j.Why != openFindings {
			r.Reason = j.Why
		}
	default:
		r.Retries, r.Reason = retries+1, j.Why
	}
}

// audited records the verdict of an audit.
func (r *Run) audited(word string, j attempt.Judgement) {
	r.Audits++
	r.Verdict = &attempt.WorkerVerdict{Word: word, SHA: j.SHA, Seen: j.Seen}
	if r.Dirty++; word == cleanWord {
		r.Dirty = 0
	}
}

// clear moves on after a clean audit: to the next section, to the final audit if there are several
// sections, to the post action if there is one, or else to the end.
func (r *Run) clear(sha string) {
	switch {
	case r.Phase == Auditing && r.Section+1 < len(r.Sections):
		r.SectionBase, r.Phase = sha, Coding
		r.Section++
	case r.Phase == Auditing && len(r.Sections) > 1:
		r.SectionBase, r.Phase = sha, FinalAuditing
	case r.Post != nil:
		r.FinalDone, r.Phase = true, PostAction
	default:
		r.FinalDone, r.Phase = true, Complete
	}
}

// Line returns the phase's part of the history line.
func (r *Run) Line(t *loop.Tick) loop.Record {
	a := t.Attempt
	if a.Phase == "" {
		return nil
	}
	return &Line{Phase: PhaseOf(a), Section: a.Task, Judgement: t.Verdict(), Fresh: a.Fresh,
		Opened: a.Opened, Resolved: a.Resolved}
}

// Fold counts the ending phase.
func (r *Run) Fold(t *loop.Tick, _ loop.Ending) {
	if a := t.Attempt; a.Phase != "" && PhaseOf(a) == r.Phase {
		r.count(a, t.Verdict())
	}
}

// In names the phase for a person, such as "the audit of section 2".
func (p Phase) In(section, sections int) string {
	of := fmt.Sprintf(" of section %d", section)
	if sections < 2 {
		of = ""
	}
	switch p {
	case Coding:
		return "the coding phase" + of
	case Auditing:
		return "the audit" + of
	case FinalAuditing:
		return "the final audit"
	case Fixing:
		return "the fix"
	}
	return "the post action"
}

func (r *Run) Name(a *attempt.Attempt) string { return PhaseOf(a).In(a.Task, a.Of) }

func (r *Run) Ending(a *attempt.Attempt) string {
	if PhaseOf(a).Audits() {
		return "Then report findings and a verdict with `hooks report`, and end your turn. " +
			"An audit without a verdict does not count."
	}
	return "Then end your turn with one short line."
}

// Conditions of an audit loop.

func auditClear(f *loop.Facts) string {
	r := Of(f.Run)
	if r.Phase != Complete {
		return ""
	}
	return "The audit is clear. " + r.Result()
}

func noVerdicts(f *loop.Facts, in Phase) string {
	r := Of(f.Run)
	if r.Phase != in || r.Retries < maxRetries {
		return ""
	}
	return fmt.Sprintf("%d audits in a row ended without a verdict: %s", r.Retries, r.Reason)
}

// Result summarizes the run, such as "2 of 3 sections clean, 1 open bug, 0 open warnings".
func (r *Run) Result() string {
	return fmt.Sprintf("%d of %s clean, %s, %s", r.Clean(),
		english.Plural(len(r.Sections), "section"),
		english.Plural(r.Found.Bugs, "open bug"), english.Plural(r.Found.Warnings, "open warning"))
}

// Clean returns the number of sections whose audit was clean.
func (r *Run) Clean() int {
	if r.Phase == Coding || r.Phase == Auditing {
		return r.Section
	}
	return len(r.Sections)
}

func tellClear(f *loop.Facts) string {
	r := Of(f.Run)
	return fmt.Sprintf("%s, phase %s; fires when every audit is clean", r.Result(),
		strings.ReplaceAll(string(r.Phase), "_", " "))
}

// UnderWay names the current phase, such as "the audit of section 2".
func (r *Run) UnderWay() string { return r.Phase.In(r.Section+1, len(r.Sections)) }

func (r *Run) Attempts() loop.Attempts {
	a := loop.Attempts{
		Drive: r.Drive, Check: r.Check, Minutes: r.CheckMinutes, Tip: r.Tip, Outages: r.Outages,
		Reports: true, Reads: r.Phase.Audits(), Since: r.since(r.Phase),
		Agent: "worker", Unjudged: attempt.Ended, Whole: "the phase's own",
		Failed: "phases in a row ended through no fault of the work",
		Done:   r.Phase == Complete, Source: r.Plan, Sum: r.PlanSum, Root: r.Worktree,
		Number: r.Section + 1, Branch: r.Branch, Base: r.Base, Before: r.Before,
		Filed: r.Found.Bytes > 0, Finished: r.Clean(), Total: len(r.Sections), Unit: "section",
	}
	switch {
	case a.Reads:
		a.Agent, a.Unjudged = "auditor", attempt.Undecided // its agent has no write tool
	case r.Phase == PostAction:
		a.Agent = "" // it may need any tool
	}
	if r.Verdict != nil {
		a.Audited = r.Verdict.SHA
	}
	return a
}

func (r *Run) Next() string { return r.UnderWay() + " of " + r.Plan }

func (r *Run) Advanced(since loop.Payload) bool {
	was := since.(*Run)
	clean := r.Audits > was.Audits && r.Verdict.Word == cleanWord
	green := was.Checked != nil && was.Checked.Exit != 0 && r.Checked.Exit == 0
	return clean || green
}

// Judge judges the phase when its worker ends.
func (r *Run) Judge(s loop.State, k *loop.Known) (hold *loop.Continue) {
	a := s.Tick.Attempt
	if PhaseOf(a) == PostAction {
		k.Require(&k.Claim)
		a.Last = k.Claim.Value.Last
		return s.Settle(attempt.Judgement{Verdict: attempt.Ended})
	}
	k.Require(&k.Evidence)
	e := k.Evidence.Value
	j := attempt.Judgement{Verdict: attempt.Ended, SHA: e.Head}
	if PhaseOf(a).Audits() {
		return r.judgeVerdict(s, j, e)
	}
	why, more := e.Untidy(cmp.Or(r.Branch, a.Branch), "loop")
	switch j.Why = cmp.Or(unknown(a, e), why); {
	case j.Why != "":
		return s.Miss(j, more)
	case r.Check == "":
		return s.Settle(j)
	}
	k.Require(&k.Check)
	j.Check = k.Check.Value
	if j.Why = j.Check.Fails(e.Head); j.Why != "" {
		return s.Miss(j, j.Check.Tail)
	}
	return s.Settle(j)
}

// unknown explains why the state of the tree is unknown. It returns "" if git reported it.
func unknown(a *attempt.Attempt, e *attempt.Evidence) string {
	switch {
	case a.Unread != "":
		return "git could not tell where the phase began: " + a.Unread
	case a.NoGit:
		return "there is no repository"
	case e.Failed != "":
		return "git could not read the tree: " + e.Failed
	}
	return ""
}

// whyUnchecked explains why the check has not passed at commit head. It returns "" if the check has
// passed, or if there is no check command.
func (r *Run) whyUnchecked(head string) string {
	switch c := r.Checked; {
	case r.Check == "":
		return ""
	case c == nil, c.Exit == 0 && c.Head != head:
		return "the check has not run on this commit"
	default:
		return c.Fails(head)
	}
}

// judgeVerdict compares an auditor's verdict with the open findings, the tree and the check (A33,
// A71, A75).
func (r *Run) judgeVerdict(s loop.State, j attempt.Judgement, e *attempt.Evidence) *loop.Continue {
	a := s.Tick.Attempt
	v, unknown, more := a.Reported, unknown(a, e), ""
	untidy, _ := e.Untidy(cmp.Or(r.Branch, a.Branch), "loop")
	left := cmp.Or(untidy, r.whyUnchecked(e.Head))
	j.Verdict, j.Seen = attempt.Undecided, r.seen(a, e)
	switch {
	case unknown != "":
		j.Why = unknown
		return s.Miss(j, "")
	case v == nil:
		j.Why = "no verdict was reported"
	case v.SHA != e.Head:
		more = "Look at the new commit too."
		j.Why = fmt.Sprintf("the verdict is for commit %s, but HEAD is now %s",
			attempt.Short(v.SHA), attempt.Short(e.Head))
	case v.Word == dirtyWord && r.open() == 0: // the findings were resolved after the verdict
		j.Why = "the verdict is dirty, but no finding is open"
	case v.Word == cleanWord && r.Found.Bugs == 0 && j.Seen.Read == 0 && j.Seen.Changed > 0:
		more = "Look at them with Read, git diff or git show."
		j.Why = "the verdict is clean, but the auditor looked at 0 of " +
			english.Plural(j.Seen.Changed, "changed file")
	case left != "":
		j.Verdict, j.Why = attempt.Dirty, left
	case r.Found.Bugs > 0, v.Word == dirtyWord:
		j.Verdict, j.Why = attempt.Dirty, openFindings
	default:
		j.Verdict = attempt.Clean
	}
	if j.Verdict != attempt.Undecided {
		return s.Settle(j)
	}
	a.Reported = nil
	return s.Miss(j, more)
}
