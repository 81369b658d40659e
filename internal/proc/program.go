package proc

import (
	"os"

	"hooks/internal/loop"
)

// Self returns the path and the size of the running program, as far as the system reports them.
// Version stays empty.
func Self() (p loop.Program) {
	p.Path, _ = os.Executable()
	if info, err := os.Stat(p.Path); err == nil {
		p.Size = info.Size()
	}
	return p
}
