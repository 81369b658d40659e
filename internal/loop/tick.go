package loop

import (
	"fmt"
	"time"

	"hooks/internal/attempt"
)

// Tick is the open iteration, stored in {skill}.tick.json from its entry to its end. After a crash,
// the missing history line is derived from it. Attempt is only used by some kinds.
type Tick struct {
	Version   int       `json:"version"`
	RunID     string    `json:"run_id"`
	SessionID string    `json:"session_id"`
	Skill     Skill     `json:"skill"`
	Iteration int       `json:"iteration"`
	StartedAt time.Time `json:"started_at"`
	// Prompts lists this tick's prompt ids, from its own prompt and its workers' notifications.
	Prompts    []string `json:"prompts"`
	Transcript string   `json:"transcript"`
	// Braked reports whether the brake's links come first in PATH for the session's Bash commands.
	Braked bool `json:"braked,omitempty"`
	// Started reports whether the gates at entry have been answered, so that the iteration counts.
	Started bool `json:"body"`
	// Draining reports whether the iteration only waits for workers that were running when its turn
	// ended.
	Draining bool `json:"draining,omitempty"`
	// Interrupted records how a person ended the tick; empty if no one did (R43).
	Interrupted string `json:"interrupted,omitempty"`
	// Failed explains why the tick's turn was cut off, such as "API error: …"; empty if it was not.
	Failed string `json:"failed,omitempty"`
	// Fired lists the conditions that fired since entry. They halt the run when the tick closes.
	Fired    []Fired      `json:"fired,omitempty"`
	Pending  []Gate       `json:"pending,omitempty"`
	Answered []GateAnswer `json:"answered,omitempty"`
	// OfflineAnswers holds answers that a person gave in a terminal to questions that the resumed
	// tick has not asked again yet.
	OfflineAnswers []Gate `json:"given,omitempty"`
	// DeferredAnswers holds answers given at this iteration's exit. They go into the next one's
	// line (R38).
	DeferredAnswers []GateAnswer `json:"carry,omitempty"`
	// Dialogs lists the observed AskUserQuestion calls.
	Dialogs   []Dialog   `json:"dialogs,omitempty"`
	Approvals []Approval `json:"approvals,omitempty"`
	// Reviews lists the allowed reviews, one round for each PR (R149).
	Reviews []PostedReview `json:"reviews,omitempty"`
	// Replan reports whether a person asked for a new plan. Workers are then started only for the
	// issues of that plan.
	Replan bool `json:"replan,omitempty"`

	// Counted lists the tool calls whose effects are counted, each as event, tool_use_id and a hash
	// of the input. Passed lists the allowed merging and approving calls. If the hooks are
	// registered twice, the client sends every event twice.
	Counted []string `json:"counted_calls,omitempty"`
	Passed  []Passed `json:"passed_merges,omitempty"`

	Denied []Denial `json:"denied,omitempty"` // refused calls
	// Running is the spending counted since the iteration began. DollarsTold lists the threads that
	// know that the dollar ceiling has been reached: agent ids, or "main" for the main thread.
	Running     *Running `json:"running,omitempty"`
	DollarsTold []string `json:"dollars_told,omitempty"`

	// Observed during the tick.
	Agents int `json:"agents_dispatched"`
	// ids of background agents that are not known to have ended
	Workers []string `json:"workers,omitempty"`
	// EndedWorkers lists the ids of agents that a refusal ended (R44). No event reports their end.
	EndedWorkers []string `json:"ended_workers,omitempty"`
	// Typed is the id of the prompt that a person typed while the workers of the ended turn were
	// still finishing.
	Typed string `json:"typed_in,omitempty"`
	// Wakes lists the wakes refused since Esc or the dollar ceiling ended the turn.
	Wakes   []Wakeup `json:"refused_wakes,omitempty"`
	Critics []string `json:"critics,omitempty"` // started critics, each as "thread/type"
	// Taken lists the issues for which this tick's own workers were started.
	Taken    []int    `json:"taken,omitempty"`
	PRs      []string `json:"prs_touched,omitempty"`
	Comments int      `json:"comments_pushed"`
	Merges   int      `json:"merges_attempted"`
	MergesOf []int    `json:"merges_of,omitempty"` // PRs whose merges were attempted, in order
	// labels that the iteration set and did not remove, for example "#143 in-progress" (R44)
	Labels   []string `json:"labels_set,omitempty"`
	QmdError string   `json:"qmd_error,omitempty"`
	QmdDown  bool     `json:"qmd_unreachable,omitempty"`

	// Starts holds the starts that the brake's links reported and whose results are unknown.
	Starts Starts `json:"starts,omitzero"`

	// Recorded at entry.
	Asked     *Asked      `json:"asked,omitempty"`
	Tracked   []TrackedPR `json:"tracked_prs,omitempty"`
	Worktrees []Worktree  `json:"worktrees,omitempty"`
	// targets that this tick leaves alone, for example "#44" or "PR #142"
	Deferred []string `json:"deferred,omitempty"`
	Notes    []string `json:"notes,omitempty"` // one-line notes for the status block

	// Attempt is the iteration's attempt; nil if the kind's iterations are not attempts.
	Attempt *attempt.Attempt `json:"attempt,omitempty"`
	// Trail is set with --max-idle. It holds the commit at the beginning, and a checksum of all
	// local branches and uncommitted files; it is empty if these are unknown.
	Trail string `json:"trail,omitempty"`

	// Observed holds the facts above that the program itself saw.
	Observed Observed `json:"observed,omitzero"`

	// Report is the result of merging the skill's reports in this tick.
	Report Report `json:"report"`
	// Reported reports whether the skill has reported at least once.
	Reported bool `json:"reported"`
}

