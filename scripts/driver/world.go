// Package driver runs the real program as the client would. It provides a project, transcripts,
// client processes and events, and keeps a ledger of the events for tests to compare to the files.
package driver

import (
	"fmt"
	"io"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"
)

// World is one project, and the session that sends the next event.
type World struct {
	Dir     string // parent of all other files
	Program string
	Skill   string // the loop's skill: "work", "task" or "audit"
	Session string
	Prompt  string
	Client  int      // pid of the session's client
	Env     []string // added to the client's environment, such as "PATH=…"
	Ledger  Ledger
	// Failing means that the disk fails during the whole event. The program then cannot undo
	// anything, and its reply is not reliable.
	Failing bool
	// KillAfter is how long after its start the program is killed. If it is 0, nothing is killed.
	KillAfter time.Duration
	Errors
	prompts int
	calls   int
}

// Errors collects errors, so that a test can continue after one.
type Errors []string

// Errorf adds an error.
func (e *Errors) Errorf(format string, args ...any) {
	*e = append(*e, fmt.Sprintf(format, args...))
}

// Check adds err if it is not nil.
func (e *Errors) Check(err error) {
	if err != nil {
		e.Errorf("%v", err)
	}
}

// Ledger records the events as the client and the person saw them.
type Ledger struct {
	In, Out int64    // tokens spent inside iterations
	Answers []string // a person's answers at gates, all different
	// Unheard lists answers lost because their hook died or failed. The transcript alone is not an
	// answer, so the person is asked again.
	Unheard []string
	Begun   map[string]bool // iterations seen open, by run id and number
	Lines   map[string]bool // complete history lines seen so far
	// Admitted is set if a history line reports an unreadable transcript. The session's next line,
	// if any, includes the missing usage.
	Admitted bool
	Loops    Loops

	Agents, Comments, Merges, PRs Range
}

// Range bounds a count. If a hook died or failed, it may or may not have counted its event.
type Range struct{ Min, Max int }

// Add counts one event. If sure is false, the program may not have counted it.
func (r *Range) Add(sure bool) {
	r.Max++
	if sure {
		r.Min++
	}
}

func (l Ledger) clone() Ledger {
	l.Answers, l.Unheard = slices.Clone(l.Answers), slices.Clone(l.Unheard)
	l.Begun, l.Lines = maps.Clone(l.Begun), maps.Clone(l.Lines)
	l.Loops = l.Loops.clone()
	return l
}

// New creates an empty project below dir.
func New(dir, program string, client int) *World {
	w := &World{Dir: dir, Program: program, Skill: "work", Session: "s1", Client: client}
	w.Ledger = Ledger{Begun: map[string]bool{}, Lines: map[string]bool{}, Loops: newLoops()}
	for _, d := range []string{w.Project(), filepath.Join(dir, "home"), filepath.Join(dir, "bin")} {
		w.Check(os.MkdirAll(d, 0o755))
	}
	w.NewPrompt()
	return w
}

// Project returns the project's folder.
func (w *World) Project() string { return filepath.Join(w.Dir, "p") }

// State returns the loops' state folder.
func (w *World) State() string { return filepath.Join(w.Project(), ".sdd", "loop") }

// Transcript returns the path of the session's transcript.
func (w *World) Transcript() string { return filepath.Join(w.Dir, w.Session+".jsonl") }

// WorkerTranscript returns the path of a worker's transcript.
func (w *World) WorkerTranscript(agent string) string {
	return filepath.Join(w.Dir, w.Session, "subagents", "agent-"+agent+".jsonl")
}

// NewPrompt starts a new turn.
func (w *World) NewPrompt() {
	w.prompts++
	w.Prompt = "p" + strconv.Itoa(w.prompts)
}

// As switches to another session, which sends the next events.
func (w *World) As(session string, client int) {
	w.Session, w.Client = session, client
	w.NewPrompt()
}

// Event is the input for one run of the program.
type Event struct {
	Args    []string
	Stdin   string
	Env     []string
	Answers []string // a person's answers that the event reports
}

// Result is the result of one run of the program.
type Result struct {
	Out, Err string
	Code     int
	Killed   bool
}

// Send runs the program with the event. prefix is a command that wraps the program, such as strace.
func (w *World) Send(e Event, prefix ...string) Result {
	return w.Race([]Event{e}, prefix...)[0]
}

// Race runs the program once for every event. No process gets its input until all have started.
func (w *World) Race(events []Event, prefix ...string) []Result {
	results := make([]Result, len(events))
	var done sync.WaitGroup
	started := make(chan struct{})
	for i, e := range events {
		line := slices.Concat(prefix, []string{w.Program}, e.Args)
		cmd := exec.Command(line[0], line[1:]...)
		cmd.Dir, cmd.Env = w.Project(), append(w.Environ(), e.Env...)
		var out, errs strings.Builder
		cmd.Stdout, cmd.Stderr = &out, &errs
		in, err := cmd.StdinPipe()
		if err == nil {
			err = cmd.Start()
		}
		if err != nil {
			w.Errorf("start %s: %v", line[0], err)
			continue
		}
		if w.KillAfter > 0 {
			time.AfterFunc(w.KillAfter, func() { _ = cmd.Process.Kill() })
		}
		done.Go(func() {
			<-started
			_, _ = io.WriteString(in, e.Stdin)
			_ = in.Close()
			_ = cmd.Wait()
			status, _ := cmd.ProcessState.Sys().(syscall.WaitStatus)
			results[i] = Result{Out: out.String(), Err: errs.String(), Code: status.ExitStatus(),
				Killed: status.Signaled() && status.Signal() == syscall.SIGKILL}
		})
	}
	close(started)
	done.Wait()
	return results
}

// Environ returns the environment for an event.
func (w *World) Environ() []string {
	return append([]string{
		"HOME=" + filepath.Join(w.Dir, "home"), "PATH=" + filepath.Join(w.Dir, "bin"),
		"CLAUDE_PROJECT_DIR=" + w.Project(), "CLAUDE_PID=" + strconv.Itoa(w.Client),
		"CLAUDE_CODE_SESSION_ID=" + w.Session,
		"GIT_CONFIG_GLOBAL=" + os.DevNull, "GIT_CONFIG_SYSTEM=" + os.DevNull,
	}, w.Env...)
}

// Clients holds the pids of two live processes and a dead one. No client is an ancestor of a
// started program, because the program would then mistake a person's command for the agent's.
type Clients struct {
	First, Second, Gone int
	alive               []*exec.Cmd
}

// Start starts the clients.
func (c *Clients) Start() error {
	for _, pid := range []*int{&c.First, &c.Second} {
		cmd := exec.Command("sleep", "1000000")
		if err := cmd.Start(); err != nil {
			return fmt.Errorf("start client: %w", err)
		}
		c.alive = append(c.alive, cmd)
		*pid = cmd.Process.Pid
	}
	dead := exec.Command("true")
	err := dead.Run()
	if err == nil {
		c.Gone = dead.Process.Pid
	}
	return err
}

// End ends the clients.
func (c *Clients) End() {
	for _, cmd := range c.alive {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
	}
}
