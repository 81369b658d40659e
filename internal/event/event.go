// Package event implements the client's hook protocol: one JSON object in, at most one JSON object
// out.
//
// The client may leave its end of a pipe open, so reading stops at the end of the first object. The
// client silently drops a malformed decision, so a reply is encoded only in a form that the firing
// event accepts. The package makes no decisions.
package event

import "github.com/tidwall/gjson"

// Event is one decoded payload. Fields that the firing event lacks are zero. Strings are unchanged.
// Input and Response are valid JSON without repeated keys. A field of the wrong type is an error,
// except for the loose fields, which are only informative.
type Event struct {
	SessionID string `json:"session_id"` // never empty
	// Transcript is the main transcript, even in a subagent. It may not exist yet.
	Transcript     string `json:"transcript_path"`
	Cwd            string `json:"cwd"`
	PromptID       string `json:"prompt_id"`
	PermissionMode string `json:"permission_mode" codec:"loose"`
	AgentID        string `json:"agent_id"` // set only inside a subagent
	AgentType      string `json:"agent_type"`
	Name           string `json:"hook_event_name"`
	Word           Word   `json:"-"` // hook word for the event

	Tool      string       `json:"tool_name"`     // never empty for tool events
	Input     gjson.Result `json:"tool_input"`    // an object, or absent
	Response  gjson.Result `json:"tool_response"` // any JSON type, or absent
	ToolUseID string       `json:"tool_use_id"`
	Error     string       `json:"error"` // PostToolUseFailure: the tool's message

	// Prompt is typed text, a task notification or a wake-up.
	Prompt string `json:"prompt"`
	// Source is set for SessionStart (startup, resume, …) and rarely for UserPromptSubmit.
	Source  string `json:"source"`
	Command string `json:"command_name"` // for example "sdd:work"
	Args    string `json:"command_args"`

	StopActive      *bool  `json:"stop_hook_active"` // a hook already blocked a Stop in this turn
	LastMessage     string `json:"last_assistant_message" codec:"loose"`
	AgentTranscript string `json:"agent_transcript_path"` // set for SubagentStop
	Background      []Task `json:"background_tasks"`
	Crons           []Cron `json:"session_crons"`

	Reason  string `json:"reason"` // set for SessionEnd
	Failure string `json:"-"`      // StopFailure: the kind of API error, such as "rate_limit"
}

// Task is background work that continues after the turn ends.
type Task struct {
	ID     string `json:"id"`
	Type   string `json:"type"`   // "subagent", "shell", …
	Status string `json:"status"` // "running", …
}

// Cron is a scheduled prompt in the session. A wake-up is not recurring.
type Cron struct {
	ID        string `json:"id"`
	Schedule  string `json:"schedule"`
	Recurring bool   `json:"recurring"`
	Prompt    string `json:"prompt"`
}

// InSubagent reports whether the event happened inside a subagent.
func (e Event) InSubagent() bool { return e.AgentID != "" }
