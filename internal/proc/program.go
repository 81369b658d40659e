package proc

import (
	"os"

	"hooks/internal/loop"
)

// Self returns the path and size of the running program, if the system reports them. It does not
// set Version.
func Self() (p loop.Program) {
	p.Path, _ = os.Executable()
	if info, err := os.Stat(p.Path); err == nil {
		p.Size = info.Size()
	}
	return p
}
