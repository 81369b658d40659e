//go:build linux || darwin

package main

import (
	"os"
	"syscall"
)

// peak is the most memory a process that has ended held, in KiB on Linux, in bytes on darwin.
func peak(p *os.ProcessState) int64 {
	if u, ok := p.SysUsage().(*syscall.Rusage); ok {
		return u.Maxrss
	}
	return 0
}
