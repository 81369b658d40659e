//go:build !windows

package forge

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"time"
)

// A slow program is ended with its children, and what it had told counts as a part. The pipe ends
// when its last writer, a child of the program, does.
func TestSlowProgram(t *testing.T) {
	dir, from := project(t, "https://github.com/acme/app", "github")
	pipe := filepath.Join(dir, "pipe")
	if err := syscall.Mkfifo(pipe, 0o600); err != nil {
		t.Fatal(err)
	}
	program(t, "#!/bin/sh\ncase \"$*\" in *pullRequests*) exit 1 ;; esac\ncat '"+from+
		"/issues.json'\n(exec 9>'"+pipe+"'; sleep 600) &\nsleep 600\n")
	ended := make(chan error, 1)
	go func() {
		f, err := os.Open(pipe)
		if err == nil {
			_, err = io.ReadAll(f)
		}
		ended <- err
	}()
	a := ask(t, dir, Question{Backlog: true, Wait: 3 * time.Second})
	var f *Failure
	if !errors.As(a.Err, &f) || f.Why != TooSlow || len(a.Issues) != 3 || a.Backlog != nil {
		t.Errorf("%v, %d issues", a.Err, len(a.Issues))
	}
	select {
	case err := <-ended:
		if err != nil {
			t.Error(err)
		}
	case <-time.After(time.Minute):
		t.Error("a child of the slow program continued")
	}
}
