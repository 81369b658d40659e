// Package tracker reads facts from git: worktrees, remote heads, the project, and the repository's
// settings. It also knows the forges' own client programs.
//
// The repository is not trusted, because its config may name programs to run. The package disables
// those settings for each git that it starts, except in GitStart.Ask, which asks as the user's own
// git would. Each git process has its own standard streams, a deadline and a bound on its output.
// Project, Root and LinkedWorktree start no process, because they run even if no loop is active.
package tracker

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"time"

	"hooks/internal/child"
)

const (
	gitWait   = 10 * time.Second // bounds most git commands
	maxOutput = 64 << 20         // bytes
)

// git runs one git command in dir and returns its output. An error contains git's message.
func git(ctx context.Context, dir string, args ...string) ([]byte, error) {
	list, err := settings(ctx, dir)
	if err != nil {
		return nil, err
	}
	off, err := overrule(list, args[0] == "ls-remote")
	if err != nil {
		return nil, err
	}
	return runGit(ctx, dir, off, args...)
}

// runGit is like git, but overrides only the settings in hardened and off.
func runGit(ctx context.Context, dir string, off []string, args ...string) ([]byte, error) {
	env := environ(os.Environ())
	if args[0] != "ls-remote" { // keeps git from fetching a missing object
		env = append(env, "GIT_ALLOW_PROTOCOL=")
	}
	argv := slices.Concat([]string{installed("git")}, hardened[:], off, args)
	if runtime.GOOS == "linux" { // elsewhere, file systems may ignore case
		argv = slices.Insert(argv, 1, "-c", "core.ignoreCase=false")
	}
	wait := gitWait
	switch args[0] {
	case "checkout":
		wait = time.Minute
	case "config", "ls-remote": // one event may run several of them
		wait = gitWait / 2
	}
	r, err := child.Run(ctx, child.Command{
		Dir: dir, Env: env, Wait: wait, Most: maxOutput, Args: argv,
	})
	if err != nil {
		return nil, fmt.Errorf("git %s: %w", args[0], err)
	}
	return r.Out, nil
}

// environ returns the environment for a child git. It drops variables that select another
// repository or inject settings, and keeps variables that a user may need to reach a remote.
func environ(from []string) (env []string) {
	ssh := "ssh"
	for _, kv := range from {
		name, value, _ := strings.Cut(kv, "=")
		switch name {
		case "GIT_SSH_COMMAND":
			if value != "" {
				ssh = value
			}
		case "GIT_SSH_VARIANT", "GIT_CONFIG_GLOBAL", "GIT_CONFIG_SYSTEM", "GIT_CONFIG_NOSYSTEM",
			"GIT_EXEC_PATH", "GIT_SSL_CAINFO", "GIT_SSL_CAPATH":
			env = append(env, kv)
		default:
			if !strings.HasPrefix(name, "GIT_") {
				env = append(env, kv)
			}
		}
	}
	// BatchMode makes OpenSSH fail instead of prompting. Other programs may not have that option.
	if program, _, _ := strings.Cut(ssh, " "); filepath.Base(program) == "ssh" {
		ssh += " -oBatchMode=yes"
	}
	return append(env, "GIT_OPTIONAL_LOCKS=0", "GIT_NO_REPLACE_OBJECTS=1",
		"GIT_GRAFT_FILE="+os.DevNull, "GIT_TERMINAL_PROMPT=0", "GIT_ASKPASS=",
		"SSH_ASKPASS=", "GCM_INTERACTIVE=never", "GIT_SSH_COMMAND="+ssh,
		"GIT_ALLOW_PROTOCOL=file:http:https:ssh", "LC_ALL=C")
}

// BranchesSince returns the local branches whose last commit was made at or after since, as a map
// from branch to head commit.
func BranchesSince(ctx context.Context, project string,
	since time.Time) (map[string]string, error) {
	const format = "%(refname:lstrip=2)%00%(objectname)%00%(committerdate:unix)"
	out, err := git(ctx, project, "for-each-ref", "--format="+format, "refs/heads")
	if err != nil {
		return nil, fmt.Errorf("list branches: %w", err)
	}
	heads := map[string]string{}
	for line := range strings.Lines(string(out)) {
		f := strings.Split(strings.TrimSpace(line), "\x00")
		if len(f) != 3 {
			continue
		}
		if at, err := strconv.ParseInt(f[2], 10, 64); err == nil && at >= since.Unix() {
			heads[f[0]] = f[1]
		}
	}
	return heads, nil
}

