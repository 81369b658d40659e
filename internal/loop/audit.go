package loop

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// AuditKind is the kind of loop that carries out a plan and audits each of its sections (A1).
var AuditKind = Kind{
	Name: Audit, Commands: []string{"audit"}, MaxHolds: 6,
	Ceilings: Ceilings{Iterations: minDefault, PRs: 20, Minutes: 480, Dollars: 25 * Dollar},
	Endless:  true, Alone: true, Silent: true,
	Driver:   "hooks go audit",
	Flags:    []string{"--check", "--check-timeout", "--drive", "--untidy"},
	Switches: []string{"--restart"},
	Report:   `{"findings":[],"resolved":[],"verdict":"clean"}`,
	Fields: `{"findings":[{"file":"a.go","line":1,"severity":"bug|warning","description":"…",` +
		`"scenario":"…"}],"resolved":["F1"],"verdict":"clean|dirty","note":"…"}`,
	Conditions: []Condition{
		{17, "audit-clear", "audit_complete", Entry | Exit, nil, auditClear, tellClear,
			"look at the report card, then push the branch", "its audit is clear"},
		{18, "audit-retries", "audit_retry_exhausted", Exit, nil, noVerdicts(Auditing),
			tellNoVerdicts(Auditing), silentAuditor, "several audits in a row gave no verdict"},
		{19, "final-audit-retries", "final_audit_retry_exhausted", Exit, nil,
			noVerdicts(FinalAuditing), tellNoVerdicts(FinalAuditing), silentAuditor,
			"several final audits in a row gave no verdict"},
	},
	Applies: hasAudit, Gates: auditGates, Completes: "audit_complete", Rule: Call.audited,
	Run: Part{"audit", (*AuditRun)(nil)}, Line: Part{"audit", (*AuditLine)(nil)},
}

const silentAuditor = "see in the transcript why the auditor reports nothing, then type the " +
	"command with --restart"

// hasAudit is the Applies of rows for audit loops.
func hasAudit(b *Budget) bool { return AuditOf(b) != nil }

// AuditOf returns the state that an audit loop adds to the run, or nil for any other run.
func AuditOf(b *Budget) (r *AuditRun) {
	if b != nil {
		r, _ = b.Own.(*AuditRun)
	}
	return r
}

// PhaseOf returns the fields that an audit loop adds to the line, or nil for any other line.
func PhaseOf(l *Iteration) (own *AuditLine) {
	if l != nil {
		own, _ = l.Own.(*AuditLine)
	}
	return own
}

// AuditRun is the additional state of an audit loop's run (A17).
type AuditRun struct {
	Plan    string `json:"plan"`     // path, relative to the project
	PlanSum string `json:"plan_sum"` // hash of the text that was split at the start (A44)
	// Sections lists the titles of the plan's parts, in order; at least one (A40).
	Sections []string `json:"sections"`
	Section  int      `json:"section"` // current section, from 0 (A41)
	Phase    Phase    `json:"phase"`
	Drive    string   `json:"drive"`           // as in TaskRun
	Check    string   `json:"check,omitempty"` // a person's command, or ""
	// CheckMinutes bounds one run of the check command.
	CheckMinutes int       `json:"check_minutes,omitempty"`
	Checked      *CheckRun `json:"checked,omitempty"` // its last run
	Worktree     string    `json:"worktree"`
	Branch       string    `json:"branch,omitempty"`
	// Tip is the commit at the end of the last phase that left the tree in order. The branch must
	// keep it, but a person's resume accepts the branch as it is.
	Tip         string `json:"tip,omitempty"`
	Base        string `json:"base,omitempty"`         // commit at which the run began
	SectionBase string `json:"section_base,omitempty"` // commit at which the section began
	FinalDone   bool   `json:"final_audit_done,omitempty"`
	Audits      int    `json:"audits"`            // that ended with a verdict
	Retries     int    `json:"retries,omitempty"` // audits in a row that ended without one
	// Dirty counts the dirty audits in a row, of one section or of the whole plan.
	Dirty int `json:"dirty_in_a_row,omitempty"`
	// Outages counts the phases in a row that ended by no fault of the work.
	Outages int `json:"outages,omitempty"`
	// Findings holds the findings from the run's own file, if they were read. Budgets of earlier
	// versions contain them.
	Findings []Finding `json:"findings,omitempty"`
	Found    Tally     `json:"found,omitzero"`
	LastID   int       `json:"last_finding,omitempty"` // number of the newest finding
	// Verdict is the verdict of the last audit, bound to its commit (A75).
	Verdict *AuditVerdict `json:"verdict,omitempty"`
	Reason  string        `json:"reason,omitempty"` // why the last phase was not accepted
	Post    *Post         `json:"post_action,omitempty"`
	// Before counts the iterations that the run had used at its last restart (A10).
	Before   int `json:"iterations_before,omitempty"`
	Restarts int `json:"restarts,omitempty"`
}