// Asked holds the tracker's own answers. If it has a Backlog, a backlog reported by the skill is
// ignored.
type Asked struct {
	// Backlog is nil if the tracker could not return all of it.
	Backlog *Backlog `json:"backlog,omitempty"`
	// Ambiguous lists the workable issues whose acceptance criteria are missing or unfinished
	// (R89).
	Ambiguous []Issue `json:"ambiguous,omitempty"`
	// Titles holds the titles of some issues, for the report card.
	Titles []Issue `json:"titles,omitempty"`
	PRs    []PR    `json:"prs,omitempty"`
	// PRs whose branch is in a fork and not on the remote
	InForks []int `json:"elsewhere,omitempty"`
	// PRs for which the tracker could not say who commented
	Unknown []Unknown `json:"unknown,omitempty"`
}

// Unknown explains why it is unknown who commented on a PR.
type Unknown struct {
	PR  int    `json:"pr"`
	Why string `json:"why"`
}

// Observed holds facts that the program itself saw. Other facts about an iteration's PRs are claims
// made by the skill.
type Observed struct {
	// PRs that successful calls opened, commented on or merged
	PRs      []int `json:"prs,omitempty"`
	Merged   []int `json:"merged,omitempty"`   // PRs of successful merges
	Comments int   `json:"comments,omitempty"` // number of successful comments
	Tracker  []int `json:"tracker,omitempty"`  // PRs that the tracker itself reported
	// branches whose head the remote reported at the iteration's end
	Heads []string `json:"heads,omitempty"`
	// Worktrees lists the paths of worktrees that did not exist when the iteration began.
	Worktrees []string `json:"worktrees,omitempty"`
}

// Fired is a stop condition that holds, with the text for a person.
type Fired struct {
	Condition string      `json:"condition"` // "backlog-empty", …
	Cause     string      `json:"cause"`     // name for programs, for example "backlog_empty"
	Text      string      `json:"text"`
	Detail    *StopDetail `json:"detail,omitempty"`
}

