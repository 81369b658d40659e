//go:build !windows

package store

// patiently calls do. These systems can rename and remove open files.
func patiently(do func() error) error { return do() }