// Post is the action after a clean audit, as it was configured when the run began (A51–A58).
type Post struct {
	Skill   string `json:"skill,omitempty"`
	Prompt  string `json:"prompt,omitempty"`
	Push    bool   `json:"push,omitempty"`    // it may push and open a PR
	Summary string `json:"summary,omitempty"` // the worker's last words, redacted
}

// AuditVerdict is the verdict that an auditor reported. It holds for one commit (A71, A75).
type AuditVerdict struct {
	Word string `json:"verdict"` // clean or dirty
	SHA  string `json:"sha"`
	Seen *Seen  `json:"seen,omitempty"` // nil if an older version recorded it
}

// Stale reports whether head is another commit than the verdict's. It is false if head is "", which
// means unknown.
func (v *AuditVerdict) Stale(head string) bool { return v != nil && head != "" && head != v.SHA }

// About describes the share of the changes that the auditor read, and whether the verdict is stale.
func (v *AuditVerdict) About(head string) (text string) {
	if v.Seen != nil {
		text = ", " + v.Seen.String()
	}
	if v.Stale(head) {
		text += "; stale, HEAD is " + short(head)
	}
	return text
}

// Seen describes how much of the changes an auditor looked at.
type Seen struct {
	Read    int    `json:"read"`            // of the changed files
	Changed int    `json:"changed"`         // files
	Check   string `json:"check,omitempty"` // "run" or "not run"; "" without a check command
}

// String returns the description, as in "read 2 of 3 changed files, check run".
func (s *Seen) String() string {
	text := fmt.Sprintf("read %d of %s", s.Read, Plural(s.Changed, "changed file"))
	if s.Check != "" {
		text += ", check " + s.Check
	}
	return text
}

// maxLooked bounds the files that are recorded as looked at by an auditor.
const maxLooked = 1000

// looks records that an auditor looks at files or runs the check, and reports whether that is new.
func (a *Attempt) looks(files []string, check bool) bool {
	had, ran := len(a.Looked), a.Ran
	if had < maxLooked {
		a.Looked = AppendNew(slices.Clone(a.Looked), files...)
	}
	a.Ran = ran || check
	return len(a.Looked) > had || a.Ran != ran
}

// Audited returns the commit at which the changes under audit begin. It returns "" in any other
// phase, or if the commit is not known.
func (r *AuditRun) Audited(p Phase) string {
	switch {
	case r == nil || !p.Audits():
		return ""
	case p == FinalAuditing:
		return r.Base
	}
	return r.SectionBase
}

