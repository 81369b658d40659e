//go:build linux

package main

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"hooks/scripts/drive"
)

// selfTest builds each known mistake into the program and looks for it where it has to show. One that nobody finds, or
// whose text does not stand in the sources any more, is an error: a test that cannot fail shows nothing.
func (s *sweep) selfTest(only string) error {
	began, tried := time.Now(), 0
	for i, p := range plants {
		if !strings.Contains(p.name, only) {
			continue
		}
		tried++
		program := filepath.Join(s.dir, fmt.Sprintf("plant-%d", i))
		if err := drive.Build(program, append(p.patches, drive.Pinned)...); err != nil {
			return fmt.Errorf("plant %q: %w", p.name, err)
		}
		found, err := s.find(p, program)
		if err != nil {
			return fmt.Errorf("plant %q: %w", p.name, err)
		}
		if found == "" {
			return fmt.Errorf("nobody found the mistake: %s", p.name)
		}
		fmt.Printf("found: %s\n    %s\n", p.name, found)
	}
	fmt.Printf("%d mistakes planted, all found, %s\n", tried, time.Since(began).Round(time.Second))
	return nil
}

// find gives the first violation.
func (s *sweep) find(p plant, program string) (string, error) {
	if p.scenario == "" {
		return s.race(program)
	}
	one := *s
	one.program, one.dir = program, program+"-stages"
	one.scenarios = slices.DeleteFunc(slices.Clone(scenarios), func(sc scenario) bool { return sc.name != p.scenario })
	one.calls, one.faults, one.few, one.ways, one.most = p.calls, faults[:2], !p.every, 0, 1
	if one.calls == nil {
		one.calls = []string{"fsync"}
	}
	t, err := one.all()
	if err != nil || len(t.bad) == 0 {
		return "", err
	}
	what, _, _ := strings.Cut(t.bad[0].what, "\n")
	return fmt.Sprintf("%s: %.200s", t.bad[0].where, what), nil
}

// race lets sessions take the same run up at once until two of them win.
func (s *sweep) race(program string) (string, error) {
	for round := range 300 {
		world, err := drive.New(filepath.Join(program+"-race", fmt.Sprint(round)), program, clients.First)
		if err != nil {
			return "", err
		}
		p := &drive.Player{World: world, Schemas: s.schemas}
		oneDone(p)
		if err := p.Bury(clients.Gone); err != nil {
			return "", err
		}
		if err := p.RaceForLock(24, flags+" --resume", true); err != nil {
			return "", err
		}
		if len(p.Bad) > 0 {
			return fmt.Sprintf("round %d: %.200s", round+1, p.Bad[0]), nil
		}
	}
	return "", nil
}
