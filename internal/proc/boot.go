//go:build !linux

package proc

// Boot identifies the machine's current boot. It returns "" if the system does not report it.
func Boot() string { return Clock().Boot }
