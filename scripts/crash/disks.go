//go:build linux

package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"golang.org/x/sys/unix"

	"hooks/scripts/drive"
)

// disks plays loops on a disk of a few pages that somebody fills at every size, on one that is closed for writing, and
// on one that lies over another, where this machine lets us mount them.
func (t *trial) disks() (outcome, error) {
	var o outcome
	var did []string
	for _, kind := range []struct {
		name  string
		mount func(p *drive.Player, state string) error
		play  func(*drive.Player, string)
	}{
		{"full", func(_ *drive.Player, at string) error { return unix.Mount("tmpfs", at, "tmpfs", 0, "size=160k") }, fill},
		{"closed", func(_ *drive.Player, at string) error { return unix.Mount("tmpfs", at, "tmpfs", 0, "size=1m") }, shut},
		{"overlay", overlay, func(p *drive.Player, _ string) { p.Iterate(flags, 2) }},
	} {
		p, err := t.stage("disk-"+kind.name, t.program)
		if err != nil {
			return o, err
		}
		at := filepath.Join(p.Project(), ".sdd")
		if err := os.MkdirAll(at, 0o700); err != nil {
			return o, err
		}
		if err := kind.mount(p, at); err != nil {
			did = append(did, fmt.Sprintf("%s skipped (%v)", kind.name, err))
			continue
		}
		kind.play(p, at)
		p.Iterate(flags, 1)
		p.Settle()
		if err := unix.Unmount(at, unix.MNT_DETACH); err != nil {
			return o, fmt.Errorf("unmount: %w", err)
		}
		for _, bad := range p.Bad {
			o.bad = append(o.bad, kind.name+": "+bad)
		}
		did = append(did, fmt.Sprintf("%s: %d events", kind.name, len(p.Trace)))
	}
	o.done = strings.Join(did, ", ")
	return o, nil
}

// overlay mounts one folder over another, as containers do.
func overlay(p *drive.Player, at string) error {
	options := "lowerdir=" + filepath.Join(p.Dir, "low") + ",upperdir=" + filepath.Join(p.Dir, "up", "u") + ",workdir=" + filepath.Join(p.Dir, "up", "w")
	for _, d := range []string{"low", "up"} {
		if err := os.MkdirAll(filepath.Join(p.Dir, d), 0o700); err != nil {
			return err
		}
	}
	// An overlay cannot lie on every file system; one in memory serves.
	if err := unix.Mount("tmpfs", filepath.Join(p.Dir, "up"), "tmpfs", 0, "size=1m"); err != nil {
		return err
	}
	for _, d := range []string{"u", "w"} {
		if err := os.Mkdir(filepath.Join(p.Dir, "up", d), 0o700); err != nil {
			return err
		}
	}
	err := unix.Mount("overlay", at, "overlay", 0, options)
	_ = unix.Unmount(filepath.Join(p.Dir, "up"), unix.MNT_DETACH) // it lives as long as what lies over it
	return err
}

// fill leaves less and less room before each event of an iteration, and room again after it.
func fill(p *drive.Player, at string) {
	ballast := filepath.Join(at, "ballast")
	for room := 0; room <= 6; room++ {
		for step := range 4 {
			p.NewPrompt()
			tight(p, ballast, room, step == 0, p.Enter(flags))
			if p.Disk().Tick == nil {
				continue
			}
			tight(p, ballast, room, step == 1, p.Report(`{"outcome":"ok"}`))
			if err := p.Spend(1000, 2000, true); err != nil {
				p.Say("%v", err)
			}
			tight(p, ballast, room, step == 2, p.Stop())
			tight(p, ballast, room, false, p.Stop())
		}
	}
}

// tight plays an event with that many pages of room, if it is to be tight.
func tight(p *drive.Player, ballast string, pages int, really bool, e drive.Event) {
	if really {
		var fs unix.Statfs_t
		if err := unix.Statfs(filepath.Dir(ballast), &fs); err != nil {
			p.Say("%v", err)
		}
		if n := int(fs.Bavail) - pages; n > 0 {
			_ = os.WriteFile(ballast, make([]byte, n*int(fs.Bsize)), 0o600)
		}
		p.Broken = true
	}
	p.Do(e)
	p.Broken = false
	_ = os.Remove(ballast)
}

// shut closes the disk before each event of an iteration, and opens it again.
func shut(p *drive.Player, at string) {
	closed := func(e drive.Event) {
		if err := unix.Mount("", at, "", unix.MS_REMOUNT|unix.MS_RDONLY, ""); err != nil {
			p.Say("close disk: %v", err)
		}
		p.Broken = true
		p.Do(e)
		p.Broken = false
		if err := unix.Mount("", at, "", unix.MS_REMOUNT, ""); err != nil {
			p.Say("open disk: %v", err)
		}
	}
	closed(p.Enter(flags))
	p.Turn(flags)
	closed(p.Report(`{"outcome":"ok"}`))
	p.Work()
	closed(p.Stop())
	p.End()
	closed(p.SessionEnd("exit"))
}
