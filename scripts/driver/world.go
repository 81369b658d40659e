// Package driver plays the client to the real program: a project, transcripts, client processes
// and events. It also keeps a ledger of what happened, for those who check the files.
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

// World is one project, and the session that the next event comes from.
type World struct {
	Dir     string // everything lies below it
	Program string
	Skill   string // of the loop: "work", "task" or "audit"
	Session string
	Prompt  string
	Client  int      // pid of the session's client
	Env     []string // beyond the client's variables, as in "PATH=…"
	Ledger  Ledger
	// Failing marks a disk that fails during the whole event, so that nothing can be taken back
	// and no reply relied on.
	Failing bool
	// KillAfter is the time from a program's start to its kill; 0 is never.
	KillAfter time.Duration
	Errors
	prompts int
	calls   int
}

// Errors collects what went wrong, so that players need not stop at it.
type Errors []string

// Errorf adds an error.
func (e *Errors) Errorf(format string, args ...any) {
	*e = append(*e, fmt.Sprintf(format, args...))
}

// Check adds err, if there is one.
func (e *Errors) Check(err error) {
	if err != nil {
		e.Errorf("%v", err)
	}
}

// Ledger is what happened, as the client and the person saw it.
type Ledger struct {
	In, Out int64    // tokens spent inside iterations
	Answers []string // a person's words at gates, each unlike all others
	// Unheard are answers whose event died or failed. The transcript alone answers nothing, so
	// the person is asked again.
	Unheard []string
	Begun   map[string]bool // iterations that were seen open, as "run 3"
	Lines   map[string]bool // history lines that were seen whole
	// Admitted is set by a line whose transcript could not be read. The session's next line makes
	// up for it, if there is one.
	Admitted bool
	Loops    Loops

	Agents, Comments, Merges, PRs Range
}

// Range bounds a count: a hook that died or failed may have counted or not.
type Range struct{ Min, Max int }

// Add counts one event, surely or perhaps.
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

// New makes an empty project below dir.
func New(dir, program string, client int) *World {
	w := &World{Dir: dir, Program: program, Skill: "work", Session: "s1", Client: client}
	w.Ledger = Ledger{Begun: map[string]bool{}, Lines: map[string]bool{}, Loops: newLoops()}
	for _, d := range []string{w.Project(), filepath.Join(dir, "home"), filepath.Join(dir, "bin")} {
		w.Check(os.MkdirAll(d, 0o755))
	}
	w.NewPrompt()
	return w
}

// Project is the project's folder.
func (w *World) Project() string { return filepath.Join(w.Dir, "p") }

// State is the folder of the loops' state.
func (w *World) State() string { return filepath.Join(w.Project(), ".sdd", "loop") }

// Transcript is the session's.
func (w *World) Transcript() string { return filepath.Join(w.Dir, w.Session+".jsonl") }

// WorkerTranscript is that of a worker of the session.
func (w *World) WorkerTranscript(agent string) string {
	return filepath.Join(w.Dir, w.Session, "subagents", "agent-"+agent+".jsonl")
}

// NewPrompt begins another turn.
func (w *World) NewPrompt() {
	w.prompts++
	w.Prompt = "p" + strconv.Itoa(w.prompts)
}

// As makes the next event one of another session.
func (w *World) As(session string, client int) {
	w.Session, w.Client = session, client
	w.NewPrompt()
}

// Event is one start of the program.
type Event struct {
	Args    []string
	Stdin   string
	Env     []string
	Answers []string // a person's words that the event brings
}

// Result is what one start of the program did.
type Result struct {
	Out, Err string
	Code     int
	Killed   bool
}

// Send starts the program with the event. A prefix is a command line that runs it, as strace does.
func (w *World) Send(e Event, prefix ...string) Result {
	return w.Race([]Event{e}, prefix...)[0]
}

// Race starts the program once for every event. All have started and wait for their input before
// the first gets it.
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

// Environ is the environment of an event.
func (w *World) Environ() []string {
	return append([]string{
		"HOME=" + filepath.Join(w.Dir, "home"), "PATH=" + filepath.Join(w.Dir, "bin"),
		"CLAUDE_PROJECT_DIR=" + w.Project(), "CLAUDE_PID=" + strconv.Itoa(w.Client),
		"CLAUDE_CODE_SESSION_ID=" + w.Session,
		"GIT_CONFIG_GLOBAL=" + os.DevNull, "GIT_CONFIG_SYSTEM=" + os.DevNull,
	}, w.Env...)
}

// Clients are two living processes and a dead one. None is an ancestor of the programs that are
// started, or a person's commands would be taken for the agent's.
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