// Elsewhere reports whether a worktree is clean and its head commit is in a local or
// remote-tracking branch other than branch.
func Elsewhere(ctx context.Context, worktree, branch string) bool {
	tree, err := ReadTree(ctx, worktree)
	if err != nil || len(tree.Dirty) > 0 || tree.Head == "" {
		return false
	}
	out, err := git(ctx, worktree, "for-each-ref", "--contains="+tree.Head, "--format=%(refname)",
		"refs/heads", "refs/remotes")
	for line := range strings.Lines(string(out)) {
		if strings.TrimSpace(line) != "refs/heads/"+branch {
			return err == nil
		}
	}
	return false
}

// gitSucceeds runs a git command that reports its result as an exit code: 0 for true, 1 for false.
func gitSucceeds(ctx context.Context, dir string, args ...string) (bool, error) {
	_, err := git(ctx, dir, args...)
	if child.Exit(err) == 1 {
		return false, nil
	}
	return err == nil, err
}

// Committed returns the files at or below a path that git tracks, including files that are only
// staged. It returns nil if git fails.
func Committed(ctx context.Context, project, path string) []string {
	list, _ := files(ctx, project, "ls-files", "-z", "--", path)
	return list
}

// files runs a git command that prints NUL-terminated names and returns the names.
func files(ctx context.Context, dir string, args ...string) ([]string, error) {
	out, err := git(ctx, dir, args...)
	return strings.FieldsFunc(string(out), func(r rune) bool { return r == 0 }), err
}

// Commit returns the full hash of the commit that ref resolves to.
func Commit(ctx context.Context, dir, ref string) (string, error) {
	out, err := git(ctx, dir, "rev-parse", "--verify", "--quiet", "--end-of-options",
		ref+"^{commit}")
	return strings.TrimSpace(string(out)), err
}

// FilesAt returns the files at or below a path in a commit, relative to dir.
func FilesAt(ctx context.Context, dir, commit, path string) ([]string, error) {
	return files(ctx, dir, "ls-tree", "-r", "-z", "--name-only", commit, "--", path)
}

// FileAt returns the contents of a file in a commit. path is relative to dir. FileAt returns an
// error if the file is longer than maxBytes.
func FileAt(ctx context.Context, dir, commit, path string, maxBytes int) (string, error) {
	out, err := git(ctx, dir, "cat-file", "blob", commit+":./"+path)
	if len(out) > maxBytes {
		return "", fmt.Errorf("%s in %s has over %d bytes", path, commit, maxBytes)
	}
	return string(out), err
}

// Heads is the prefix of a local branch's ref.
const Heads = "refs/heads/"

// RemoteRefs asks a remote, in one call, for the commits of refs (R139). names holds the refs
// without prefix, for example "feature/123-foo". A ref that the remote lacks has no entry.
func RemoteRefs(ctx context.Context, project, remote, prefix string,
	names []string) (map[string]string, error) {
	commits := map[string]string{}
	if len(names) == 0 {
		return commits, nil
	}
	if remote == "" {
		return nil, errors.New("read remote heads: the remote is unknown")
	}
	args := []string{"ls-remote", "--upload-pack=git-upload-pack", "--", remote}
	for _, name := range names {
		args = append(args, prefix+name)
	}
	out, err := git(ctx, project, args...)
	if err != nil {
		return nil, fmt.Errorf("read remote heads: %w", err)
	}
	for line := range strings.Lines(string(out)) {
		sha, ref, _ := strings.Cut(strings.TrimSpace(line), "\t")
		name, ok := strings.CutPrefix(ref, prefix)
		if ok && slices.Contains(names, name) { // git treats a name as a pattern
			commits[name] = sha
		}
	}
	return commits, nil
}
