package event

import (
	"errors"
	"fmt"
	"strings"

	"github.com/tidwall/gjson"
)

// Error is a payload that was refused: what was wrong with which field, and the way out.
type Error struct {
	Field string // dotted name of the field, "" when the input as a whole is at fault
	text  string
	hint  string
	other bool // ErrOtherEvent
}

// ErrOtherEvent is a payload that is whole, and of another event than the word it was sent to.
var ErrOtherEvent = errors.New("another event")

// Is tells that refusal from all others.
func (e *Error) Is(target error) bool { return target == ErrOtherEvent && e.other }

// Error is the refusal without the hint: lower case, no full stop.
func (e *Error) Error() string { return e.text }

// Hint is the way out, one line.
func (e *Error) Hint() string { return e.hint }

const (
	hintClient = "hook words read the JSON object that the client writes on stdin; run `hooks doctor` to check the registration"
	hintShape  = "the client may be newer than this program; run `hooks doctor`, or upgrade hooks"
)

func refuse(hint, format string, args ...any) error {
	return &Error{text: fmt.Sprintf(format, args...), hint: hint}
}

// wrongType refuses a field whose JSON type is not the one that decisions rest on.
func wrongType(field string, v gjson.Result, want string) error {
	return &Error{Field: field, text: fmt.Sprintf("field %s is %s, not %s", field, clip(v.Raw), want), hint: hintShape}
}

func missing(field string) error {
	return &Error{Field: field, text: fmt.Sprintf("field %s is missing or empty", field), hint: hintClient}
}

// clip shortens a value for a message; the whole of it may be megabytes.
func clip(s string) string {
	const most = 80
	s = strings.ToValidUTF8(s, "\uFFFD")
	if len(s) <= most {
		return s
	}
	return strings.ToValidUTF8(s[:most], "") + "…"
}
