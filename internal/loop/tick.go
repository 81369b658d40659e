package loop

import (
	"fmt"
	"time"
)

// Tick is the open iteration: {skill}.tick.json. It exists from entry to the end of the
// iteration, and after a crash the missing history line is made from it. Every tick has these
// fields, except for BacklogTick and Attempt.
type Tick struct {
	Version   int       `json:"version"`
	RunID     string    `json:"run_id"`
	SessionID string    `json:"session_id"`
	Skill     Skill     `json:"skill"`
	Iteration int       `json:"iteration"`
	StartedAt time.Time `json:"started_at"`
	// Prompts are the prompt ids that belong to this tick: its own, and those of its workers'
	// notifications.
	Prompts    []string `json:"prompts"`
	Transcript string   `json:"transcript"`
	Unattended bool     `json:"unattended,omitempty"`
	// Braked says that the links of the brake stand before the session's Bash commands.
	Braked bool `json:"braked,omitempty"`
	// Started reports whether the gates at entry are answered and the iteration counts.
	Started bool `json:"body"`
	// Draining says that the last Stop left workers running.
	Draining bool `json:"draining,omitempty"`
	// Interrupted is the reason why a person ended the tick, empty if no one did (R43).
	Interrupted string `json:"interrupted,omitempty"`
	// Failed is the API error that ended the tick's turn, empty if no error did.
	Failed string `json:"failed,omitempty"`
	// Fired are the conditions found since entry that halt the run when the tick closes.
	Fired    []Fired      `json:"fired,omitempty"`
	Pending  []Gate       `json:"pending,omitempty"`
	Answered []GateAnswer `json:"answered,omitempty"`
	// OfflineAnswers are answers from a person's terminal whose question has not come up again yet
	// in the resumed tick.
	OfflineAnswers []Gate `json:"given,omitempty"`
	// DeferredAnswers are answers given at this iteration's exit: they belong to the next one's
	// line (R38).
	DeferredAnswers []GateAnswer `json:"carry,omitempty"`
	// Dialogs are the AskUserQuestion calls seen, by tool_use_id.
	Dialogs   []Dialog   `json:"dialogs,omitempty"`
	Approvals []Approval `json:"approvals,omitempty"`

	// Counted are the tool calls whose effect is counted, as event, tool_use_id and a sum of the
	// input; Passed those that merge and were let through. If the hooks are registered twice,
	// the client sends every event twice.
	Counted []string `json:"counted_calls,omitempty"`
	Passed  []Passed `json:"passed_merges,omitempty"`

	// Denied are the calls that were refused; Refused the last of them, so that a call that comes
	// twice counts once.
	Denied  []Denial `json:"denied,omitempty"`
	Refused []string `json:"denied_calls,omitempty"`
	// Running holds what was counted as spent since the iteration began. DollarsTold lists the
	// threads told that the dollar ceiling is reached: agent ids, or "main" for the main thread.
	Running     *Running `json:"running,omitempty"`
	DollarsTold []string `json:"dollars_told,omitempty"`

	// Observed during the tick.
	Agents  int      `json:"agents_dispatched"`
	Workers []string `json:"workers,omitempty"` // ids of background agents not known to have ended
	// EndedWorkers are the ids of agents that a refusal ended (R44); no event reports their end.
	EndedWorkers []string `json:"ended_workers,omitempty"`
	// Typed is the prompt in which a person typed while the workers of the ended turn finished.
	Typed string `json:"typed_in,omitempty"`
	// Wakes lists the wakes refused since a person ended the turn with Esc.
	Wakes    []Wakeup `json:"refused_wakes,omitempty"`
	Critics  []string `json:"critics,omitempty"` // sent, each as "thread/type"
	PRs      []string `json:"prs_touched,omitempty"`
	Comments int      `json:"comments_pushed"`
	Merges   int      `json:"merges_attempted"`
	MergesOf []int    `json:"merges_of,omitempty"`  // the PRs of those, in order
	Labels   []string `json:"labels_set,omitempty"` // and still set, as "#143 in-progress" (R44)
	QmdError string   `json:"qmd_error,omitempty"`
	QmdDown  bool     `json:"qmd_unreachable,omitempty"`

	// Starts holds the starts that links of the brake reported and that no result has ended yet.
	Starts Starts `json:"starts,omitzero"`

	// Recorded at entry.
	Asked     *Asked      `json:"asked,omitempty"`
	Tracked   []TrackedPR `json:"tracked_prs,omitempty"`
	Worktrees []Worktree  `json:"worktrees,omitempty"`
	// targets not to be worked on in this tick, as "#44" or "PR #142"
	Deferred []string `json:"deferred,omitempty"`
	Notes    []string `json:"notes,omitempty"` // one-line notes for the status block

	// Attempt is the attempt of the iteration; nil for a kind whose iterations are not attempts.
	Attempt *Attempt `json:"attempt,omitempty"`
	BacklogTick

	// Observed holds the part of the above that the program saw itself.
	Observed Observed `json:"observed,omitzero"`

	// Report holds the facts that the skill reported, all reports of the tick merged.
	Report Report `json:"report"`
	// Reported says that at least one report came.
	Reported bool `json:"reported"`
}

