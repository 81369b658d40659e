// Package hint gives errors their way out: whoever meets one reads what is wrong in a line `error:`
// and what to do about it in a line `hint:`.
package hint

import (
	"errors"
	"fmt"
)

// Error is an error with its way out.
type Error struct {
	Err error
	Way string // lower case, no full stop
}

// Error is the error without its way out.
func (e *Error) Error() string { return e.Err.Error() }

// Unwrap is the error that the way leads out of.
func (e *Error) Unwrap() error { return e.Err }

// Hint is the way out.
func (e *Error) Hint() string { return e.Way }

// New is a refusal: the format and its arguments, as of fmt.Errorf, say what is wrong.
func New(way, format string, args ...any) error {
	return &Error{fmt.Errorf(format, args...), way}
}

// Of is the way out that an error or one that it wraps knows; empty when there is none.
func Of(err error) string {
	var h interface{ Hint() string }
	if errors.As(err, &h) {
		return h.Hint()
	}
	return ""
}

// Text is an error as people and the model read it, in one or two lines.
func Text(err error) string {
	text := "error: " + err.Error()
	if way := Of(err); way != "" {
		text += "\nhint: " + way
	}
	return text
}
