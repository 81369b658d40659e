package event

import (
	"errors"
	"fmt"

	"github.com/tidwall/gjson"

	"hooks/internal/codec"
)

// Error is a payload that was refused: what is wrong with which field, and how to fix it.
type Error struct {
	text  string
	hint  string
	other bool // an ErrOtherEvent
}

// ErrOtherEvent is a complete payload of another event than that of its hook word.
var ErrOtherEvent = errors.New("another event")

// Is matches ErrOtherEvent.
func (e *Error) Is(target error) bool { return target == ErrOtherEvent && e.other }

// Error is the refusal without the hint: lower case, no full stop.
func (e *Error) Error() string { return e.text }

// Hint is the fix, one line.
func (e *Error) Hint() string { return e.hint }

const (
	hintClient = "hook words read the JSON object that the client writes on stdin; " +
		"run `hooks doctor` to check the registration"
	hintShape = "the client may be newer than this program; run `hooks doctor`, or upgrade hooks"
)

func refuse(hint, format string, args ...any) error {
	return &Error{text: fmt.Sprintf(format, args...), hint: hint}
}

// wrongType refuses a field whose JSON type is not the one that decisions need.
func wrongType(field string, v gjson.Result, want string) error {
	return refuse(hintShape, "%v", &codec.TypeError{Field: field, Raw: v.Raw, Want: want})
}

func missing(field string) error {
	return refuse(hintClient, "field %s is missing or empty", field)
}
