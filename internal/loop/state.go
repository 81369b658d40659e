package loop

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"
)

// Version is the format version of all files under .sdd/loop. Files with a higher version are never
// rewritten.
const Version = 1

// Skill names a kind of loop by the skill that it invokes on every tick.
type Skill string

// Status is the state of a run.
type Status string

// The states of a run. A paused run waits for a person, and --resume continues it.
const (
	Active Status = "active"
	Halted Status = "halted"
	Paused Status = "paused"
)

// StatusWord returns the run's status as one word, derived from its stop cause (A6, A66).
func (b *Budget) StatusWord() string {
	switch cause := b.StopCause; {
	case b.Status != Halted:
		return "running"
	case Completes(cause):
		return "completed"
	case cause == CauseInterrupt, cause == "prior_gate_stop", cause == "lock_contention":
		return "cancelled"
	case cause == "stalled", cause == CauseStall:
		return "stalled"
	}
	return "errored"
}

// LineOutcome is an iteration's outcome in its history line.
type LineOutcome string

// The outcomes recorded in history lines (R119).
const (
	OK          LineOutcome = "ok"
	Errored     LineOutcome = "errored"
	Stopped     LineOutcome = "halted"
	Waiting     LineOutcome = "paused"
	SkippedLock LineOutcome = "skipped_lock"
)

// Ceilings holds the four limits of a run. Each applies to the run as a whole (R6–R9, R15). If
// Dollars is 0, there is no dollar ceiling.
type Ceilings struct {
	Iterations int `json:"max_iterations"`
	PRs        int `json:"max_prs"`
	Minutes    int `json:"max_minutes"`
	Dollars    USD `json:"max_dollars"`
}

// Policy holds answers to the questions about ceilings and merges that a person gave in advance as
// flags. An empty value, found in files from older versions, means the default.
type Policy struct {
	NearLimit string `json:"near_limit,omitempty"` // NearAsk, NearContinue or NearStop
	Merges    string `json:"merges,omitempty"`     // MergesFeedback, MergesAsk or MergesNever
}

// Words returns the flags whose answers differ from the default, or "" if there are none.
func (p Policy) Words() string {
	var words []string
	if p.NearLimit != "" && p.NearLimit != NearAsk {
		words = append(words, "--near-limit "+p.NearLimit)
	}
	if p.Merges != "" && p.Merges != MergesFeedback {
		words = append(words, "--merges "+p.Merges)
	}
	return strings.Join(words, " ")
}

// The values of --near-limit and --merges; the first of each group is the default.
const (
	NearAsk      = "ask"
	NearContinue = "continue"
	NearStop     = "stop"

	MergesFeedback = "feedback"
	MergesAsk      = "ask"
	MergesNever    = "never"
)

// Tokens counts each kind of token that the client bills separately, summed over requests.
type Tokens struct {
	Input        int64 `json:"input"`
	Output       int64 `json:"output"`
	CacheRead    int64 `json:"cache_read"`
	CacheWrite5m int64 `json:"cache_write_5m"`
	CacheWrite1h int64 `json:"cache_write_1h"`
	WebSearches  int64 `json:"web_searches,omitempty"`
	Messages     int64 `json:"messages,omitempty"` // model responses; 0 in older files (A26)
	Dollars      USD   `json:"dollars"`
}

// In returns all tokens that went into the model: fresh input, cache writes and cache reads.
func (t Tokens) In() int64 { return t.Input + t.CacheRead + t.CacheWrite5m + t.CacheWrite1h }

// Add returns t plus o, field by field.
func (t Tokens) Add(o Tokens) Tokens {
	return Tokens{
		t.Input + o.Input, t.Output + o.Output, t.CacheRead + o.CacheRead,
		t.CacheWrite5m + o.CacheWrite5m,
		t.CacheWrite1h + o.CacheWrite1h, t.WebSearches + o.WebSearches, t.Messages + o.Messages,
		t.Dollars.Plus(o.Dollars),
	}
}

