package main

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"hooks/internal/app"
	"hooks/internal/brake"
	"hooks/internal/drive"
	"hooks/internal/loop"
	"hooks/internal/notify"
	"hooks/scripts/driver"
	"hooks/scripts/forgetest"
)

func TestMain(m *testing.M) {
	// A story's Bash may have met a link of the brake.
	if code, isLink := brake.Run(os.Args, os.Stderr, app.Pass); isLink {
		os.Exit(code)
	}
	forgetest.Play() // the test binary is started as gh, glab or tea
	if len(os.Args) == 2 && slices.Contains(
		[]string{notify.DeliverWord, notify.SyncWord, notify.AskWord}, os.Args[1]) {
		newApp = testApp // the program that a story's command is starts itself
		main()
	}
	// A story waits for the disk and for its programs more than it computes.
	_ = flag.Set("test.parallel", strconv.Itoa(2*runtime.GOMAXPROCS(0)))
	switch name := filepath.Base(os.Args[0]); {
	case name == "hooks":
		newApp = testApp
		main()
	case name == "stage":
		os.Exit(stageMain())
	case programs[name] != nil:
		os.Exit(programs[name](os.Args[1:]))
	}
	testscript.Main(inMemory{m}, map[string]func(){"stage": nil})
}

// inMemory runs the stories in memory. Their commands stay links to this very program, as long as
// they are beside it on the disk.
type inMemory struct{ *testing.M }

func (m inMemory) Run() int {
	driver.InMemory()
	stage, err := exec.LookPath("stage")
	for name := range programs {
		if err == nil {
			err = os.Link(stage, filepath.Join(filepath.Dir(stage), name))
		}
		storyCmds[name] = onStage(name)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return m.M.Run()
}

// testApp is the program with the clock and run ids that stories set: HOOKS_NOW, HOOKS_RUN,
// HOOKS_WAIT, HOOKS_CHECK (the time of a check command) and HOOKS_REST (a Stop waits after an
// outage) are read in test builds only.
func testApp() *app.App {
	a := app.New(os.Getenv)
	a.Wait = 2 * time.Second
	if os.Getenv("HOOKS_PINNED") != "" { // strace counts the calls of each thread apart
		runtime.LockOSThread()
	}
	// the test is every story's client and the parent of its person
	if os.Getenv("HOOKS_PARENTS") == "" {
		a.Inside = func(loop.Process) bool { return false }
	}
	if d, err := time.ParseDuration(os.Getenv("HOOKS_WAIT")); err == nil {
		a.Wait = d
	}
	if s := os.Getenv("HOOKS_NOW"); s != "" {
		now, err := time.Parse(time.RFC3339, s)
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		a.Now = func() time.Time { return now.UTC() }
	}
	a.Rest = func(left time.Duration) bool {
		signals, stop := drive.Signals() // before the line that lets the story send one
		defer stop()
		fmt.Fprintln(os.Stderr, "rests", left)
		if os.Getenv("HOOKS_REST") == "" { // only the story about waiting waits
			return true
		}
		return paused(signals, time.Now, time.Now().Add(left))
	}
	if d, err := time.ParseDuration(os.Getenv("HOOKS_CHECK")); err == nil {
		a.CheckTime = d
	}
	if played > 0 { // its commands have one pid
		a.RunID = func() string {
			return fmt.Sprintf("%s-%d%03d", a.Now().Format("20060102T150405"), os.Getpid(), played)
		}
	}
	if id := os.Getenv("HOOKS_RUN"); id != "" {
		a.RunID = func() string { return id }
	}
	return a
}

// deadPID is above every pid that a system gives. That of a process which has ended is soon
// another's on a busy machine, and a lock with no more than the SPEC's fields does not say when its
// process began.
const deadPID = "2147483646"

// TestScript runs every story of testdata/script: real processes, real files, real git, the
// program's own words.
func TestScript(t *testing.T) {
	recorded, err := filepath.Abs("../internal/usage/testdata")
	if err != nil {
		t.Fatal(err)
	}
	testscript.Run(t, testscript.Params{
		Dir:                 "testdata/script",
		RequireExplicitExec: true,
		Cmds:                storyCmds,
		Condition:           canMount,
		UpdateScripts:       os.Getenv("UPDATE") != "",
		ContinueOnError:     os.Getenv("KEEP_GOING") != "",
		Setup: func(env *testscript.Env) error {
			for k, v := range map[string]string{
				"HOME":               filepath.Join(env.WorkDir, "home"),
				"GIT_CONFIG_GLOBAL":  os.DevNull,
				"GIT_CONFIG_SYSTEM":  os.DevNull,
				"CLAUDE_PROJECT_DIR": filepath.Join(env.WorkDir, "p"),
				"CLAUDE_PID":         fmt.Sprint(os.Getpid()),  // a client that lives
				"PID2":               fmt.Sprint(os.Getppid()), // another one that lives
				"DEADPID":            deadPID,
				"SESSION":            "s1",
				"RECORDED":           recorded, // transcripts of the real client
				"PROMPT":             "p1",
			} {
				env.Setenv(k, v)
			}
			return errors.Join(newStage(env), os.MkdirAll(filepath.Join(env.WorkDir, "p"), 0o755))
		},
	})
}
