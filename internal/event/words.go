package event

import "time"

// Word maps a hook word, the program's first argument, to the event that the client fires.
type Word struct {
	Word string // for example "pre-tool-use"
	Name string // hook_event_name, for example "PreToolUse"
	// Time is the time limit for handling the event, including all programs started for it. It is
	// below the client's timeout in hooks.json, because the client ignores a hook that times out.
	Time time.Duration
}

// Events that trigger the program. PreModelSwitch is missing because client 2.1.239 drops all hooks
// of a plugin that names an unknown event, and newer clients fire it before the switch is certain.
// A more expensive model is detected in the transcript instead.
const (
	Stop                = "Stop"
	PreToolUse          = "PreToolUse"
	PostToolUse         = "PostToolUse"
	PostToolUseFailure  = "PostToolUseFailure"
	UserPromptSubmit    = "UserPromptSubmit"
	UserPromptExpansion = "UserPromptExpansion"
	SubagentStop        = "SubagentStop"
	SessionStart        = "SessionStart"
	SessionEnd          = "SessionEnd"
	StopFailure         = "StopFailure"
	ConfigChange        = "ConfigChange"
	PermissionRequest   = "PermissionRequest"
)

// Words lists the hook words, starting with the two essential ones.
var Words = [...]Word{
	{"stop", Stop, time.Hour - 10*time.Second}, // a check may take most of this
	{"pre-tool-use", PreToolUse, 50 * time.Second},
	{"post-tool-use", PostToolUse, 8 * time.Second},
	{"post-tool-use-failure", PostToolUseFailure, 8 * time.Second},
	{"user-prompt-submit", UserPromptSubmit, 8 * time.Second},
	{"user-prompt-expansion", UserPromptExpansion, 50 * time.Second},
	{"subagent-stop", SubagentStop, time.Hour - 10*time.Second},
	{"session-start", SessionStart, 8 * time.Second},
	{"session-end", SessionEnd, 1300 * time.Millisecond}, // all SessionEnd hooks share 1.5 s
	{"stop-failure", StopFailure, 8 * time.Second},
	{"config-change", ConfigChange, 8 * time.Second},
	// waits for a person's answer
	{"permission-request", PermissionRequest, 24*time.Hour - 10*time.Second},
}

// WordOf returns the hook word for an event, or "" if the program is not registered for it.
func WordOf(name string) string {
	for _, w := range Words {
		if w.Name == name {
			return w.Word
		}
	}
	return ""
}

// NameOf returns the event for a hook word, or "" if word is not a hook word.
func NameOf(word string) string {
	for _, w := range Words {
		if w.Word == word {
			return w.Name
		}
	}
	return ""
}
