//go:build linux

package torture

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"golang.org/x/sys/unix"

	"hooks/scripts/driver"
)

// disks plays loops on a disk that becomes full, on a disk that becomes read-only, and on an
// overlay, if this machine allows mounts.
func (t *torture) disks(f *findings) string {
	memory := func(size string) func(*player, string) error {
		return func(_ *player, at string) error {
			return unix.Mount("tmpfs", at, "tmpfs", 0, "size="+size)
		}
	}
	var did []string
	for _, kind := range []struct {
		name  string
		mount func(p *player, at string) error
		play  func(p *player, at string)
	}{
		{"full", memory("160k"), fill},
		{"closed", memory("1m"), closeDisk},
		{"overlay", overlay, func(p *player, _ string) { p.iterate(flags, 2) }},
	} {
		p := t.player("disk-"+kind.name, t.program)
		at := filepath.Join(p.Project(), ".sdd")
		p.Check(os.MkdirAll(at, 0o700))
		if err := kind.mount(p, at); err != nil {
			did = append(did, fmt.Sprintf("%s skipped (%v)", kind.name, err))
			continue
		}
		kind.play(p, at)
		p.iterate(flags, 1)
		p.settle()
		p.Check(unix.Unmount(at, unix.MNT_DETACH))
		did = append(did, fmt.Sprintf("%s: %d events", kind.name, len(p.trace)))
		f.take(p, kind.name)
	}
	return strings.Join(did, ", ")
}

// overlay mounts one folder over another, as containers do. It uses memory, because an overlay does
// not work on every file system.
func overlay(p *player, at string) error {
	low, up := filepath.Join(p.Dir, "low"), filepath.Join(p.Dir, "up")
	upper, work := filepath.Join(up, "u"), filepath.Join(up, "w")
	p.Check(os.MkdirAll(low, 0o700))
	p.Check(os.MkdirAll(up, 0o700))
	if err := unix.Mount("tmpfs", up, "tmpfs", 0, "size=1m"); err != nil {
		return err
	}
	p.Check(os.Mkdir(upper, 0o700))
	p.Check(os.Mkdir(work, 0o700))
	err := unix.Mount("overlay", at, "overlay", 0,
		"lowerdir="+low+",upperdir="+upper+",workdir="+work)
	_ = unix.Unmount(up, unix.MNT_DETACH) // remains until the overlay is unmounted
	return err
}

// fill leaves a few free pages before one event of an iteration, and removes the ballast after it.
func fill(p *player, at string) {
	ballast := filepath.Join(at, "ballast")
	for pages := 0; pages <= 6; pages++ {
		tight := func(really bool, e driver.Event) {
			if really {
				var disk unix.Statfs_t
				p.Check(unix.Statfs(at, &disk))
				if n := int(disk.Bavail) - pages; n > 0 {
					_ = os.WriteFile(ballast, make([]byte, n*int(disk.Bsize)), 0o600)
				}
			}
			p.Failing = really
			p.do(e)
			p.Failing = false
			_ = os.Remove(ballast)
		}
		for step := range 4 {
			p.NewPrompt()
			tight(step == 0, p.Enter(flags))
			if p.disk().tick == nil {
				continue
			}
			tight(step == 1, p.Report(`{"outcome":"ok"}`))
			p.Spend(1000, 2000, true)
			tight(step == 2, p.Stop())
			tight(false, p.Stop())
		}
	}
}

// closeDisk makes the disk read-only before each event of an iteration, and writable after it.
func closeDisk(p *player, at string) {
	closed := func(e driver.Event) {
		p.Check(unix.Mount("", at, "", unix.MS_REMOUNT|unix.MS_RDONLY, ""))
		p.Failing = true
		p.do(e)
		p.Failing = false
		p.Check(unix.Mount("", at, "", unix.MS_REMOUNT, ""))
	}
	closed(p.Enter(flags))
	p.turn(flags)
	closed(p.Report(`{"outcome":"ok"}`))
	p.work()
	closed(p.Stop())
	p.end()
	closed(p.SessionEnd("exit"))
}