// Asked holds what the tracker itself reported. A skill's report of the same is ignored.
type Asked struct {
	// Backlog is nil when the tracker could not tell the whole of it.
	Backlog *Backlog `json:"backlog,omitempty"`
	// Ambiguous are the workable issues whose acceptance criteria are missing or unfinished (R89).
	Ambiguous []Issue `json:"ambiguous,omitempty"`
	PRs       []PR    `json:"prs,omitempty"`
	// those of PRs whose branch is in a fork, not on the remote
	InForks []int `json:"elsewhere,omitempty"`
	// those of PRs of which the tracker could not tell who commented
	Unknown []Unknown `json:"unknown,omitempty"`
}

// Unknown gives the reason why it is not known who commented on a PR.
type Unknown struct {
	PR  int    `json:"pr"`
	Why string `json:"why"`
}

// Observed holds what the program saw itself. The other facts about PRs in an iteration are the
// skill's claims.
type Observed struct {
	// of calls that succeeded: opened, commented on or merged
	PRs      []int `json:"prs,omitempty"`
	Merged   []int `json:"merged,omitempty"`   // of merge calls that succeeded
	Comments int   `json:"comments,omitempty"` // calls that succeeded
	Tracker  []int `json:"tracker,omitempty"`  // PRs that the tracker itself told of
	// branches whose head the remote told at the iteration's end
	Heads []string `json:"heads,omitempty"`
	// Worktrees are the paths of those that were not there when the iteration began.
	Worktrees []string `json:"worktrees,omitempty"`
}

// saw records a PR that a successful call was about. It ignores 0.
func (o *Observed) saw(pr int) {
	if pr > 0 {
		o.PRs = AppendNew(o.PRs, pr)
	}
}

// Fired is a stop condition that holds, with the text for a person.
type Fired struct {
	Condition string      `json:"condition"` // "backlog-empty", …
	Cause     string      `json:"cause"`     // machine name, as in "backlog_empty"
	Text      string      `json:"text"`
	Detail    *StopDetail `json:"detail,omitempty"`
}

// Dialog is one AskUserQuestion call the tick saw start.
type Dialog struct {
	ID string `json:"id"` // tool_use_id
	// Forged says that the call came with answers in its input, so no answer to it counts.
	Forged bool `json:"forged,omitempty"`
	// Done says that its answers were recorded.
	Done bool `json:"done,omitempty"`
	// Shown are the questions of gates that the program put into the call. It answers those alone.
	Shown []string `json:"shown,omitempty"`
	// Brought are the answers that the person's Ask command brought while it was open, by question.
	Brought map[string]string `json:"brought,omitempty"`
}

// Approval is a person's answer "merge" for one PR: good for one merge in this tick (R101).
type Approval struct {
	PR      int    `json:"pr"`
	HeadSHA string `json:"head_sha,omitempty"` // "" in older files: good for nothing
	Used    bool   `json:"used,omitempty"`
}

// Report is the facts that a skill reports through `hooks report`: every field optional, several
// reports of one tick merge.
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
	AuditReport
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
	Title         string   `json:"title,omitempty"` // as the tracker has it
}

// QmdOutcome is a reported qmd signal (R53).
type QmdOutcome struct {
	Unreachable bool   `json:"unreachable"`
	Error       string `json:"error,omitempty"`
}

// Claim is {skill}.claim.json: a session that found the lock held and may take or await it. It
// exists while a force-unlock question waits (R103), while --lock=wait polls (R47), and after such
// a question was answered stop.
type Claim struct {
	Version   int       `json:"version"`
	SessionID string    `json:"session_id"`
	Skill     Skill     `json:"skill"`
	PromptID  string    `json:"prompt_id"`
	Command   string    `json:"command"` // as in "/sdd:work"
	Args      string    `json:"args"`
	Since     time.Time `json:"since"`
	Iteration int       `json:"iteration"` // the iteration that would have run
	Gate      *Gate     `json:"gate,omitempty"`
	Dialogs   []Dialog  `json:"dialogs,omitempty"`
	// EventsFrom is as in Budget, for the session that claims. Heard says that PostToolUse reached
	// the program in it.
	EventsFrom *Process `json:"events_from,omitempty"`
	Heard      bool     `json:"heard,omitempty"`
	Stopped    bool     `json:"stopped,omitempty"`
	// Blocked says that a Stop has asked once, for the answer or for the schedule to go.
	Blocked  bool   `json:"blocked,omitempty"`
	StopText string `json:"stop_text,omitempty"` // why, when it was not the gate
	// Scheduled are the prompts that the session had scheduled for the stopped loop at its last
	// Stop.
	Scheduled []string `json:"scheduled,omitempty"`
	// Waiters are other sessions that await the lock, by id, and since when.
	Waiters map[string]time.Time `json:"waiters,omitempty"`
}

// priorStop returns the reason why the loop never began, for a prompt that would start it again
// (R51).
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
			Skill: c.Skill, Command: c.Command, BacklogRun: BacklogRun{SinglePR: f.PR},
		}).Schedules(prompt)
}
