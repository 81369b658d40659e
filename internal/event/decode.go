package event

import (
	"errors"
	"fmt"

	"github.com/tidwall/gjson"

	"hooks/internal/codec"
)

// decode decodes the JSON object of a payload and checks it.
func decode(name, json string) (e Event, err error) {
	twice := (*codec.TwiceError)(nil)
	if _, err := codec.Check(json, maxNesting); errors.As(err, &twice) {
		return e, refuse("a repeated key can hide what is really run; send each key once",
			"key %q appears twice in one object", codec.Clip(twice.Key))
	}
	if err = codec.Decode(gjson.Parse(json), &e); err != nil {
		err = refuse(hintShape, "%v", err)
	} else if e.Name == StopFailure {
		e.Failure, e.Error = e.Error, ""
	}
	if err == nil {
		err = e.check(name)
	}
	if err != nil {
		return Event{}, err
	}
	return e, nil
}

// check returns an error for an event with another name or without a field that it requires.
func (e Event) check(name string) error {
	switch {
	case e.Name == "":
		return missing("hook_event_name")
	case e.Name != name:
		return &Error{
			text:  fmt.Sprintf("field hook_event_name is %q, not %q", codec.Clip(e.Name), name),
			hint:  "the registration sends this event to the wrong hook word; run `hooks doctor`",
			other: true,
		}
	case e.SessionID == "":
		return missing("session_id")
	case e.onTool() && e.Tool == "":
		return missing("tool_name")
	case !e.Input.IsObject() && e.Input.Type != gjson.Null:
		return wrongType("tool_input", e.Input, "an object")
	}
	return e.checkTool()
}

func (e Event) onTool() bool {
	return e.Name == PreToolUse || e.Name == PostToolUse || e.Name == PostToolUseFailure
}

// field returns an object's member by its exact key. A gjson path would treat parts of a key as
// operators, and would look for braces inside a string.
func field(v gjson.Result, key string) (found gjson.Result) {
	if !v.IsObject() {
		return found
	}
	v.ForEach(func(k, member gjson.Result) bool {
		if k.String() == key {
			found = member
		}
		return !found.Exists()
	})
	return found
}

// textOr returns the string in v, or "" if v has another type.
func textOr(v gjson.Result) string {
	if v.Type != gjson.String {
		return ""
	}
	return v.Str
}

// Error reports a refused payload: which field is wrong and how to fix it.
type Error struct {
	text  string
	hint  string
	other bool // matches ErrOtherEvent
}

// ErrOtherEvent matches an Error about a complete payload of an event other than the hook word's.
var ErrOtherEvent = errors.New("another event")

// Is reports whether target is ErrOtherEvent and e is of that kind.
func (e *Error) Is(target error) bool { return target == ErrOtherEvent && e.other }

// Error returns the refusal without the hint: lower case, no full stop.
func (e *Error) Error() string { return e.text }

// Hint returns the fix in one line.
func (e *Error) Hint() string { return e.hint }

const (
	hintClient = "hook words read the JSON object that the client writes on stdin; " +
		"run `hooks doctor` to check the registration"
	hintShape = "the client may be newer than this program; run `hooks doctor`, or upgrade hooks"
)

func refuse(hint, format string, args ...any) error {
	return &Error{text: fmt.Sprintf(format, args...), hint: hint}
}

// wrongType refuses a field whose JSON type does not allow a decision.
func wrongType(field string, v gjson.Result, want string) error {
	return refuse(hintShape, "%v", &codec.TypeError{Field: field, Raw: v.Raw, Want: want})
}

func missing(field string) error {
	return refuse(hintClient, "field %s is missing or empty", field)
}