// seen counts the changed files and how many of them the auditor looked at.
func (r *AuditRun) seen(a *Attempt, e *Evidence) *Seen {
	s := &Seen{Changed: len(e.Changed)}
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

// The words of a verdict.
const (
	cleanWord = "clean"
	dirtyWord = "dirty"
)

// Phase is the kind of work that an iteration of an audit loop does.
type Phase string

// The phases (A16). Fix is the coding after a dirty final audit (A46).
const (
	Coding        Phase = "coding"
	Auditing      Phase = "auditing"
	FinalAuditing Phase = "final_auditing"
	Fixing        Phase = "fix"
	PostAction    Phase = "post_action"
	Complete      Phase = "complete"
)

// Phases lists the phases in which work is done, in the order of a run.
var Phases = [...]Phase{Coding, Auditing, FinalAuditing, Fixing, PostAction}

// Audits reports whether the phase is an audit, which only reads.
func (p Phase) Audits() bool { return p == Auditing || p == FinalAuditing }

// phaseEvent is the way in which a phase ended.
type phaseEvent string

const (
	ended       phaseEvent = "ended"      // the worker ended; no claim is needed
	nextSection phaseEvent = "next"       // clean, and sections are left
	lastSection phaseEvent = "last"       // clean, and it was the last of several
	allClear    phaseEvent = "clear"      // clean, and no work is left
	clearToPost phaseEvent = "clear-post" // clean, and a post action is configured
	dirty       phaseEvent = "dirty"
	noVerdict   phaseEvent = "no-verdict"
)

// phases is the state machine of an audit loop (A16). A pair that is not listed leaves the phase as
// it is.
var phases = []struct {
	from Phase
	on   phaseEvent
	to   Phase
}{
	{Coding, ended, Auditing},
	{Fixing, ended, FinalAuditing},
	{Auditing, nextSection, Coding},
	{Auditing, lastSection, FinalAuditing},
	{Auditing, allClear, Complete},
	{Auditing, clearToPost, PostAction},
	{Auditing, dirty, Coding},
	{Auditing, noVerdict, Auditing},
	{FinalAuditing, allClear, Complete},
	{FinalAuditing, clearToPost, PostAction},
	{FinalAuditing, dirty, Fixing},
	{FinalAuditing, noVerdict, FinalAuditing},
	{PostAction, ended, Complete},
}

func (p Phase) after(on phaseEvent) Phase {
	for _, e := range phases {
		if e.from == p && e.on == on {
			return e.to
		}
	}
	return p
}

// Bounds of an audit loop.
const (
	MaxSections = 24 // of a plan (A44)
	maxRetries  = 3  // audits in a row without a verdict (A63, A64)
	perSection  = 4  // default iterations of a section: code, audit, and once again
	minDefault  = 15 // default iterations (A66)
)

// AuditIterations returns the default ceiling of iterations for a plan with that many sections
// (A66).
func AuditIterations(sections int) int { return max(minDefault, perSection*sections+3) }

// AuditLine holds the fields of a history line about the phase (A23).
type AuditLine struct {
	Phase     Phase     `json:"phase"`
	Section   int       `json:"section"` // from 1
	Judgement Judgement `json:"judgement"`
	Fresh     string    `json:"fresh,omitempty"`
	Opened    []string  `json:"findings_opened,omitempty"`
	Resolved  []string  `json:"findings_resolved,omitempty"`
}

// Clone implements Payload.
func (r *AuditRun) Clone() Payload { return r.clone() }

func (r AuditRun) clone() *AuditRun {
	r.Findings = slices.Clone(r.Findings)
	if r.Post != nil {
		post := *r.Post
		r.Post = &post
	}
	return &r
}

// title returns the title of the current section, or "" if the file has lost it.
func (r *AuditRun) title() string {
	if r.Section < 0 || r.Section >= len(r.Sections) {
		return ""
	}
	return r.Sections[r.Section]
}

// About returns the title of the current section, or the plan once all sections are done.
func (r *AuditRun) About() string {
	if r.Phase == Coding || r.Phase == Auditing {
		return r.title()
	}
	return r.Plan
}

// PhaseAttempt is the additional state of an attempt at a phase.
type PhaseAttempt struct {
	Phase   Phase         `json:"phase,omitempty"`
	Verdict *AuditVerdict `json:"verdict,omitempty"` // that was reported
	// ids of the findings that the phase opened and resolved
	Opened   []string `json:"findings_opened,omitempty"`
	Resolved []string `json:"findings_resolved,omitempty"`
	Last     string   `json:"last_words,omitempty"` // the worker's last words in a post action
	// Looked lists the files of the tree that the auditor looked at. Ran reports whether the
	// auditor ran the check.
	Looked []string `json:"looked_at,omitempty"`
	Ran    bool     `json:"check_ran,omitempty"`
	// Told identifies the text of the last report that was taken from an auditor's call.
	Told string `json:"told,omitempty"`
}

func (r *AuditRun) Retune(TaskFlags) []string              { return nil }
func (r *AuditRun) Enter(*Tick, EntryFacts, bool)          {}
func (r *AuditRun) Answered(e EntryFacts)                  { r.acceptLast(e.Head, e.Tree) }
func (r *AuditRun) Unmeasured(*Tick, string) (int, string) { return 0, "" }
func (r *AuditRun) Measured(int, string, CheckRun)         {}
func (r *AuditRun) NoCheck(CheckRun) string                { return "" }

// Begin opens the current phase, unless the run is complete.
func (r *AuditRun) Begin(a *Attempt) bool {
	if r.Phase == Complete || r.Section < 0 || r.Section >= len(r.Sections) {
		return false
	}
	r.Branch = cmp.Or(r.Branch, a.Branch)
	if r.Base == "" {
		r.Base, r.SectionBase = a.start(), a.start()
	}
	return true
}

// Aim points an attempt at the current phase.
func (r *AuditRun) Aim(a *Attempt) {
	nonce := strings.TrimPrefix(a.Token, string(a.Phase))
	a.Phase, a.Task, a.Of, a.Try = r.Phase, r.Section+1, len(r.Sections), r.Retries+1
	a.Title, a.Token = r.title(), string(r.Phase)+nonce
}

// Iteration returns the number of an iteration since the last restart, and the ceiling of
// iterations since then; 0 means no ceiling (A20).
func (b *Budget) Iteration(n int) (number, most int) {
	before := 0
	if AuditOf(b) != nil {
		before = AuditOf(b).Before
	}
	if b.Ceilings.Iterations >= MaxUnits {
		return n - before, 0
	}
	return n - before, b.Ceilings.Iterations - before
}

// restart applies --restart: iterations and errors are counted from 0; plan, sections, phase and
// findings are kept (A9, A10).
func (b *Budget) restart(r Request) {
	most := b.Ceilings.Iterations - AuditOf(b).Before
	if r.Flags.names("--max-iterations") {
		most = r.Flags.Iterations
	}
	AuditOf(b).Before, AuditOf(b).Reason = b.IterationsUsed, ""
	AuditOf(b).Restarts++
	b.Ceilings.Iterations = min(b.IterationsUsed+most, MaxUnits)
}

// Resume prepares the run to be continued: retries and outages are counted from 0. If a person
// resumes it, the branch is accepted as it is.
func (r *AuditRun) Resume(run *Budget, by Request) {
	if by.Flags.Restart {
		run.restart(by)
	}
	r.Retries, r.Outages = 0, 0
	r.Drive = resumedBy(by.Flags.Task.Drive, r.Drive)
	if by.unasked() {
		return
	}
	r.Tip, r.Branch = "", ""
	r.Check = cmp.Or(by.Flags.Task.Check, r.Check)
}

// clears returns the event of a clean audit.
func (r *AuditRun) clears() phaseEvent {
	switch {
	case r.Phase == Auditing && r.Section+1 < len(r.Sections):
		return nextSection
	case r.Phase == Auditing && len(r.Sections) > 1:
		return lastSection
	case r.Post != nil:
		return clearToPost
	}
	return allClear
}

// happened returns the event of a phase that ended with a judgement, or "" if it ended by no fault
// of the work.
func (r *AuditRun) happened(j Judgement) phaseEvent {
	switch {
	case r.Phase == PostAction: // a failed one completes the run too (A57)
		return ended
	case j.Verdict == Outage:
		return ""
	case !r.Phase.Audits():
		return ended
	case j.Verdict == Clean, j.Verdict == Dirty && j.Why == openFindings && r.open() == 0:
		return r.clears() // a person may have accepted what was open
	case j.Verdict == Dirty:
		return dirty
	}
	return noVerdict
}

// count moves the run on by one phase (A45–A50).
func (r *AuditRun) count(a *Attempt, j Judgement) {
	if j.Check != nil {
		r.Checked = j.Check
	}
	if r.Outages++; j.Verdict != Outage {
		r.Outages = 0
	}
	if j.SHA != "" && (j.Why == "" || j.Why == openFindings) {
		r.Tip = j.SHA
	}
	on := r.happened(j)
	if r.Reason = ""; on == "" || on == noVerdict || on == dirty && j.Why != openFindings {
		r.Reason = j.Why
	}
	switch on {
	case "": // it neither counts as a retry nor resets the count
	case noVerdict:
		r.Retries++
	default:
		r.Retries = 0
		r.noteVerdict(on, j)
	}
	switch on {
	case nextSection:
		r.SectionBase = j.SHA
		r.Section++
	case lastSection:
		r.SectionBase = j.SHA
	case allClear, clearToPost:
		r.FinalDone = true
	}
	if r.Phase == PostAction && j.Verdict == Ended && r.Post != nil {
		r.Post.Summary = a.Last
	}
	r.Phase = r.Phase.after(on)
}

// Said returns the verdict for people, as in "clean about 1234567, read 2 of 3 changed files".
func (v *AuditVerdict) Said(head string) string {
	return v.Word + " about " + short(v.SHA) + v.About(head)
}

// noteVerdict records the verdict of an audit that ended with one.
func (r *AuditRun) noteVerdict(on phaseEvent, j Judgement) {
	if !r.Phase.Audits() {
		return
	}
	r.Audits++
	r.Verdict = &AuditVerdict{Word: cleanWord, SHA: j.SHA, Seen: j.Seen}
	if r.Dirty++; on == dirty {
		r.Verdict.Word = dirtyWord
	} else {
		r.Dirty = 0
	}
}

// Line returns the history's record of the phase.
func (r *AuditRun) Line(t *Tick) any {
	a := t.Attempt
	if a.Phase == "" {
		return nil
	}
	return &AuditLine{Phase: a.Phase, Section: a.Task, Judgement: t.verdict(), Fresh: a.Fresh,
		Opened: a.Opened, Resolved: a.Resolved}
}

// Fold counts the phase that ends.
func (r *AuditRun) Fold(t *Tick, _ Ending) {
	if a := t.Attempt; a.Phase != "" && a.Phase == r.Phase {
		r.count(a, t.verdict())
	}
}

// In names the phase for a person, as in "the audit of section 2".
func (p Phase) In(section, sections int) string {
	of := fmt.Sprintf(" of section %d", section)
	if sections < 2 {
		of = ""
	}
	switch p {
	case Coding:
		return "the coding" + of
	case Auditing:
		return "the audit" + of
	case FinalAuditing:
		return "the final audit"
	case Fixing:
		return "the fix"
	}
	return "the post action"
}

func (r *AuditRun) Name(a *Attempt) string { return a.Phase.In(a.Task, a.Of) }

func (r *AuditRun) Ending(a *Attempt) string {
	if a.Phase.Audits() {
		return "Then report findings and a verdict with `hooks report`, and end. Without a " +
			"verdict the audit does not count."
	}
	return "Then end with one short line."
}

func (r *AuditRun) Unjudged(a *Attempt) TaskDone {
	if a.Phase.Audits() {
		return Undecided
	}
	return Ended
}

// The conditions of an audit loop.

func auditClear(f *Facts) string {
	r := AuditOf(f.Run)
	if r.Phase != Complete {
		return ""
	}
	return "The audit is clear. " + r.Result()
}

func noVerdicts(in Phase) func(*Facts) string {
	return func(f *Facts) string {
		r := AuditOf(f.Run)
		if r.Phase != in || r.Retries < maxRetries {
			return ""
		}
		return fmt.Sprintf("%d audits in a row ended without a verdict: %s", r.Retries, r.Reason)
	}
}

// Result summarizes the run, as in "2 of 3 sections clean, 1 open bug, 0 open warnings".
func (r *AuditRun) Result() string {
	return fmt.Sprintf("%d of %s clean, %s, %s", r.Clean(), Plural(len(r.Sections), "section"),
		Plural(r.Found.Bugs, "open bug"), Plural(r.Found.Warnings, "open warning"))
}

// Clean returns the number of sections whose audit was clean.
func (r *AuditRun) Clean() int {
	if r.Phase == Coding || r.Phase == Auditing {
		return r.Section
	}
	return len(r.Sections)
}

func tellClear(f *Facts) string {
	r := AuditOf(f.Run)
	return fmt.Sprintf("%s, phase %s; fires once all is clean", r.Result(),
		strings.ReplaceAll(string(r.Phase), "_", " "))
}

func tellNoVerdicts(in Phase) func(*Facts) string {
	return func(f *Facts) string {
		retries := 0
		if r := AuditOf(f.Run); r.Phase == in {
			retries = r.Retries
		}
		return fmt.Sprintf("%s in a row without a verdict; fires at %d", Plural(retries, "audit"),
			maxRetries)
	}
}

// AuditStatus returns the status of an audit run by the cause that ended it (A6, A66).
func (b *Budget) AuditStatus() string {
	if b.Status != Halted {
		return "running"
	}
	switch b.StopCause {
	case "audit_complete":
		return "completed"
	case CauseInterrupt, "prior_gate_stop", "lock_contention":
		return "cancelled"
	case "stalled", CauseStall:
		return "stalled"
	}
	return "errored"
}

// Restartable reports whether --restart may continue the run. It may not if the run has completed
// (A5, A7).
func (b *Budget) Restartable() bool { return b.AuditStatus() != "completed" }

// UnderWay names the current phase, as in "the audit of section 2".
func (r *AuditRun) UnderWay() string { return r.Phase.In(r.Section+1, len(r.Sections)) }

func (r *AuditRun) Attempts() Attempts {
	return Attempts{
		Drive: r.Drive, Check: r.Check, Minutes: r.CheckMinutes, Tip: r.Tip, Outages: r.Outages,
		MaxIdle: maxIdle, Looks: true, Whole: "the phase's own",
		Failed: "phases in a row ended by no fault of the work",
		Done:   r.Phase == Complete,
	}
}

func (r *AuditRun) Next() string { return r.UnderWay() + " of " + r.Plan }

func (r *AuditRun) Advanced(since Payload) bool {
	was := since.(*AuditRun)
	clean := r.Audits > was.Audits && r.Verdict.Word == cleanWord
	green := was.Checked != nil && was.Checked.Exit != 0 && r.Checked.Exit == 0
	return clean || green
}

// Judge judges a phase as its worker ends.
func (r *AuditRun) Judge(s State, k *Known) (missing bool, hold *Continue) {
	a := s.Tick.Attempt
	if a.Phase == PostAction {
		if k.lacks(&k.Claim) {
			return true, nil
		}
		a.Last = k.Claim.Is.Last
		return false, s.settle(Judgement{Verdict: Ended})
	}
	if k.lacks(&k.Evidence) {
		return true, nil
	}
	e := k.Evidence.Is
	j := Judgement{Verdict: Ended, SHA: e.Head}
	if a.Phase.Audits() {
		return false, s.judgeVerdict(j, e)
	}
	switch j.Why = cmp.Or(a.unknown(e), s.astray(e)); {
	case j.Why != "":
		return false, s.miss(j, strings.Join(e.Dirty[:min(len(e.Dirty), 20)], "\n"))
	case r.Check == "":
		return false, s.settle(j)
	}
	if k.lacks(&k.Check) {
		return true, nil
	}
	check := *k.Check.Is
	j.Check = &check
	if j.Why = red(&check, e.Head); j.Why != "" {
		return false, s.miss(j, check.Tail)
	}
	return false, s.settle(j)
}

// unknown explains why the state of the tree is not known, or returns "" if git reported it.
func (a *Attempt) unknown(e *Evidence) string {
	switch {
	case a.Unread != "":
		return "git could not tell where the phase began: " + a.Unread
	case a.NoGit:
		return "there is no repository"
	case e.Failed != "":
		return "git cannot tell: " + e.Failed
	}
	return ""
}

// astray explains why the tree is not as a phase has to leave it, or returns "" if it is.
func (s State) astray(e *Evidence) string {
	branch := cmp.Or(AuditOf(s.Run).Branch, s.Tick.Attempt.Branch)
	switch {
	case e.Branch != branch:
		return fmt.Sprintf("the branch is %s, the loop began on %s", orNone(e.Branch),
			orNone(branch))
	case e.Dropped != "":
		return e.dropped()
	case len(e.Dirty) > 0:
		return Plural(len(e.Dirty), "file") + " not committed"
	}
	return ""
}

// unchecked explains why the check has not passed at that commit. It returns "" if it has, or if
// there is no check.
func (r *AuditRun) unchecked(head string) string {
	switch c := r.Checked; {
	case r.Check == "":
		return ""
	case c == nil, c.Exit == 0 && c.Head != head:
		return "the check did not run on this commit"
	default:
		return red(c, head)
	}
}

// judgeVerdict compares an auditor's verdict with the open findings, the tree and the check (A33,
// A71, A75).
func (s State) judgeVerdict(j Judgement, e *Evidence) *Continue {
	a, r := s.Tick.Attempt, AuditOf(s.Run)
	v, unknown := a.Verdict, a.unknown(e)
	left := cmp.Or(s.astray(e), r.unchecked(e.Head))
	j.Seen = r.seen(a, e)
	switch {
	case unknown != "":
		j.Verdict, j.Why = Undecided, unknown
		return s.miss(j, "")
	case v == nil:
		j.Verdict, j.Why = Undecided, "no verdict was reported"
		return s.miss(j, "")
	case v.SHA != e.Head:
		a.Verdict = nil
		j.Verdict, j.Why = Undecided, fmt.Sprintf("the verdict is about %s, and HEAD is %s now",
			short(v.SHA), short(e.Head))
		return s.miss(j, "Look at the new commit too.")
	case v.Word == dirtyWord && r.open() == 0: // they were resolved since
		a.Verdict = nil
		j.Verdict, j.Why = Undecided, "the verdict is dirty, and no finding is open"
		return s.miss(j, "")
	case v.Word == cleanWord && r.Found.Bugs == 0 && j.Seen.Read == 0 && j.Seen.Changed > 0:
		a.Verdict = nil
		j.Verdict, j.Why = Undecided, fmt.Sprintf("the verdict is clean, and the auditor looked "+
			"at none of %s", Plural(j.Seen.Changed, "changed file"))
		return s.miss(j, "Look with Read, git diff or git show.")
	case left != "":
		j.Verdict, j.Why = Dirty, left
	case r.Found.Bugs > 0, v.Word == dirtyWord:
		j.Verdict, j.Why = Dirty, openFindings
	default:
		j.Verdict = Clean
	}
	return s.settle(j)
}
