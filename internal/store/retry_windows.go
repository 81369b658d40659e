package store

import (
	"errors"

	"golang.org/x/sys/windows"
)

// transient says whether an error passes by itself: the file is open in another process without sharing.
func transient(err error) bool {
	return errors.Is(err, windows.ERROR_ACCESS_DENIED) || errors.Is(err, windows.ERROR_SHARING_VIOLATION) ||
		errors.Is(err, windows.ERROR_LOCK_VIOLATION)
}
