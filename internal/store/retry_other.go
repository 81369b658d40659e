//go:build !windows

package store

// transient reports false, because these systems can rename and remove open files.
func transient(error) bool { return false }
