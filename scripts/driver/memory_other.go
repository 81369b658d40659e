//go:build !linux

package driver

// InMemory does nothing, because only Linux always has a folder in memory.
func InMemory() {}
