// Package event is the client's hook protocol: one JSON object in, at most one JSON object out.
//
// The client's end of a pipe may never close and its output rules lose a decision silently, so
// reading stops at the end of the first value and a reply can only be built in forms that the
// firing event accepts. Nothing here decides.
package event

import "github.com/tidwall/gjson"

// Event is one decoded payload. Fields that the firing event does not carry are zero. Strings are
// the client's words unchanged; Input and Response are valid JSON in which no object has a key
// twice. A field of another type than its own is refused, but for the loose ones, which only
// inform.
type Event struct {
	SessionID string `json:"session_id"` // never empty
	// Transcript is the parent's in a subagent. It may not exist yet.
	Transcript     string `json:"transcript_path"`
	Cwd            string `json:"cwd"`
	PromptID       string `json:"prompt_id"`
	PermissionMode string `json:"permission_mode" codec:"loose"`
	AgentID        string `json:"agent_id"` // not empty inside a subagent only
	AgentType      string `json:"agent_type"`
	Name           string `json:"hook_event_name"`

	Tool      string       `json:"tool_name"`     // never empty on the tool events
	Input     gjson.Result `json:"tool_input"`    // an object, or absent
	Response  gjson.Result `json:"tool_response"` // of any type, or absent
	ToolUseID string       `json:"tool_use_id"`
	Error     string       `json:"error"` // PostToolUseFailure: what the tool said

	// Prompt is the typed text, a task notification or a wake-up.
	Prompt string `json:"prompt"`
	// Source is of a SessionStart: startup, resume, …; UserPromptSubmit has it rarely.
	Source        string `json:"source"`
	Command       string `json:"command_name"` // as in "sdd:work"
	Args          string `json:"command_args"`
	CommandSource string `json:"command_source"`

	StopActive      *bool  `json:"stop_hook_active"` // a Stop of this turn was blocked
	LastMessage     string `json:"last_assistant_message" codec:"loose"`
	AgentTranscript string `json:"agent_transcript_path"` // of a SubagentStop
	Background      []Task `json:"background_tasks"`
	Crons           []Cron `json:"session_crons"`

	Reason  string `json:"reason"` // of a SessionEnd
	Failure string `json:"-"`      // of a StopFailure: the kind of API error, as in "rate_limit"
}

// StopFirst reports whether the client says that no Stop of this turn has been blocked yet.
func (e Event) StopFirst() bool { return e.StopActive != nil && !*e.StopActive }

// Task is one piece of work that continues after the turn.
type Task struct {
	ID     string `json:"id"`
	Type   string `json:"type"`   // "subagent", "shell", …
	Status string `json:"status"` // "running", …
}

// Cron is one scheduled prompt of the session; a wake-up is one that does not recur.
type Cron struct {
	ID        string `json:"id"`
	Schedule  string `json:"schedule"`
	Recurring bool   `json:"recurring"`
	Prompt    string `json:"prompt"`
}

// InSubagent reports whether the event happened inside a subagent.
func (e Event) InSubagent() bool { return e.AgentID != "" }
