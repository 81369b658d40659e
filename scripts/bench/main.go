//go:build linux || darwin

// Bench times whole calls of the program, start to exit, and prints tables for docs/performance.md.
//
//	go run ./scripts/bench                 every hook word in every state
//	go run ./scripts/bench -usage 1024     counting a session of 1 GiB, and what is new in one
//	go run ./scripts/bench -history 10000  people's commands on a run with 10,000 lines
//
// The rows take turns, so that they meet the same machine. -beside NAME=COMMAND adds a row.
package main

import (
	"cmp"
	"flag"
	"fmt"
	"io"
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

// row is one command line in one state. prepare makes the state before each call; it is not timed.
type row struct {
	name        string // in the first table; "" for a row of the second one alone
	word, state string // of the second table
	args, env   []string
	stdin       string
	prepare     func()
	times       []time.Duration
	cpu         []time.Duration // of the process itself, which holds on a busy machine, too
	peak        int64           // KiB
}

type bench struct {
	dir, empty, hooks string
	n                 int
	beside            []*row
	worlds            []*driver.World
}

func main() {
	b := bench{}
	var t tree
	flag.IntVar(&b.n, "n", 300, "counted calls of each row")
	usage := flag.Int64("usage", 0, "measure counting on a session of that many MiB")
	lines := flag.Int("history", 0, "measure people's commands on that many history lines")
	flag.Func("beside", "NAME=COMMAND: another row, with the same event", func(s string) error {
		name, command, _ := strings.Cut(s, "=")
		b.beside = append(b.beside, &row{name: name, args: strings.Fields(command)})
		return nil
	})
	flag.StringVar(&t.main, "tree", "", "only write a session of -usage MiB under this folder")
	flag.IntVar(&t.workers, "workers", 0, "of -tree: half of it in that many workers' transcripts")
	flag.IntVar(&t.serial, "serial", 0, "of -tree: before its first request")
	flag.Parse()
	err := error(nil)
	if t.main != "" {
		err = t.write(*usage << 20)
	} else {
		err = b.run(*usage<<20, *lines)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "error:", err)
		os.Exit(1)
	}
}

func (b *bench) run(usage int64, lines int) (err error) {
	if b.dir, err = os.MkdirTemp("", "hooks-bench-"); err != nil {
		return err
	}
	defer os.RemoveAll(b.dir)
	b.empty, b.hooks = filepath.Join(b.dir, "empty"), filepath.Join(b.dir, "hooks")
	source := filepath.Join(b.dir, "main.go")
	text := "package main\n\nimport (\n\t\"io\"\n\t\"os\"\n)\n\nfunc main() { " +
		"io.ReadAll(os.Stdin) }\n"
	if err := os.WriteFile(source, []byte(text), 0o600); err != nil {
		return err
	}
	for program, pkg := range map[string]string{b.empty: source, b.hooks: "./hooks"} {
		if err := build(program, pkg); err != nil {
			return err
		}
	}
	switch {
	case usage > 0:
		return b.usage(usage)
	case lines > 0:
		return b.history(lines)
	}
	return b.states()
}

// build copies what it builds, as installers do: the linker writes a file in parts, and its pages
// are slower to map.
func build(program, pkg string) error {
	if err := driver.Build(program+"-linked", pkg); err != nil {
		return err
	}
	from, err := os.Open(program + "-linked")
	if err != nil {
		return err
	}
	defer from.Close()
	to, err := os.OpenFile(program, os.O_WRONLY|os.O_CREATE, 0o755)
	if err != nil {
		return err
	}
	_, err = io.Copy(to, from)
	return cmp.Or(err, to.Close())
}

// world is a project whose session is attended.
func (b *bench) world(name string) *driver.World {
	w := driver.New(filepath.Join(b.dir, name), b.hooks, os.Getpid())
	w.Env = []string{"CLAUDE_CODE_SESSION_ATTENDED=1"}
	b.worlds = append(b.worlds, w)
	return w
}

// play sends events that all have to succeed.
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

// against is the row that others are compared with, and those of -beside.
func (b *bench) against(w *driver.World, e driver.Event) []*row {
	for _, r := range b.beside {
		r.stdin, r.env = e.Stdin, append(r.env, "PATH="+os.Getenv("PATH"), "HOME="+b.dir)
	}
	empty := &row{name: "empty Go program", args: []string{b.empty}, stdin: e.Stdin}
	return append([]*row{empty}, b.beside...)
}

// measure calls every row n times, in another order each time, after some calls that do not count.
func (b *bench) measure(rows []*row, warm, n int) error {
	for _, w := range b.worlds {
		if len(w.Errors) > 0 {
			return fmt.Errorf("%s: %s", filepath.Base(w.Dir), strings.Join(w.Errors, "\n"))
		}
	}
	for i := range warm + n {
		for _, k := range rand.Perm(len(rows)) {
			if err := rows[k].call(i >= warm); err != nil {
				return fmt.Errorf("%s: %w", cmp.Or(rows[k].name, rows[k].word), err)
			}
		}
	}
	return nil
}

func (r *row) call(counted bool) error {
	if r.prepare != nil {
		r.prepare()
	}
	cmd := exec.Command(r.args[0], r.args[1:]...)
	cmd.Stdin, cmd.Env = strings.NewReader(r.stdin), r.env
	began := time.Now()
	if err := cmd.Run(); err != nil {
		return err
	}
	if counted {
		r.times = append(r.times, time.Since(began))
		r.cpu = append(r.cpu, cmd.ProcessState.UserTime()+cmd.ProcessState.SystemTime())
		r.peak = max(r.peak, cmd.ProcessState.SysUsage().(*syscall.Rusage).Maxrss)
	}
	return nil
}

// print prints the rows with a name.
func print(rows []*row) {
	fmt.Printf("| call | min ms | median ms | p95 ms | times %s | CPU ms | peak MiB |\n",
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

// at is a percentile in milliseconds.
func at(list []time.Duration, percent int) float64 {
	slices.Sort(list)
	return float64(list[len(list)*percent/100].Microseconds()) / 1000
}