// Less returns t minus o, field by field, but at least zero.
func (t Tokens) Less(o Tokens) Tokens {
	return Tokens{
		max(0, t.Input-o.Input), max(0, t.Output-o.Output), max(0, t.CacheRead-o.CacheRead),
		max(0, t.CacheWrite5m-o.CacheWrite5m), max(0, t.CacheWrite1h-o.CacheWrite1h),
		max(0, t.WebSearches-o.WebSearches), max(0, t.Messages-o.Messages),
		max(0, t.Dollars-o.Dollars),
	}
}

// Sum returns the total usage of all models.
func Sum(byModel map[string]Tokens) (sum Tokens) {
	for _, t := range byModel {
		sum = sum.Add(t)
	}
	return sum
}

// Budget is a run: its identity, its ceilings and everything spent so far. It is stored in
// {skill}.budget.json (R109). Every history line contains a copy that a resume starts from (R131).
// KindRun holds fields that only some kinds use.
type Budget struct {
	Version   int       `json:"version"`
	RunID     string    `json:"run_id"`
	SessionID string    `json:"session_id"`
	Skill     Skill     `json:"skill"`
	StartedAt time.Time `json:"started_at"`
	Ceilings
	Policy
	IterationsUsed   int      `json:"iterations_used"`
	PRsTouched       []string `json:"prs_touched"`
	CommentsPushed   int      `json:"comments_pushed"`
	MergesAttempted  int      `json:"merges_attempted"`
	MinutesElapsed   int      `json:"minutes_elapsed"`
	TokensIn         int64    `json:"tokens_in"`
	TokensOut        int64    `json:"tokens_out"`
	AgentsDispatched int      `json:"agents_dispatched"`
	DollarsEstimate  USD      `json:"dollars_estimate"`
	// DollarsOutside is the part of DollarsEstimate that was spent while no iteration was open.
	DollarsOutside         USD    `json:"dollars_outside,omitempty"`
	RateTableSource        string `json:"rate_table_source"`
	QmdFailuresConsecutive int    `json:"qmd_failures_consecutive"`

	Status     Status      `json:"status"`
	StopCause  string      `json:"stop_cause,omitempty"`
	StopText   string      `json:"stop_text,omitempty"`
	StopDetail *StopDetail `json:"stop_detail,omitempty"`
	// SinglePR is the PR that a review loop watches with --pr; 0 means all PRs.
	SinglePR int `json:"single_pr,omitempty"`
	Seq      int `json:"seq"` // number of the last history line that the run counts

	TokensByModel   map[string]Tokens `json:"tokens_by_model,omitempty"`
	DeferredTargets []string          `json:"deferred_targets,omitzero"`
	// SkippedBranches maps the PRs in DeferredTargets to their branches, if known.
	SkippedBranches Branches `json:"deferred_branches,omitempty"`
	// FailedIssues lists the issues that the run worked on but did not finish. Their in-progress
	// labels belong to the run.
	FailedIssues []int    `json:"failed_issues,omitzero"`
	Cursors      []Cursor `json:"cursors,omitempty"`

	// Ignores lists git's ignore files and their checksums when the first attempt began, one per
	// line. A final line "-" distinguishes an empty list from an unknown one.
	Ignores string `json:"ignores,omitempty"`
	// LeftOut lists the files that were uncommitted when the run began. The run may not commit
	// them.
	LeftOut []string `json:"left_out,omitempty"`
	// Client holds the client flags that the person passed. A driver starts its processes with
	// them.
	Client []string `json:"client_flags,omitempty"`

	// Flags is the canonical form of the flags that the run was started with. If a person types
	// different flags, a fresh run starts.
	Flags string `json:"flags"`
	// OtherFlags lists the flags of later commands that a person typed for this run with --resume.
	OtherFlags []string `json:"other_flags,omitzero"`
	// Command is the slash command that starts a tick, for example "/sdd:work --loop".
	Command   string `json:"command"`
	UnderLoop bool   `json:"under_loop,omitempty"`
	// ActiveSince and MinutesBefore form the run's clock, which shows MinutesBefore plus the whole
	// minutes since ActiveSince. A zero ActiveSince means StartedAt; it is set when the run
	// continues after a pause (R32).
	ActiveSince   time.Time `json:"active_since,omitzero"`
	MinutesBefore int       `json:"minutes_before,omitempty"`
	// Boot identifies the machine's boot when the last iteration began; empty if unknown.
	Boot string `json:"boot,omitempty"`
	// Config is the project's configuration when the run began or a person last resumed it; empty
	// if an older version began the run. ConfigTold reports whether a later change was reported.
	Config     string `json:"config,omitempty"`
	ConfigTold bool   `json:"config_told,omitempty"`
	// TrackerTold identifies the gaps in the tracker's answers that were reported. A run reports
	// each gap once.
	TrackerTold []string `json:"tracker_told,omitempty"`
	// Ask identifies the Ask command that the person had configured when the run began or was last
	// resumed; it is empty if there was none. One process passes the paused run's questions to that
	// command. Asking is the digest of that process's secret.
	Ask    string `json:"ask,omitempty"`
	Asking string `json:"asking,omitempty"`
	// Model is the most expensive model that the main thread is known to have used, in a run with a
	// dollar ceiling.
	Model string `json:"model,omitempty"`
	// Tracker is the tracker in use when the run began; nil if an older version began the run.
	Tracker *Tracker `json:"tracker,omitempty"`
	// Owner is the client process that runs the loop. OwnerLeft reports whether its session has
	// ended.
	Owner     Process `json:"owner"`
	OwnerLeft bool    `json:"owner_left,omitempty"`
	// EventsFrom is the client process whose sockets deliver the run's events. It is nil if the
	// entry did not arrive over a socket or the process is unknown.
	EventsFrom *Process `json:"events_from,omitempty"`
	// Scheduled lists the prompts for this loop in the session's schedule at the last Stop. Before
	// the first Stop, it holds the prompts that /loop probably repeats, or nil. NextTick is when
	// the first of them fires; zero if unknown.
	Scheduled []string  `json:"scheduled,omitzero"`
	NextTick  time.Time `json:"next_tick_at,omitzero"`
	// LastPrompts lists the last closed tick's prompt ids. An entry with one of these ids does not
	// begin another tick.
	LastPrompts []string `json:"last_prompts,omitempty"`
	Blocks      Blocks   `json:"blocks"`
	// Pending lists the gates that outlive their tick because they ask at an iteration's exit or
	// the run is paused.
	Pending []Gate `json:"pending_gates,omitempty"`
	// Carried holds answers to record in the next history line (R38).
	Carried []GateAnswer `json:"carried_gates,omitempty"`
	// SkippedLines counts transcript lines that could not be read. Sums do not include their usage.
	SkippedLines int `json:"skipped_lines,omitempty"`
	// SealedIn is the user's state directory that holds the run's seal; empty if no seal could be
	// written.
	SealedIn string `json:"sealed_in,omitempty"`
	// Replaced counts how often the run's files were restored after something else had changed
	// them.
	Replaced int `json:"replaced,omitempty"`
	// Receipts holds one receipt for each recent session where the hooks fired for the run.
	Receipts []Receipt `json:"receipts,omitzero"`
	// fields specific to the run's kind
	KindRun
	// MaxIdle is how many consecutive iterations without a change end a work or prompt loop; 0
	// means no bound.
	MaxIdle int `json:"max_idle,omitempty"`
	// Idle counts the latest iterations without a change; nil if the last one changed something.
	Idle *Idle `json:"idle,omitempty"`
	// RetryAt is the earliest time when the next attempt may begin after a service failure ended
	// the last one (T95).
	RetryAt time.Time `json:"retry_at,omitzero"`
	// Jobs lists the background work that the run started and that is not known to have ended.
	Jobs []Job `json:"jobs,omitzero"`
}

