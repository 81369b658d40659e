//go:build !linux

package driver

// InMemory does nothing, because only Linux always has an in-memory folder.
func InMemory() {}
