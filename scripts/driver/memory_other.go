//go:build !linux

package driver

// InMemory changes nothing: only Linux has a folder that is in memory everywhere.
func InMemory() {}
