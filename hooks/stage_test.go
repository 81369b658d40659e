package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/rogpeppe/go-internal/testscript"
)

// programs holds the commands of stories. Without exec, a command runs on its story's stage, which
// is one process for the whole story, because starting one for each command would take a third of
// the tests' time. With exec, or with HOOKS_WHOLE set, each command is a process of its own.
var programs = map[string]func(args []string) int{
	"hooks":   func(args []string) int { newApp = testApp; return run(args) },
	"reseal":  func([]string) int { return resealMain() },
	"put":     putMain,
	"append":  func(args []string) int { return appendLine(args[0]) },
	"tasked":  taskedMain,
	"worker":  workerMain,
	"pass":    passMain,
	"audits":  auditsMain,
	"looks":   looksMain,
	"inside":  insideMain,
	"lives":   func([]string) int { time.Sleep(10 * time.Minute); return 0 },
	"event":   eventMain,
	"answer":  answerMain,
	"commit":  commitMain,
	"flag":    flagMain,
	"learn":   learnMain,
	"many":    manyMain,
	"spend":   spendMain,
	"field":   fieldMain,
	"tell":    tellMain,
	"drop":    dropMain,
	"forge":   forgeMain,
	"refused": refusedMain,
}

// A cue is one command for a stage: what it is, where it runs, and how it ends.
type cue struct {
	Dir, Out, Err string
	Env, Args     []string
	Code          int
}

// stage is the process in which the commands of a story run.
type stage struct {
	names   []string // of the story's environment variables
	calls   *json.Encoder
	results *json.Decoder
}

// stageKey is the key of a story's stage among the values of its environment.
type stageKey struct{}

// storySets matches what a line of a story sets in its environment.
var storySets = regexp.MustCompile(`(?m)^(?:\[.*?\] )?env .*`)

// newStage is the stage of a story, whose process starts with the first command.
func newStage(env *testscript.Env) error {
	name := strings.TrimPrefix(filepath.Base(env.WorkDir), "script-")
	text, err := os.ReadFile(filepath.Join("testdata", "script", name+".txtar"))
	if err != nil {
		return err
	}
	s := &stage{}
	for _, set := range slices.Concat(env.Vars, strings.Fields(
		strings.Join(storySets.FindAllString(string(text), -1), " "))) {
		if name, _, isSet := strings.Cut(set, "="); isSet && !slices.Contains(s.names, name) {
			s.names = append(s.names, name)
		}
	}
	env.Values[stageKey{}] = s
	return nil
}

// onStage returns the story's command of a name.
func onStage(name string) func(*testscript.TestScript, bool, []string) {
	return func(ts *testscript.TestScript, neg bool, args []string) {
		c := perform(ts, append([]string{name}, args...)...)
		fmt.Fprint(ts.Stdout(), c.Out)
		fmt.Fprint(ts.Stderr(), c.Err)
		if neg == (c.Code == 0) {
			ts.Fatalf("%s ends with %d", name, c.Code)
		}
	}
}

// perform runs a command in the story's folder and environment.
func perform(ts *testscript.TestScript, args ...string) (c cue) {
	if os.Getenv("HOOKS_WHOLE") != "" {
		if ts.Exec(args[0], args[1:]...) != nil {
			c.Code = 1
		}
		c.Out, c.Err = ts.ReadFile("stdout"), ts.ReadFile("stderr")
		return c
	}
	s := ts.Value(stageKey{}).(*stage)
	if s.calls == nil {
		s.open(ts)
	}
	c = cue{Dir: ts.MkAbs("."), Args: args}
	for _, name := range s.names {
		if value := ts.Getenv(name); value != "" {
			c.Env = append(c.Env, name+"="+value)
		}
	}
	ts.Check(s.calls.Encode(c))
	if err := s.results.Decode(&c); err != nil {
		ts.Fatalf("%s has ended the process of the story: %v", args[0], err)
	}
	return c
}

func (s *stage) open(ts *testscript.TestScript) {
	cmd := exec.Command("hooks") // what it registers is its own path
	cmd.Args[0], cmd.Stderr = "stage", os.Stderr
	calls, err := cmd.StdinPipe()
	ts.Check(err)
	results, err := cmd.StdoutPipe()
	ts.Check(err)
	ts.Check(cmd.Start())
	s.calls, s.results = json.NewEncoder(calls), json.NewDecoder(results)
	ts.Defer(func() {
		_ = calls.Close()
		_ = cmd.Wait()
	})
}

// played counts the commands of this process.
var played int

// stageMain runs the commands of a story until it ends.
func stageMain() int {
	calls, results := json.NewDecoder(os.Stdin), json.NewEncoder(os.Stdout)
	dir, zone := os.TempDir(), time.Local
	for {
		var c cue
		if calls.Decode(&c) != nil {
			return 0
		}
		time.Local = zone
		if err := c.play(dir); err != nil {
			c.Code, c.Err = 1, err.Error()
		}
		if results.Encode(c) != nil {
			return 1
		}
	}
}

// play runs the command in this process. What it prints goes to files in dir, as into pipes.
func (c *cue) play(dir string) error {
	os.Clearenv()
	for _, set := range c.Env {
		name, value, _ := strings.Cut(set, "=")
		if err := os.Setenv(name, value); err != nil {
			return err
		}
	}
	if zone := os.Getenv("TZ"); zone != "" { // a process reads it as it starts
		if local, err := time.LoadLocation(zone); err == nil {
			time.Local = local
		}
	}
	in, closed, err := os.Pipe()
	if err != nil {
		return err
	}
	defer in.Close()
	out, err1 := os.CreateTemp(dir, "out")
	errs, err2 := os.CreateTemp(dir, "err")
	if err := errors.Join(os.Chdir(c.Dir), closed.Close(), err1, err2,
		os.Remove(out.Name()), os.Remove(errs.Name())); err != nil {
		return err
	}
	defer out.Close()
	defer errs.Close()
	os.Stdin, os.Stdout, os.Stderr = in, out, errs
	played++
	if path, err := exec.LookPath(c.Args[0]); err == nil && own(path) {
		c.Code = programs[c.Args[0]](c.Args[1:])
	} else { // the story has put another program in its place
		cmd := exec.Command(c.Args[0], c.Args[1:]...)
		cmd.Stdout, cmd.Stderr = out, errs
		_ = cmd.Run()
		c.Code = cmd.ProcessState.ExitCode()
	}
	text, err1 := readBack(out)
	c.Out = text
	text, err2 = readBack(errs)
	c.Err = text
	return errors.Join(err1, err2)
}

// readBack returns what was written to a file.
func readBack(f *os.File) (string, error) {
	info, err := f.Stat()
	if err != nil {
		return "", err
	}
	text := make([]byte, info.Size())
	_, err = f.ReadAt(text, 0)
	return string(text), err
}
