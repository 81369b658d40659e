package loop

// BacklogRun is what a run of work or review has beyond every run: they take issues or PRs from a
// backlog, not tasks from a list.
type BacklogRun struct {
	// SinglePR is the PR that a review watches, with --pr; 0 for all PRs.
	SinglePR int `json:"single_pr,omitempty" codec:"after=stop_detail"`
	// FailedIssues are those that the run itself worked on last and did not finish: their
	// in-progress label is its own.
	FailedIssues []int `json:"failed_issues,omitempty" codec:"after=deferred_targets"`
	// MaxIdle is how many iterations in a row without a change end a work loop; 0 for any number.
	MaxIdle int `json:"max_idle,omitempty" codec:"after=audit"`
}

// BacklogTick is what an open iteration of work or review has beyond every tick.
type BacklogTick struct {
	// Reviews are the reviews that were let through, each PR one round (R149).
	Reviews []PostedReview `json:"reviews,omitempty" codec:"after=approvals"`
	// Replan says that a person asked for a new plan: workers go out for its issues only.
	Replan bool `json:"replan,omitempty"`
	// Taken are the issues that this tick's own workers were sent to.
	Taken []int `json:"taken,omitempty" codec:"after=critics"`
	// Trail is, where --max-idle is given, the commit at the beginning and a sum of all local
	// branches and files that are not committed; "" when unknown.
	Trail string `json:"trail,omitempty" codec:"after=attempt"`
}

// BacklogLine is what an iteration of work or review records beyond every iteration.
type BacklogLine struct {
	Backlog *Backlog `json:"backlog_snapshot,omitempty" codec:"after=stop_conditions_fired"`
	// FromTracker says that the tracker reported Backlog; otherwise the skill did.
	FromTracker bool  `json:"backlog_from_tracker,omitempty" codec:"after=usage_by_model"`
	Plan        []int `json:"plan,omitempty"`
	// Taken are the issues that its workers were sent to, where PRs came of it.
	Taken []int `json:"taken,omitempty"`
	// Facts is "missing" when the skill reported nothing.
	Facts string `json:"facts,omitempty"`
}

// Backlog is the tracker's issues as one tick saw them, by number.
type Backlog struct {
	Unblocked  []int `json:"unblocked"`
	Blocked    []int `json:"blocked"`
	InProgress []int `json:"in_progress"`
}