// Dialog is an AskUserQuestion call that began in the tick.
type Dialog struct {
	ID string `json:"id"` // tool_use_id
	// Forged reports whether the call's input contained answers. If so, no answer from it counts.
	Forged bool `json:"forged,omitempty"`
	// Done reports whether the dialog's answers have been recorded.
	Done bool `json:"done,omitempty"`
	// Shown lists the gates' questions that the program put into the call. The dialog can answer
	// only those.
	Shown []string `json:"shown,omitempty"`
	// Brought holds the answers, by question, that the person's Ask command gave while the dialog
	// was open.
	Brought map[string]string `json:"brought,omitempty"`
}

// Approval is a person's answer "merge" for one PR. It is valid for one merge in this tick (R101).
type Approval struct {
	PR      int    `json:"pr"`
	HeadSHA string `json:"head_sha,omitempty"` // "" in older files; the approval is then void
	Used    bool   `json:"used,omitempty"`
}

// Report holds the facts that a skill reports through `hooks report`. Every field is optional. All
// reports in one tick are merged.
type Report struct {
	Skill     Skill       `json:"skill,omitempty"`
	Backlog   *Backlog    `json:"backlog,omitempty"`
	Edges     [][2]int    `json:"edges,omitempty"` // blocker, blocked
	Issues    []Issue     `json:"issues,omitempty"`
	Plan      []int       `json:"plan,omitempty"`
	Failures  []Failure   `json:"failures,omitempty"`
	PRs       []PR        `json:"prs,omitempty"`
	Worktrees []Worktree  `json:"worktrees,omitempty"`
	Comments  *int        `json:"comments_pushed,omitempty"`
	Qmd       *QmdOutcome `json:"qmd,omitempty"`
	Outcome   LineOutcome `json:"outcome,omitempty"` // ok or errored
	Note      string      `json:"note,omitempty"`
	// Findings, Resolved (finding ids) and Verdict (clean or dirty) are set by an auditor.
	Findings []ReportedFinding `json:"findings,omitempty"`
	Resolved []string          `json:"resolved,omitempty"`
	Verdict  string            `json:"verdict,omitempty"`
}

// ReportedFinding is a problem that an auditor reports (A29).
type ReportedFinding struct {
	File        string `json:"file"`
	Line        int    `json:"line,omitempty"` // 0 for the whole file
	Severity    string `json:"severity"`       // bug or warning
	Description string `json:"description"`
	Scenario    string `json:"scenario,omitempty"`
}

// Issue is a reported issue with the state of its acceptance criteria.
type Issue struct {
	Number   int    `json:"number"`
	Title    string `json:"title,omitempty"`
	Criteria string `json:"criteria,omitempty"` // ok, missing or tbd
}

// PR is a reported pull request.
type PR struct {
	Number        int      `json:"number"`
	State         string   `json:"state,omitempty"` // open, merged, closed or do-not-merge
	Branch        string   `json:"branch,omitempty"`
	HeadSHA       string   `json:"head_sha,omitempty"`
	Labels        []string `json:"labels,omitempty"`
	HumanFeedback *bool    `json:"human_feedback,omitempty"`
	New           bool     `json:"new,omitempty"`
	Title         string   `json:"title,omitempty"`
}

// QmdOutcome is a reported qmd signal (R53).
type QmdOutcome struct {
	Unreachable bool   `json:"unreachable"`
	Error       string `json:"error,omitempty"`
}

