package app

import (
	"cmp"
	"context"
	"errors"
	"os"
	"os/signal"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"time"

	"hooks/internal/attempt"
	"hooks/internal/brake"
	"hooks/internal/child"
	"hooks/internal/loop"
	"hooks/internal/safefile"
	"hooks/internal/store"
	"hooks/internal/tracker"
)

// The end of a check's output is stored up to these bounds.
const (
	maxCheckTail  = 4 << 10 // in bytes
	maxCheckLines = 40
)

// check runs the person's check command in the worker's folder. If files that decide its result
// have changed since the run began, it runs in a checkout of HEAD with the original files instead.
// A file that the command only names may be the one under test. Such a check must pass both with
// the file as it is and with the original.
func (h *handler) check(t *store.State, command string) loop.CheckRun {
	if runtime.GOOS != "windows" && h.seal.on && !h.dress() {
		return loop.CheckRun{Exit: 1, Tail: "the links that stop merges could not be made; see " +
			"`hooks doctor`"}
	}
	root := h.root(t)
	ctx, cancel := context.WithTimeout(context.Background(), 2*gitTime)
	defer cancel()
	var run loop.CheckRun
	pins := pinned{start: t.Budget.Attempts().From, root: root}
	tree, err := h.tree(ctx, root)
	if err == nil && pins.start != "" && tree.Head != "" {
		pins.find(ctx, command, tree.Head)
	}
	switch {
	case pins.err != nil:
		run = loop.CheckRun{Exit: 1, Unsure: child.Line(pins.err.Error())}
	case len(pins.scripts) == 0:
		run = h.runCheck(t, command, root)
	default:
		run = h.checkApart(t, command, tree.Head, pins, pins.scripts)
	}
	all := slices.Concat(pins.scripts, pins.named)
	if run.Exit == 0 && len(pins.named) > 0 {
		run = h.checkApart(t, command, tree.Head, pins, all)
	}
	if len(all) > 0 {
		run.Changed = all
	}
	if after, err := h.tree(ctx, root); err == nil && len(after.Dirty) == 0 {
		run.Head = after.Head
	}
	return run
}

// runCheck runs a check command in dir. The command's process group ends with it. If a person
// interrupts the hook with Esc, the process exits without a decision.
func (h *handler) runCheck(t *store.State, command, dir string) loop.CheckRun {
	minutes := t.Budget.Attempts().Minutes
	// The worker controls the programs that the check starts, so the brake applies to them as in a
	// Bash command.
	shell := []string{"sh", "-c", brake.Line(h.seal.Path(), h.ev.SessionID) + "\n" + command}
	if runtime.GOOS == "windows" {
		shell = []string{"cmd", "/C", command}
	}
	began := time.Now()
	alive, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	result, err := child.Run(alive, child.Command{
		Dir: dir, Args: shell, Last: true, Most: maxCheckTail,
		Wait: cmp.Or(h.CheckTime, time.Duration(minutes)*time.Minute),
	})
	if alive.Err() != nil && h.ev.Name != "" {
		os.Exit(0)
	}
	lines := strings.Split(strings.ToValidUTF8(strings.TrimSpace(string(result.Out)), "?"), "\n")
	last := strings.Join(lines[max(0, len(lines)-maxCheckLines):], "\n")
	run := loop.CheckRun{Seconds: int(time.Since(began).Seconds()), Exit: child.Exit(err),
		Tail: h.config(t).Redact(loop.Secrets(last))}
	if run.Exit < 0 {
		run.Exit, run.Stopped = 1, true
	}
	return run
}

// checkApart runs the check in a checkout of HEAD with the pinned files of the run's start. A
// failure counts only if the start commit passes in such a checkout; otherwise the checkout may
// lack something that the check needs.
func (h *handler) checkApart(
	t *store.State, command, head string, pins pinned, files []string,
) (run loop.CheckRun) {
	run, err := h.checkAt(t, command, head, pins, files)
	if err == nil && run.Exit != 0 {
		var first loop.CheckRun
		if first, err = h.checkAt(t, command, pins.start, pins, nil); first.Exit != 0 {
			run.Unsure = "even the commit on which the run began is red in a separate checkout"
		}
	}
	if err != nil {
		run.Exit, run.Unsure = 1, child.Line(err.Error())
	}
	return run
}

// checkAt runs the check in a temporary checkout of a commit.
func (h *handler) checkAt(
	t *store.State, command, commit string, pins pinned, files []string,
) (run loop.CheckRun, err error) {
	into, err := os.MkdirTemp("", "hooks-check-")
	if err != nil {
		return run, err
	}
	defer os.RemoveAll(into)
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Minute)
	defer cancel()
	dir, err := tracker.Checkout(ctx, pins.root, commit, into)
	if err == nil {
		err = pins.putBack(ctx, dir, files)
	}
	if err != nil {
		return run, err
	}
	return h.runCheck(t, strings.ReplaceAll(command, pins.root, dir), dir), nil
}

// pinned holds the files that decide a check's result and have changed since the run began.
type pinned struct {
	root, start    string
	scripts, named []string // see attempt.Pinned
	err            error    // reason why the files are unknown
}

// find fills in the pinned files for the commit head.
func (p *pinned) find(ctx context.Context, command, head string) {
	changed, err := tracker.Changed(ctx, p.root, p.start, head)
	if len(changed) == 0 || err != nil {
		p.err = err
		return
	}
	command = strings.ReplaceAll(command, p.root, ".")
	p.scripts, p.named = attempt.Pinned(command, changed, p.filesAt(ctx, p.start),
		p.filesAt(ctx, head))
}

// filesAt returns the files of a commit. A path that is not a file, or is over maxTaskFile, reads
// as empty.
func (p *pinned) filesAt(ctx context.Context, commit string) attempt.Files {
	names, err := tracker.FilesAt(ctx, p.root, commit, ".")
	p.err = errors.Join(p.err, err)
	return attempt.Files{
		Has: func(file string) bool {
			_, found := slices.BinarySearch(names, file)
			return found
		},
		Read: func(file string) string {
			text, _ := tracker.FileAt(ctx, p.root, commit, file, maxTaskFile)
			return text
		},
	}
}

// putBack restores files in a checkout to their state at the start of the run.
func (p *pinned) putBack(ctx context.Context, dir string, files []string) error {
	var whole []string
	start := p.filesAt(ctx, p.start)
	for _, file := range files {
		path := filepath.Join(dir, filepath.FromSlash(file))
		is, _ := safefile.Read(path, maxTaskFile)
		if text, all := attempt.PutBack(file, start.Read(file), is); all || !start.Has(file) {
			whole = append(whole, file)
		} else if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			return err
		}
	}
	return errors.Join(p.err, tracker.Restore(ctx, dir, p.start, whole))
}
