package event

import (
	"fmt"
	"strings"

	"github.com/tidwall/gjson"

	"hooks/internal/codec"
	"hooks/internal/hint"
)

const hintShape = "the client may be newer than this program; run `hooks doctor`, or upgrade hooks"

// check returns an error if the event has another name, lacks a required field, or has tool input
// of the wrong type.
func (e Event) check(name string) error {
	switch {
	case e.Name == "":
		return missing("hook_event_name")
	case e.Name != name:
		return hint.New(
			"run `hooks doctor`, because this event is registered for the wrong hook command",
			"%w", &OtherEventError{e.Name, name})
	case e.SessionID == "":
		return missing("session_id")
	case strings.Contains(e.Name, "ToolUse") && e.Tool == "":
		return missing("tool_name")
	case !e.Input.IsObject() && e.Input.Type != gjson.Null:
		return wrongType("tool_input", e.Input)
	case e.Tool == "":
		return nil
	}
	return e.checkTool()
}

// field returns an object's member by its exact key. A gjson path would treat parts of a key as
// operators and would also look inside a string that contains JSON. field stops at the member,
// because the rest of the object may be long.
func field(v gjson.Result, key string) (found gjson.Result) {
	if v.IsObject() {
		v.ForEach(func(k, member gjson.Result) bool {
			if k.String() == key {
				found = member
			}
			return !found.Exists()
		})
	}
	return found
}

// textOr returns the string in v, or "" if v has another type.
func textOr(v gjson.Result) string {
	if v.Type != gjson.String {
		return ""
	}
	return v.Str
}

// OtherEventError reports that the payload's event does not match the hook word.
type OtherEventError struct{ Got, Want string }

func (e *OtherEventError) Error() string {
	return fmt.Sprintf("field hook_event_name is %q, not %q", codec.Clip(e.Got), e.Want)
}

// wrongType returns an error for a field with the wrong JSON type.
func wrongType(field string, v gjson.Result) error {
	return hint.New(hintShape, "%w", &codec.TypeError{Field: field, Raw: v.Raw})
}

func missing(field string) error {
	return hint.New(hintClient, "field %s is missing or empty", field)
}