// Claim is {skill}.claim.json: a session that found the lock held and may take it. The file exists
// while a force-unlock question is pending (R103), while --lock=wait polls (R47), and after a loop
// ended without ever having the lock. SessionID is empty if sessions only wait.
type Claim struct {
	Version   int       `json:"version"`
	SessionID string    `json:"session_id"`
	Skill     Skill     `json:"skill"`
	PromptID  string    `json:"prompt_id"`
	Command   string    `json:"command"` // for example "/sdd:work"
	Args      string    `json:"args"`
	Since     time.Time `json:"since"`
	Iteration int       `json:"iteration"` // the iteration that would have run
	Gate      *Gate     `json:"gate,omitempty"`
	Dialogs   []Dialog  `json:"dialogs,omitempty"`
	// EventsFrom is like Budget.EventsFrom, but for the claiming session. Heard reports whether
	// PostToolUse events of that session reach the program.
	EventsFrom *Process `json:"events_from,omitempty"`
	Heard      bool     `json:"heard,omitempty"`
	Stopped    bool     `json:"stopped,omitempty"` // the loop ended without ever having the lock
	// Blocked reports whether a Stop was blocked once, to get the answer or to remove the schedule.
	Blocked  bool   `json:"blocked,omitempty"`
	StopText string `json:"stop_text,omitempty"` // why the loop stopped, if not at the gate
	// Scheduled lists the prompts that the session had scheduled for the stopped loop at its last
	// Stop.
	Scheduled []string `json:"scheduled,omitempty"`
	// Waiters maps the id of each session waiting for the lock to the time when it began to wait.
	Waiters map[string]time.Time `json:"waiters,omitempty"`
}

// priorStop explains why the loop never began, for a prompt that would start it again (R51).
func (c *Claim) priorStop() string {
	if c.StopText != "" {
		return "Loop already stopped: " + c.StopText
	}
	return fmt.Sprintf("Loop already stopped at gate %s in iteration %d", ForceUnlock, c.Iteration)
}

// Schedules reports whether a scheduled prompt would start the loop that never began.
func (c *Claim) Schedules(prompt string) bool {
	f, _, err := Command{c.Command, c.Skill, c.Args}.ParseFlags()
	return err == nil &&
		(&Budget{
			Skill: c.Skill, Command: c.Command, SinglePR: f.PR,
		}).Schedules(prompt)
}

// Backlog lists the issue numbers in the backlog, as seen by one tick.
type Backlog struct {
	Unblocked  []int `json:"unblocked"`
	Blocked    []int `json:"blocked"`
	InProgress []int `json:"in_progress"`
}

// Branches maps PR targets to branches.
type Branches map[string]string

// The seven gates. PostFeedbackMerge blocks one merge; every other gate blocks the whole tick.
const (
	BacklogDrift      = "backlog-drift"
	AmbiguousCriteria = "ambiguous-criteria"
	BudgetEscalation  = "budget-escalation"
	PostFeedbackMerge = "post-feedback-merge"
	ForceUnlock       = "force-unlock"
	RepeatedFailure   = "repeated-failure"
	ResumeDivergence  = "resume-divergence"
)

// PostedReview is a PR review that the hooks allowed in this iteration.
type PostedReview struct {
	Target   string `json:"target"` // for example "PR #142", or another name for the PR
	Call     string `json:"call"`   // identifies the tool call by its id and input
	Approval bool   `json:"approval,omitempty"`
}

// Wakeup is a prompt that the client generated about background work.
type Wakeup struct {
	Task    string `json:"task,omitempty"`    // id of the background work
	Output  string `json:"output,omitempty"`  // path of its output file
	Summary string `json:"summary,omitempty"` // for example `Background command "build" completed`
	Ended   bool   `json:"ended,omitempty"`   // the work will not wake the session again
	// Stopped lists the workers that a person stopped, by the model's descriptions of them.
	Stopped []string `json:"stopped,omitempty"`
}

// Starts holds the effects of programs that the brake's links reported as starting. An effect that
// also appears in the call's text is counted once.
type Starts struct {
	// Opened counts the attempts to open a PR whose address has not been printed yet.
	Opened int `json:"opened,omitempty"`
	// Dropped lists the labels that a program began to remove, formatted as in Tick.Labels.
	Dropped []string `json:"dropped,omitempty"`
}

// Denial is a refused tool call and how often it was refused.
type Denial struct {
	Tool  string `json:"tool"`
	Rule  string `json:"rule"` // a name from Rules
	What  string `json:"what"` // redacted, at most 200 bytes
	Times int    `json:"times"`
}
