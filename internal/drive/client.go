package drive

import (
	"cmp"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"time"

	"hooks/internal/child"
	"hooks/internal/hint"
)

// Client configures how the client program is started.
type Client struct {
	Program string // `claude` on PATH if empty
	Dir     string
	Env     []string
	Flags   []string // typed by a person after `--`
	// Stall is the longest time a process may go without printing a line. The client prints a line
	// for each message and tool result, and thinking alone can take minutes (A27).
	Stall time.Duration
	// Tick, if set, receives the worker's last line a few times a second, to show progress.
	Tick  func(last string)
	grace time.Duration // between SIGTERM and SIGKILL; only tests set it
}

const (
	graceTime = 10 * time.Second // default of Client.grace
	tickTime  = 250 * time.Millisecond
)

// Mark is an environment variable that identifies the processes started by a client. Its value is
// the session id.
const Mark = "HOOKS_DRIVER"

// refused lists the client flags that a person may not use. They are set by the driver or resume a
// session; they disable hooks, settings, skills or the transcript; or they make the client work
// elsewhere or outlive its process.
const refused = "-p --print --session-id --output-format --input-format -r --resume -c " +
	"--continue --fork-session --from-pr " +
	"--bare --safe-mode --restricted --setting-sources --disable-slash-commands " +
	"--no-session-persistence " +
	"--bg --background --cloud --environment --desktop --teleport -w --worktree --tmux"

// CheckFlags returns an error if a person's flags include one that the driver does not allow.
func CheckFlags(flags []string) error {
	for _, f := range flags {
		name, _, _ := strings.Cut(f, "=")
		flag := name
		if len(name) > 2 && name[1] != '-' {
			flag = name[:2] // a value may follow the letter directly
		}
		if slices.Contains(strings.Fields(refused), flag) {
			return hint.New("leave it out, because `hooks go` sets it itself, or because each "+
				"task needs a new session with the hooks",
				"the client flag %s does not work under `hooks go`", name)
		}
	}
	return nil
}

// Run starts one process and waits for it to exit. The first signal interrupts the process and a
// second one kills it. If the client stalled or was killed, Run also kills the processes it left
// behind. Run returns an error only if the program cannot be started.
func (c Client) Run(prompt string, signals <-chan os.Signal) (End, error) {
	session := newSession()
	cmd := exec.Command(cmp.Or(c.Program, "claude"), append([]string{"-p", prompt, "--session-id",
		session, "--output-format", "stream-json", "--verbose"}, c.Flags...)...)
	cmd.Dir, cmd.Env = c.Dir, append(slices.Clip(c.Env), Mark+"="+session)
	stream, out := io.Pipe()
	errs := child.Head{Most: maxText}
	cmd.Stdout, cmd.Stderr = out, &errs
	cmd.WaitDelay = 2 * time.Second // a grandchild may hold the pipes
	ownGroup(cmd)
	if err := start(cmd, out); err != nil {
		return End{}, hint.New("install the client, or put it on PATH; "+
			"`claude --version` must work", "start the client: %w", err)
	}
	var h streamReader
	alive := make(chan sign)
	go func() {
		h.follow(stream, alive)
		close(alive)
	}()
	stalled, interrupted := c.watch(cmd, alive, signals)
	if stalled || !cmd.ProcessState.Exited() {
		killLeft(cmd, session)
	}
	end := h.End
	end.Stalled, end.Interrupted = stalled, interrupted
	end.Session, end.Code = cmp.Or(end.Session, session), cmd.ProcessState.ExitCode()
	end.Said = child.Line(errs.Kept.String())
	return end, nil
}

// start starts a process and closes out when the process exits. It keeps the starting thread alive
// until then, because Linux signals the child when that thread ends.
func start(cmd *exec.Cmd, out io.Closer) error {
	started := make(chan error)
	go func() {
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
		err := cmd.Start()
		started <- err
		if err == nil {
			_ = cmd.Wait() // ProcessState holds the result
			_ = out.Close()
		}
	}()
	return <-started
}

// sign is a sign of life: the worker's last line and an announced pause.
type sign struct {
	last  string
	pause time.Duration
}

// watch waits until alive is closed, which happens when the process exits. stalled reports whether
// the driver ended the process because it was silent, interrupted whether it forwarded a signal.
func (c Client) watch(
	cmd *exec.Cmd, alive <-chan sign, signals <-chan os.Signal,
) (stalled, interrupted bool) {
	stall, tick := time.NewTimer(c.Stall), time.NewTicker(tickTime)
	defer stall.Stop()
	defer tick.Stop()
	last := ""
	var late <-chan time.Time
	for {
		select {
		case s, more := <-alive:
			if !more {
				return stalled, interrupted
			}
			last = s.last
			stall.Reset(c.Stall + s.pause)
		case <-tick.C:
			if c.Tick != nil {
				c.Tick(last)
			}
		case <-stall.C:
			stalled = true
			_ = child.Signal(cmd, syscall.SIGTERM)
			late = time.After(cmp.Or(c.grace, graceTime))
		case <-late:
			_ = child.Signal(cmd, syscall.SIGKILL)
		case <-signals:
			if interrupted {
				_ = child.Signal(cmd, syscall.SIGKILL)
			} else {
				_ = child.Signal(cmd, syscall.SIGINT)
			}
			interrupted = true
		}
	}
}

// newSession returns a random version 4 UUID. The client accepts a session id only once.
func newSession() string {
	return fmt.Sprintf("%08x-%04x-4%03x-%04x-%012x", rand.Uint32(), rand.Uint32()>>16,
		rand.Uint32()>>20, 0x8000|rand.Uint32()>>18, rand.Uint64()>>16)
}
