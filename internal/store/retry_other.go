//go:build !windows

package store

// transient is never true where an open file can be renamed and removed.
func transient(error) bool { return false }
