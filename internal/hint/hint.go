// Package hint adds a hint to an error. People and the model read both: the error after "error:"
// and, on the next line, the next step after "hint:".
package hint

import (
	"errors"
	"fmt"
)

// Error is an error with a hint.
type Error struct {
	Err error
	Way string // the hint: lower case, no full stop
}

func (e *Error) Error() string { return e.Err.Error() }

func (e *Error) Unwrap() error { return e.Err }

// Hint returns the hint, which is the next step for a person.
func (e *Error) Hint() string { return e.Way }

// New returns an error with a hint. format and args are passed to fmt.Errorf.
func New(way, format string, args ...any) error {
	return &Error{fmt.Errorf(format, args...), way}
}

// Of returns the hint of err or of an error that err wraps, or "" if none has a hint.
func Of(err error) string {
	var h interface{ Hint() string }
	if errors.As(err, &h) {
		return h.Hint()
	}
	return ""
}

// Text returns an error with its hint, if any, on a new line.
func Text(err error) string {
	text := "error: " + err.Error()
	if way := Of(err); way != "" {
		text += "\nhint: " + way
	}
	return text
}
