package store

import (
	"errors"
	"time"

	"golang.org/x/sys/windows"
)

// patiently retries an operation for about an eighth of a second while another process has the file
// open without sharing it.
func patiently(do func() error) error {
	err := do()
	for pause := time.Millisecond; transient(err) && pause < 128*time.Millisecond; pause *= 2 {
		time.Sleep(pause)
		err = do()
	}
	return err
}

func transient(err error) bool {
	return errors.Is(err, windows.ERROR_ACCESS_DENIED) ||
		errors.Is(err, windows.ERROR_SHARING_VIOLATION) ||
		errors.Is(err, windows.ERROR_LOCK_VIOLATION)
}
