package drive

import (
	"bytes"
	"errors"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// World is one project, and the session that the next event comes from.
type World struct {
	Dir     string // everything lies below it
	Program string
	Session string
	Prompt  string
	Client  int      // pid of the session's client
	Env     []string // on top of what the client sets, as in "PATH=…"
	Ledger  Ledger
	// Broken says that the disk goes on failing during the event: what has to be taken back cannot be, nor can the reply
	// be relied on.
	Broken bool
	// KillAfter is when each program is killed, counted from its start; 0 is never.
	KillAfter time.Duration
	prompts   int
	shell     int // shell calls so far
}

// Ledger is what really happened, as the client and the person saw it.
type Ledger struct {
	In, Out int64    // tokens spent inside iterations
	Answers []string // a person's words to gates, each unlike all others
	// Unheard are those whose event died or failed: the transcript alone answers nothing, so the
	// person is asked again.
	Unheard []string
	Begun   map[string]bool // iterations whose body was seen open, as "run 3"
	Lines   map[string]bool // history lines that were seen whole
	// Admitted says that a session's own line tells that its transcript could not be read; its next line makes up for it,
	// where there is one.
	Admitted bool
	Agents   Range
	Comments Range
	Merges   Range
	PRs      Range
}

// Range bounds a count: what a hook that died or failed may have counted or not.
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
	return l
}

// New makes an empty project below dir.
func New(dir, program string, client int) (*World, error) {
	w := &World{Dir: dir, Program: program, Session: "s1", Client: client}
	w.Ledger = Ledger{Begun: map[string]bool{}, Lines: map[string]bool{}}
	for _, d := range []string{w.Project(), filepath.Join(dir, "home"), filepath.Join(dir, "nothing")} {
		if err := os.MkdirAll(d, 0o755); err != nil {
			return nil, fmt.Errorf("make world: %w", err)
		}
	}
	w.NewPrompt()
	return w, nil
}

// Project is the project's folder, State that of its loops.
func (w *World) Project() string { return filepath.Join(w.Dir, "p") }

// State is the folder of the loops' state.
func (w *World) State() string { return filepath.Join(w.Project(), ".sdd", "loop") }

// Transcript is the session's.
func (w *World) Transcript() string { return filepath.Join(w.Dir, w.Session+".jsonl") }

// NewPrompt begins another turn.
func (w *World) NewPrompt() {
	w.prompts++
	w.Prompt = "p" + strconv.Itoa(w.prompts)
}

// As is the same project seen from another session.
func (w *World) As(session string, client int) *World {
	w.Session, w.Client = session, client
	w.NewPrompt()
	return w
}

// Event is one start of the program.
type Event struct {
	Args  []string
	Stdin string
	Env   []string
	// Answers are a person's words that the event brings.
	Answers []string
}

// Result is what came of it.
type Result struct {
	Out, Err string
	Code     int
	Killed   bool
}

// Send starts the program with the event. A prefix is a command line that runs it, as strace does.
func (w *World) Send(e Event, prefix ...string) (Result, error) {
	line := append(slices.Clone(prefix), w.Program)
	line = append(line, e.Args...)
	cmd := exec.Command(line[0], line[1:]...)
	cmd.Dir = w.Project()
	cmd.Env = append(w.environ(), e.Env...)
	cmd.Stdin = strings.NewReader(e.Stdin)
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	err := cmd.Start()
	if err == nil {
		if w.KillAfter > 0 {
			time.AfterFunc(w.KillAfter, func() { _ = cmd.Process.Kill() })
		}
		err = cmd.Wait()
	}
	r := Result{Out: out.String(), Err: errs.String()}
	var exit *exec.ExitError
	switch {
	case errors.As(err, &exit):
		status, _ := exit.Sys().(syscall.WaitStatus)
		r.Code, r.Killed = exit.ExitCode(), status.Signaled() && status.Signal() == syscall.SIGKILL
		return r, nil
	case err != nil:
		return r, fmt.Errorf("start %s: %w", line[0], err)
	}
	return r, nil
}

func (w *World) environ() []string {
	return append([]string{
		"HOME=" + filepath.Join(w.Dir, "home"), "PATH=" + filepath.Join(w.Dir, "nothing"), "CLAUDE_PROJECT_DIR=" + w.Project(),
		"CLAUDE_PID=" + strconv.Itoa(w.Client), "CLAUDE_CODE_SESSION_ID=" + w.Session,
		"GIT_CONFIG_GLOBAL=" + os.DevNull, "GIT_CONFIG_SYSTEM=" + os.DevNull,
	}, w.Env...)
}

// Memory is a folder in memory where there is one: a sweep syncs many thousand times.
func Memory() string {
	if info, err := os.Stat("/dev/shm"); err == nil && info.IsDir() && os.Getenv("TMPDIR") == "" {
		return "/dev/shm"
	}
	return ""
}
