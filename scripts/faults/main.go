//go:build linux

// Command faults shows that the program cannot lose, lie or trap. Every system call that matters of every kind of
// event is made to fail, one at a time, with each error and by kill -9 (strace injects it into the real program);
// after each of them the state on disk is held against a ledger of what really happened, the loop goes on in every way
// a loop can go on, and in the end nothing is lost, counted twice or stuck.
//
//	go run ./scripts/faults              every call killed or failing in one other way, one way on
//	go run ./scripts/faults -whole       every call, every fault, every way on
//	go run ./scripts/faults -self-test   mistakes are built into the program, and each must be found
package main

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"

	"hooks/scripts/drive"
)

func main() {
	whole := flag.Bool("whole", false, "every fault, and every way to go on after each")
	selfTest := flag.Bool("self-test", false, "build known mistakes into the program and find each")
	only := flag.String("scenario", "", "play only the scenarios, or plant only the mistakes, whose name has this in it")
	workers := flag.Int("j", runtime.NumCPU(), "how many play at once")
	verbose := flag.Bool("v", false, "print the events that led to each violation, and the places nothing struck")
	keep := flag.String("dir", "", "play here, and leave everything")
	flag.Parse()
	if err := run(*whole, *selfTest, *only, *workers, *verbose, *keep); err != nil {
		fmt.Fprintf(os.Stderr, "error: %v\n", err)
		os.Exit(1)
	}
}

func run(whole, selfTest bool, only string, workers int, verbose bool, dir string) error {
	if err := possible(); err != nil {
		return err
	}
	if err := clients.Start(); err != nil {
		return err
	}
	defer clients.End()
	if dir == "" {
		var err error
		if dir, err = os.MkdirTemp(drive.Memory(), "hooks-faults-"); err != nil {
			return fmt.Errorf("make folder: %w", err)
		}
		defer os.RemoveAll(dir)
	}
	compiled, err := drive.Compile()
	if err != nil {
		return err
	}
	s := &sweep{program: filepath.Join(dir, "hooks"), dir: dir, schemas: compiled, workers: workers, calls: calls, faults: faults, ways: 1, most: 40}
	s.scenarios = named(only)
	if selfTest {
		return s.selfTest(only)
	}
	if !whole {
		s.faults, s.few, s.thin = faults[:3], true, true
	} else {
		s.ways, s.loud = 0, true
	}
	if err := drive.Build(s.program, drive.Pinned); err != nil {
		return err
	}
	return s.tell(verbose)
}

// named gives the scenario of that name, or where there is none all whose name has it in it.
func named(only string) []scenario {
	if i := slices.IndexFunc(scenarios, func(sc scenario) bool { return sc.name == only }); i >= 0 {
		return scenarios[i : i+1]
	}
	return slices.DeleteFunc(slices.Clone(scenarios), func(sc scenario) bool { return !strings.Contains(sc.name, only) })
}

// tell sweeps and prints what came of it.
func (s *sweep) tell(verbose bool) error {
	began := time.Now()
	t, err := s.all()
	if err != nil {
		return err
	}
	for _, v := range t.bad {
		fmt.Printf("%s\n    %s\n", v.where, v.what)
		if verbose {
			fmt.Println("  " + strings.Join(v.trace, "\n  "))
		}
	}
	if verbose {
		for _, place := range t.missed {
			fmt.Println("never struck: " + place)
		}
	}
	fmt.Printf("%d scenarios, %d faults (%d kills); of %d pairs of a call and a fault %d came together; the program started %d times; %d violations; %s\n",
		len(s.scenarios), t.runs, t.kills, t.places, t.places-len(t.missed), t.starts, len(t.bad), time.Since(began).Round(time.Second))
	if len(t.bad) > 0 {
		return fmt.Errorf("%d violations", len(t.bad))
	}
	return nil
}
