package event

// Word maps a hook word, the program's first argument, to the event that the client fires.
type Word struct {
	Word string // for example "pre-tool-use"
	Name string // hook_event_name, for example "PreToolUse"
}

// Events that the program is registered for. PreModelSwitch is left out: client 2.1.239 drops all
// hooks of a plugin that names an unknown event, and newer clients fire it before the switch is
// certain. A dearer model is noticed in the transcript instead.
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

// Words lists the hook words, the two essential ones first.
var Words = [...]Word{
	{"stop", Stop},
	{"pre-tool-use", PreToolUse},
	{"post-tool-use", PostToolUse},
	{"post-tool-use-failure", PostToolUseFailure},
	{"user-prompt-submit", UserPromptSubmit},
	{"user-prompt-expansion", UserPromptExpansion},
	{"subagent-stop", SubagentStop},
	{"session-start", SessionStart},
	{"session-end", SessionEnd},
	{"stop-failure", StopFailure},
	{"config-change", ConfigChange},
	{"permission-request", PermissionRequest},
}

// WordOf returns the hook word of an event, or "" if the program is not registered for it.
func WordOf(name string) string {
	for _, w := range Words {
		if w.Name == name {
			return w.Word
		}
	}
	return ""
}

// NameOf returns the event of a hook word, or "" if word is not a hook word.
func NameOf(word string) string {
	for _, w := range Words {
		if w.Word == word {
			return w.Name
		}
	}
	return ""
}