// Blocks records why Stops were blocked for one prompt. A block is counted before it is printed.
type Blocks struct {
	PromptID string   `json:"prompt_id,omitempty"`
	Reasons  []string `json:"reasons,omitempty"`
	// At is the machine's time when the last block was counted.
	At time.Time `json:"at,omitzero"`
}

// StopDetail names the gate where a run was stopped (R50).
type StopDetail struct {
	Gate      string `json:"gate"`
	Iteration int    `json:"iteration"`
}

// Process identifies a process. The number alone is not enough, because a later process may get
// the same number.
type Process struct {
	PID int `json:"pid"`
	// when the process started, by the kernel's clock, with the boot id; empty if unknown
	Start  string `json:"pid_start,omitempty"`
	Source string `json:"pid_source,omitempty"` // "client", "ancestor" or "parent"
	Host   string `json:"host,omitempty"`
}

// Tracker identifies the tracker where a run looks up issues and PRs, according to git, CLAUDE.md
// and PATH when the run began. If these later point to another tracker, the run does not use it.
type Tracker struct {
	Kind string `json:"kind,omitempty"` // github, gitlab, gitea or command; "" without a tracker
	Host string `json:"host,omitempty"`
	Repo string `json:"repo,omitempty"` // for example "acme/app"
	// Client is the path of the program that queries the tracker, or the configured command; empty
	// if the program was not installed.
	Client string `json:"client,omitempty"`
	// Remote is the git remote for the PRs, and URL its address without a password. Origin is the
	// address of origin, where branches are pushed, if that is another remote.
	Remote string `json:"remote,omitempty"`
	URL    string `json:"url,omitempty"`
	Origin string `json:"origin,omitempty"`
}

