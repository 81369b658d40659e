//go:build !linux

package proc

// Boot names the boot of the machine that is running, and is empty where the system does not report
// it.
func Boot() string { return Clock().Boot }
