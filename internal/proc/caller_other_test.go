//go:build !linux

package proc

func callerOf(string) {}