// String returns host/owner/repo, such as "github.com/acme/app", or the configured command. For a
// remote without a host it returns the address.
func (t Tracker) String() string {
	switch {
	case t.Kind == "command":
		return t.Client
	case t.Host == "" || t.Repo == "":
		return t.URL
	}
	return t.Host + "/" + t.Repo
}

// Lock identifies the iteration that holds the skill's lock. It is stored in {skill}.lock
// (R64–R66).
type Lock struct {
	Iteration int       `json:"iteration"`
	StartedAt time.Time `json:"started_at"`
	Skill     Skill     `json:"skill"`
	SessionID string    `json:"session_id,omitempty"`
	RunID     string    `json:"run_id,omitempty"`
	Process
}

// Gate is a question that is waiting for a person's answer.
type Gate struct {
	Name     string   `json:"name"` // name of a GateKind, for example "budget-escalation"
	Question string   `json:"question"`
	Header   string   `json:"header"` // at most 12 characters, the client's limit
	Options  []Option `json:"options"`
	// Target names the issue or PR in question, for example "#44" or "PR #142"; it may be empty.
	Target string `json:"target,omitempty"`
	// Raise holds the ceilings that the answer "raise" sets.
	Raise *Ceilings `json:"raise,omitempty"`
	// HeadSHA is the PR's commit when the question was asked. An approval is valid for that commit
	// only.
	HeadSHA string `json:"head_sha,omitempty"`
	// Answer is set from a person's terminal or Ask command while the run is paused. For Origin,
	// see GateAnswer.
	Answer string     `json:"answer,omitempty"`
	Origin string     `json:"origin,omitempty"`
	At     *time.Time `json:"at,omitempty"`
	// Notified reports whether the person was notified about this question, which happens only
	// once.
	Notified bool `json:"told,omitempty"`
	// Kept reports whether the person answered hold. If so, the question is asked again only when
	// the run is resumed.
	Kept bool `json:"kept,omitempty"`
}

func (g Gate) ofBudget() bool { return g.Name == BudgetEscalation }

// Option is one answer that a gate offers.
type Option struct {
	Label       string `json:"label"`
	Description string `json:"description"`
}

// GateAnswer is a question that an iteration asked and its answer, both verbatim (R120).
type GateAnswer struct {
	Name     string    `json:"name"`
	Question string    `json:"question"`
	Answer   string    `json:"answer"`
	At       time.Time `json:"at"`
	Target   string    `json:"target,omitempty"`
	// Origin is one of the origins below; empty in lines from older versions.
	Origin string `json:"origin,omitempty"`
}

