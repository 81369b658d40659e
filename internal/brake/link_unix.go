//go:build unix

package brake

import (
	"cmp"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	"hooks/internal/hint"
	"hooks/internal/loop"
	"hooks/internal/store"
	"hooks/internal/term"
)

// Exit codes that a shell returns for a program that cannot be started.
const (
	cannotRun = 126
	notFound  = 127
)

// Run acts as the link whose name is in argv[0]: it judges the arguments and executes the real
// program. It returns only if the process was not started as a link (isLink is false), or if the
// real program is refused or cannot be started. A merge needs a pass.
func Run(argv []string, stderr io.Writer, pass Pass) (code int, isLink bool) {
	if len(argv) == 0 {
		return 0, false
	}
	name := strings.ToLower(filepath.Base(argv[0])) // some file systems ignore case
	if !slices.Contains(Names[:], name) {
		return 0, false
	}
	path, set := os.LookupEnv("PATH")
	if !set {
		path = defaultPath
	}
	target, links := find(argv[0], name, path)
	if target == "" {
		fmt.Fprintf(stderr, "%s: command not found\n", name)
		return notFound, true
	}
	r, phase := judge(name, argv, links, pass)
	if r != nil {
		fmt.Fprintln(stderr, term.Text(hint.Text(r)))
		return 1, true
	}
	args := started(name, argv).in(phase)
	if args[0] = argv[0]; strings.Contains(args[0], "/") {
		args[0] = target
	}
	err := syscall.Exec(target, args, os.Environ())
	fmt.Fprintf(stderr, "%s: %v\n", target, err)
	return cannotRun, true
}

// judge judges the program for every loop whose links were found, or for an unknown loop if no
// links were found. phase holds the restrictions of one loop's current phase. A panic counts as a
// refusal, so that it cannot let a merge through.
func judge(
	name string, argv []string, links []folder, pass Pass,
) (r *Refusal, phase loop.Confined) {
	defer func() {
		if p := recover(); p != nil {
			r = refuse("unreadable", name, fmt.Sprintf("internal error: %v", p),
				"report this as a bug in hooks")
		}
	}()
	if len(links) == 0 {
		_, r = started(name, argv).judge(ground{})
		return r, phase
	}
	for _, l := range links {
		g, on := l.ground(pass)
		if !on {
			continue
		}
		s := started(name, argv)
		acts, r := s.judge(g)
		if r != nil {
			l.append(g, store.Note{Denied: &store.NotedDenial{
				Tool: name, Rule: r.Rule, What: r.What, At: stamp(),
			}})
			return r, phase
		}
		l.noteStarts(g, s, acts)
		phase = cmp.Or(g.phase, phase)
	}
	return nil, phase
}

// started describes the program that is about to start in this process's directory and environment.
func started(name string, argv []string) Start {
	cwd, _ := os.Getwd()
	return Start{Argv: append([]string{name}, argv[1:]...), Cwd: cwd, Environ: os.Environ()}
}
