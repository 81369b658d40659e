package store

import (
	"errors"

	"golang.org/x/sys/windows"
)

// transient reports whether an error is temporary because another process has the file open without
// sharing it.
func transient(err error) bool {
	return errors.Is(err, windows.ERROR_ACCESS_DENIED) ||
		errors.Is(err, windows.ERROR_SHARING_VIOLATION) ||
		errors.Is(err, windows.ERROR_LOCK_VIOLATION)
}