// Given describes the answer and its origin for a person.
func (g GateAnswer) Given() string {
	switch g.Origin {
	case OriginFlag:
		return fmt.Sprintf("answered %q by a flag", g.Answer)
	case OriginAsk:
		return fmt.Sprintf("answered %q by the Ask command", g.Answer)
	}
	return fmt.Sprintf("answered %q", g.Answer)
}

// The origins of a person's answer: the client's dialog, `hooks gate answer` and `hooks go` in a
// terminal, a flag in advance, and the person's Ask command.
const (
	OriginDialog   = "dialog"
	OriginTerminal = "terminal"
	OriginFlag     = "flag"
	OriginAsk      = "ask"
)

// TrackedPR is a PR that an iteration interacted with (R121).
type TrackedPR struct {
	Number     int    `json:"number"`
	Branch     string `json:"branch"`
	StartSHA   string `json:"head_sha_at_iteration_start"`
	EndSHA     string `json:"head_sha_at_iteration_end"`
	StateAtEnd string `json:"state_at_end"` // open, merged or closed
	Title      string `json:"title,omitempty"`
}

// Worktree is a git worktree that an iteration left on disk (R122).
type Worktree struct {
	Path    string `json:"path"`
	Branch  string `json:"branch"`
	HeadSHA string `json:"head_sha"`
}

// Failure is one issue or PR that failed in an iteration.
type Failure struct {
	Kind   string `json:"kind"` // "issue" or "pr"
	Number int    `json:"number"`
	Cause  string `json:"cause"`
}

// Iteration is one line of {skill}.history.jsonl. Appending it commits the iteration: it contains
// the whole budget, so a crash before the budget file is written loses nothing (R118–R122).
// KindLine holds fields that only some kinds use.
type Iteration struct {
	Version    int          `json:"version"`
	RunID      string       `json:"run_id"`
	Seq        int          `json:"seq"`
	SessionID  string       `json:"session_id,omitempty"`
	Iteration  int          `json:"iteration"`
	Skill      Skill        `json:"skill"`
	StartedAt  time.Time    `json:"started_at"`
	EndedAt    time.Time    `json:"ended_at"`
	Outcome    LineOutcome  `json:"outcome"`
	Notes      []string     `json:"notes,omitempty"`
	PRsTouched []string     `json:"prs_touched_this_iter"`
	Agents     int          `json:"agents_dispatched_this_iter"`
	TokensIn   int64        `json:"tokens_in_this_iter"`
	TokensOut  int64        `json:"tokens_out_this_iter"`
	Dollars    USD          `json:"dollars_this_iter"`
	Comments   int          `json:"comments_pushed_this_iter"`
	Merges     int          `json:"merges_attempted_this_iter"`
	MergesOf   []int        `json:"merges_of,omitempty"` // PRs whose merges were attempted
	Budget     Budget       `json:"budget_snapshot"`
	TrackedPRs []TrackedPR  `json:"tracked_prs"`
	Worktrees  []Worktree   `json:"active_worktrees"`
	Gates      []GateAnswer `json:"gates"`
	Fired      []string     `json:"stop_conditions_fired"`
	// Backlog is nil if neither the tracker nor the skill reported one.
	Backlog      *Backlog          `json:"backlog_snapshot,omitempty"`
	Failures     []Failure         `json:"failures"`
	UsageByModel map[string]Tokens `json:"usage_by_model,omitempty"`
	// FromTracker reports whether Backlog came from the tracker; otherwise it came from the skill.
	FromTracker bool  `json:"backlog_from_tracker,omitempty"`
	Plan        []int `json:"plan,omitempty"`
	// Taken lists the issues for which workers were started, if the iteration also touched a PR.
	Taken []int `json:"taken,omitempty"`
	// Titles holds the tracker's titles of issues that were planned, taken or reported as failed.
	Titles []Issue `json:"titles,omitempty"`
	// Facts is "missing" if the skill reported nothing.
	Facts        string `json:"facts,omitempty"`
	LastQmdError string `json:"qmd_error,omitempty"`
	// unfinished work from an interrupted iteration (R44)
	Left          []string `json:"left,omitempty"`
	SkippedForPID int      `json:"skipped_for_pid,omitempty"`
	// Cursors holds the cursors of workers that ended. The budget no longer has them.
	Cursors []Cursor `json:"cursors,omitempty"`
	// transcript lines that could not be read
	SkippedLines int      `json:"skipped_lines,omitempty"`
	Observed     Observed `json:"observed,omitzero"`
	Denied       []Denial `json:"denied,omitempty"` // refused tool calls
	// ids of workers that this program ended while they were working
	EndedWorkers []string `json:"ended_workers,omitempty"`
	Overrun      *Overrun `json:"overrun,omitempty"` // nil if within the dollar ceiling
	// fields specific to the run's kind
	KindLine
}

