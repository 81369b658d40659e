//go:build linux || darwin

// Bench times calls of the program from start to exit, and prints tables for docs/performance.md.
//
//	go run ./scripts/bench                 every hook word in every state
//	go run ./scripts/bench -usage 1024     counting a session of 1 GiB, and its new lines
//	go run ./scripts/bench -history 10000  people's commands on a run with 10,000 lines
//	go run ./scripts/bench -link           a program behind a link of the brake
//	go run ./scripts/bench -night 200      files and call times after a run of 200 iterations
//
// Rows are measured in random order, so that the machine's load affects all of them equally.
package main

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"

	"hooks/scripts/driver"
)

// row is a command line in one state. prepare sets up the state before each call and is untimed.
type row struct {
	name        string // in the first table; "" if only in the second
	word, state string // row and column of the second table
	args, env   []string
	stdin       string
	prepare     func()
	times       []time.Duration
	cpu         []time.Duration // of the process; hardly depends on the machine's load
	peak        int64           // KiB
}

type bench struct {
	driver.Errors
	dir, empty, hooks string
	n                 int
	worlds            []*driver.World
}

func main() {
	b := bench{}
	flag.IntVar(&b.n, "n", 300, "measure each row with that many calls")
	usage := flag.Int64("usage", 0, "measure counting in a session of that many MiB")
	lines := flag.Int("history", 0, "measure people's commands with that many history lines")
	link := flag.Bool("link", false, "measure a program behind a link of the brake")
	night := flag.Int("night", 0, "play a run of that many iterations with five workers each")
	flag.Parse()
	dir, err := os.MkdirTemp("", "hooks-bench-")
	b.Check(err)
	defer os.RemoveAll(dir)
	b.dir, b.empty, b.hooks = dir, filepath.Join(dir, "empty"), filepath.Join(dir, "hooks")
	b.build(b.empty, "./scripts/bench/empty")
	b.build(b.hooks, "./hooks")
	switch {
	case *usage > 0:
		b.usage(*usage << 20)
	case *link:
		b.link()
	case *lines > 0:
		b.history(*lines)
	case *night > 0:
		b.night(*night)
	default:
		b.states()
	}
	for _, e := range b.Errors {
		fmt.Fprintln(os.Stderr, "error:", e)
		defer os.Exit(1)
	}
}

// build builds a program and copies it, as installers do. The linker writes a file in parts, and
// its pages are then slower to map.
func (b *bench) build(program, pkg string) {
	b.Check(driver.Build(program+"-linked", pkg))
	b.Check(exec.Command("cp", program+"-linked", program).Run())
}

// world returns a new project with an attended session.
func (b *bench) world(name string) *driver.World {
	w := driver.New(filepath.Join(b.dir, name), b.hooks, os.Getpid())
	w.Env = []string{"CLAUDE_CODE_SESSION_ATTENDED=1"}
	b.worlds = append(b.worlds, w)
	return w
}

// play sends events and records an error for each one that fails.
func play(w *driver.World, events ...driver.Event) {
	for _, e := range events {
		if r := w.Send(e); r.Code != 0 || r.Err != "" {
			w.Errorf("%v: code %d, %s", e.Args, r.Code, r.Err)
		}
	}
}

func (b *bench) row(name string, w *driver.World, e driver.Event, prepare func()) *row {
	return &row{name: name, args: append([]string{b.hooks}, e.Args...), stdin: e.Stdin,
		env: append(w.Environ(), e.Env...), prepare: prepare}
}

// against returns a list with the row that all others are compared to.
func (b *bench) against(e driver.Event) []*row {
	return []*row{{name: "empty Go program", args: []string{b.empty}, stdin: e.Stdin}}
}

// measure calls every row warm+n times, in random order, and ignores the first warm calls. It
// prints the rows that have a name.
func (b *bench) measure(rows []*row, warm, n int) {
	for _, w := range b.worlds {
		b.Errors = append(b.Errors, w.Errors...)
	}
	for i := range warm + n {
		for _, k := range rand.Perm(len(rows)) {
			if len(b.Errors) == 0 {
				b.Check(rows[k].call(i >= warm))
			}
		}
	}
	if len(b.Errors) > 0 {
		return
	}
	fmt.Printf("\n| call | min ms | median ms | p95 ms | times %s | CPU ms | peak MiB |\n",
		rows[0].name)
	fmt.Println("|---|--:|--:|--:|--:|--:|--:|")
	for _, r := range rows {
		if r.name != "" {
			fmt.Printf("| %s | %.2f | %.2f | %.2f | %.2f | %.2f | %.1f |\n", r.name, at(r.times, 0),
				at(r.times, 50), at(r.times, 95), at(r.times, 50)/at(rows[0].times, 50),
				at(r.cpu, 50), float64(r.peak)/1024)
		}
	}
}

func (r *row) call(counted bool) error {
	if r.prepare != nil {
		r.prepare()
	}
	cmd := exec.Command(r.args[0], r.args[1:]...)
	cmd.Stdin, cmd.Env = strings.NewReader(r.stdin), r.env
	began := time.Now()
	if err := cmd.Run(); err != nil {
		return fmt.Errorf("%v: %w", r.args, err)
	}
	if counted {
		r.times = append(r.times, time.Since(began))
		r.cpu = append(r.cpu, cmd.ProcessState.UserTime()+cmd.ProcessState.SystemTime())
		r.peak = max(r.peak, cmd.ProcessState.SysUsage().(*syscall.Rusage).Maxrss)
	}
	return nil
}

// at returns a percentile in milliseconds.
func at(list []time.Duration, percent int) float64 {
	slices.Sort(list)
	return float64(list[len(list)*percent/100].Microseconds()) / 1000
}
