//go:build !windows

package tracker

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// Every setting of a repository that git would start a program for. The first half of the test
// proves that plain git does start it.
func TestHostileConfigRunsNothing(t *testing.T) {
	dir := sandbox(t)
	repo := newRepo(t, filepath.Join(dir, "app"))
	newRemote(t, repo, filepath.Join(dir, "origin.git"))
	mark := filepath.Join(dir, "ran")
	evil := filepath.Join(dir, "evil")
	write(t, evil, "#!/bin/sh\ntouch '"+mark+"'\nexit 1\n")
	if err := os.Chmod(evil, 0o755); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ name, url, config string }{
		{"ssh command", "ssh://127.0.0.1:1/x", "[core]\n\tsshCommand = " + evil},
		{"ext transport", "ext::" + evil, "[protocol \"ext\"]\n\tallow = always"},
		{"upload pack", filepath.Join(dir, "origin.git"), "[remote \"origin\"]\n\tuploadpack = " +
			evil},
		{"git proxy", "git://127.0.0.1:1/x", "[core]\n\tgitProxy = " + evil},
		{"rewritten to ext", "https://example.org/x", "[url \"ext::" + evil +
			" \"]\n\tinsteadOf = https://\n[protocol \"ext\"]\n\tallow = always"},
	} {
		run(t, repo, "config", "remote.origin.url", c.url)
		own := filepath.Join(repo, ".git", "config")
		before, err := os.ReadFile(own)
		if err != nil {
			t.Fatal(err)
		}
		write(t, own, string(before)+c.config+"\n")
		os.Remove(mark)
		plain(t, repo)
		if _, err := os.Stat(mark); err != nil {
			t.Errorf("%s: the trap does not work on plain git: %v", c.name, err)
		}
		os.Remove(mark)
		RemoteRefs(context.Background(), repo, "origin", Heads, []string{"main"})
		Worktrees(context.Background(), repo)
		if _, err := os.Stat(mark); err == nil {
			t.Errorf("%s: the repository's program ran", c.name)
		}
		write(t, own, string(before))
	}
}

// plain is ls-remote as anybody types it, its failure included.
func plain(t *testing.T, repo string) {
	t.Helper()
	cmd := plainGit(repo, "ls-remote", "--heads", "origin")
	out, err := cmd.CombinedOutput()
	t.Logf("plain git: %v: %.200s", err, out)
}

// A remote that never answers is ended with all its children when the context is.
func TestDeadlineEndsTheWholeGroup(t *testing.T) {
	dir := sandbox(t)
	repo := newRepo(t, filepath.Join(dir, "app"))
	pids := filepath.Join(dir, "pid")
	ssh := filepath.Join(dir, "slow")
	write(t, ssh, "#!/bin/sh\nsleep 600 &\necho $! >'"+pids+"'.new && mv '"+pids+"'.new '"+pids+
		"'\nwait\n")
	if err := os.Chmod(ssh, 0o755); err != nil {
		t.Fatal(err)
	}
	t.Setenv("GIT_SSH_COMMAND", ssh)
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	go func() {
		for ctx.Err() == nil {
			if _, err := os.Stat(pids); err == nil {
				cancel()
			}
			time.Sleep(5 * time.Millisecond)
		}
	}()
	_, err := RemoteRefs(ctx, repo, "ssh://127.0.0.1/x", Heads, []string{"main"})
	if !errors.Is(err, context.Canceled) {
		t.Fatalf("error %v", err)
	}
	var pid int
	text, err := os.ReadFile(pids)
	if err != nil {
		t.Fatal(err)
	}
	fmt.Sscan(string(text), &pid)
	for range 12000 { // the kernel takes a moment
		if err := syscall.Kill(pid, 0); errors.Is(err, syscall.ESRCH) || zombie(pid) {
			return
		}
		time.Sleep(5 * time.Millisecond)
	}
	t.Errorf("grandchild %d is still alive", pid)
}

// zombie says that a process ended and only waits for a parent, which no one may be here.
func zombie(pid int) bool {
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	return err == nil && strings.Contains(string(stat), ") Z ")
}