// Ran reports whether the line records an iteration. It is false for a tick that was skipped
// because the lock was held.
func (l *Iteration) Ran() bool { return l.Outcome != SkippedLock }

// Began reports whether the line records an iteration that began. It is false for a tick refused at
// its entry and for a stop between two iterations.
func (l *Iteration) Began() bool { return l.Ran() && l.Budget.IterationsUsed >= l.Iteration }

// Of reports whether the line may belong to the run with that id. Lines in the SPEC's own format
// have no run id.
func (l *Iteration) Of(runID string) bool { return l.RunID == runID || l.RunID == "" }

// Worked reports whether the line records an iteration of this run that began.
func (b *Budget) Worked(l *Iteration) bool {
	return l.Ran() && l.Of(b.RunID) && l.Budget.IterationsUsed >= l.Iteration
}

// SyncEvent is a loop event to send to a person's tracker (T67–T73).
type SyncEvent struct {
	// Key identifies the event by the run and its place in the run, so that duplicates can be
	// recognized.
	Key   string `json:"key"`
	Event string `json:"event"` // started, resumed, task, gate, blocked or complete
	Issue string `json:"issue"`
	Text  string `json:"text"`
}

// AppendNew returns list followed by the items that it does not contain yet. It skips zero values
// and does not modify list.
func AppendNew[T comparable](list []T, items ...T) []T {
	var zero T
	list = slices.Clip(list)
	for _, v := range items {
		if v != zero && !slices.Contains(list, v) {
			list = append(list, v)
		}
	}
	return list
}

// first returns a pointer to the first item satisfying accepts, or nil.
func first[T any](list []T, accepts func(T) bool) *T {
	for i := range list {
		if accepts(list[i]) {
			return &list[i]
		}
	}
	return nil
}

// Without returns a copy of list without item.
func Without[T comparable](list []T, item T) []T {
	return slices.DeleteFunc(slices.Clone(list), func(v T) bool { return v == item })
}

// LeaveOut removes a snapshot's lists that the specification does not define and that have not
// changed since an older snapshot. A list that has become empty is kept as an empty list.
func (b *Budget) LeaveOut(old *Budget) {
	dropSame(&b.DeferredTargets, old.DeferredTargets, equal)
	dropSame(&b.FailedIssues, old.FailedIssues, equal)
	dropSame(&b.OtherFlags, old.OtherFlags, equal)
	dropSame(&b.Jobs, old.Jobs, equal)
	dropSame(&b.Receipts, old.Receipts, func(r, o Receipt) bool {
		return r.SessionID == o.SessionID && r.Program == o.Program && r.Since.Equal(o.Since) &&
			slices.Equal(r.Events, o.Events) // every event changes Last, so it is ignored
	})
}

func equal[T comparable](a, b T) bool { return a == b }

func dropSame[T any](list *[]T, old []T, same func(a, b T) bool) {
	switch {
	case slices.EqualFunc(*list, old, same):
		*list = nil
	case len(*list) == 0:
		*list = []T{}
	}
}

