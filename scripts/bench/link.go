//go:build linux || darwin

package main

import (
	"os"
	"path/filepath"

	"hooks/internal/brake"
	"hooks/internal/seal"
	"hooks/scripts/driver"
)

// link measures the empty program under the name git, directly and behind a brake link, without a
// loop and with an open iteration.
func (b *bench) link() {
	bin := filepath.Join(b.dir, "bin")
	b.Check(os.Mkdir(bin, 0o700))
	b.Check(os.Link(b.empty, filepath.Join(bin, "git")))
	rows := b.against(driver.Event{})
	for _, state := range []string{"no loop", "iteration open"} {
		w := b.world("link, " + state)
		reach(w, state)
		home := filepath.Join(w.Dir, "home", ".local", "state", "hooks")
		b.Check(brake.Dress(home, "s1", b.hooks))
		links := seal.LinksPath(home, "s1")
		rows = append(rows, &row{name: "behind a link, " + state,
			args: []string{filepath.Join(links, "git"), "status", "--short"},
			env:  append(w.Environ(), "PATH="+links+":"+bin)})
	}
	b.measure(rows, 10, b.n)
}
