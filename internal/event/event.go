package event

import "github.com/tidwall/gjson"

// Event is one decoded payload. Fields that the firing event does not carry are zero. Strings are
// the client's words unchanged; Input and Response are valid JSON in which no object has a key
// twice.
type Event struct {
	Name           string // hook_event_name
	SessionID      string // never empty
	Transcript     string // transcript_path, the parent's in a subagent; it may not exist yet
	Cwd            string
	PromptID       string
	PermissionMode string
	AgentID        string // not empty inside a subagent only
	AgentType      string

	Tool      string // tool_name; never empty on the tool events
	ToolUseID string
	Input     gjson.Result // tool_input, an object, or absent
	Response  gjson.Result // tool_response, of any type, or absent
	Error     string       // PostToolUseFailure: what the tool said

	Prompt        string // the typed text, a task notification or a wake-up
	Source        string // SessionStart: startup, resume, …; UserPromptSubmit: rarely present
	Command       string // command_name, as in "sdd:work"
	Args          string // command_args
	CommandSource string

	// StopFirst reports that stop_hook_active is there and false: no Stop of this turn was blocked.
	StopFirst       bool
	LastMessage     string
	AgentTranscript string // SubagentStop: agent_transcript_path
	Background      []Task
	Crons           []Cron

	Reason  string // SessionEnd
	Failure string // StopFailure: the kind of API error, as in "rate_limit"
}

// Task is one piece of work that continues after the turn.
type Task struct {
	ID     string
	Type   string // "subagent", "shell", …
	Status string // "running", …
}

// Cron is one scheduled prompt of the session; a wake-up is one that does not recur.
type Cron struct {
	ID        string
	Schedule  string
	Recurring bool
	Prompt    string
}

// InSubagent reports whether the event happened inside a subagent.
func (e Event) InSubagent() bool { return e.AgentID != "" }