// FillIn uses an older snapshot to restore the lists that LeaveOut removed.
func (b *Budget) FillIn(old *Budget) {
	fillIn(&b.DeferredTargets, old.DeferredTargets)
	fillIn(&b.FailedIssues, old.FailedIssues)
	fillIn(&b.OtherFlags, old.OtherFlags)
	fillIn(&b.Jobs, old.Jobs)
	fillIn(&b.Receipts, old.Receipts)
}

func fillIn[T any](list *[]T, old []T) {
	if *list == nil {
		*list = old
	}
}

// Causes recorded without a condition. The first two are also causes of conditions.
const (
	CauseInterrupt = "user_interrupt"
	CauseOutage    = "api_unavailable" // the run pauses (T95)
	CauseStall     = "stall_timeout"   // see A28

	NotBegun = "not_begun" // only the driver ends; the run does not change

	CauseIgnored = "order_ignored" // the run pauses because its conductor did not start a worker
	CauseNoCheck = "check_missing" // the check command is missing or not executable
)

// overspent reports whether spent exceeds the dollar ceiling by more than percent.
func (b *Budget) overspent(spent USD, percent int) bool {
	return b.Ceilings.Dollars > 0 && spent > b.Ceilings.Dollars.overrun(percent)
}

// CountsPRs reports whether the run has a PR ceiling. It has none if it watches a single PR or does
// not work on PRs.
func (b *Budget) CountsPRs() bool { return b.SinglePR == 0 && b.Kind().PRs }

// Spent is the usage counted beyond the run's cursors.
type Spent struct {
	ByModel map[string]Tokens
	Cursors []Cursor  // the main transcript's cursor, then the workers' cursors that moved
	Source  string    // source of the rates, for rate_table_source
	Skipped int       // number of transcript lines that could not be read
	By      []Spender // threads that spent the most; nil if they were not counted
}

// Spend adds counted usage to the run (R59).
func (b *Budget) Spend(s Spent) {
	byModel := map[string]Tokens{}
	maps.Copy(byModel, b.TokensByModel)
	for m, u := range s.ByModel {
		byModel[m] = byModel[m].Add(u)
		b.TokensIn += u.In()
		b.TokensOut += u.Output
		b.DollarsEstimate = b.DollarsEstimate.Plus(u.Dollars)
	}
	b.TokensByModel = byModel
	b.SkippedLines += s.Skipped
	if s.Cursors != nil {
		workers := slices.DeleteFunc(slices.Clone(b.Cursors), func(c Cursor) bool {
			return AgentOf(c.Path) == "" // the transcript's folder may have moved
		})
		b.Cursors = Overlay(workers, s.Cursors)
	}
	if s.Source != "" {
		b.RateTableSource = s.Source
	}
}

// Quiet is the gate that remains after a run (design §7). From the run's end until a person types,
// it refuses merges, new workers and schedules. After that, it applies only in turns started by the
// run's own background work. The zero value is the closed gate of a run that has just ended.
type Quiet struct {
	Typed  bool   `json:"typed,omitempty"`     // a person has typed since the run ended
	Free   bool   `json:"free,omitempty"`      // the gate does not apply to the current turn
	Prompt string `json:"prompt_id,omitempty"` // id of the last prompt that a person typed
	Woken  string `json:"woken,omitempty"`     // id of the last prompt that came from a job
	// Jobs lists the background work started after the run ended in turns where the gate applied.
	// Heard lists the ids of the run's jobs that have ended.
	Jobs  []Job    `json:"jobs,omitempty"`
	Heard []string `json:"heard,omitempty"`
	// Refused holds the refused wakes not yet reported to a person, the latest one for each task.
	Refused []Wakeup `json:"refused,omitempty"`
}

// Job is background work that a run started: a shell, a monitor or a worker. The client wakes the
// session when it ends.
type Job struct {
	ID    string `json:"id"`              // assigned by the client, for example "bv6yxwkwq"
	About string `json:"about,omitempty"` // the model's description
}

// answered reports whether a person has answered all of a paused run's questions in a terminal.
func (b *Budget) answered() bool {
	return b.Status == Paused && len(b.Pending) > 0 &&
		!slices.ContainsFunc(b.Pending, func(g Gate) bool { return g.Answer == "" })
}
