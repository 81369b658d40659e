//go:build e2e && linux

package e2e

import (
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"hooks/scripts/driver"
)

const clientVersion = "2.1.330"

// Built once by TestMain and only read after.
var clientProgram, hooksProgram string

func TestMain(m *testing.M) {
	os.Exit(run(m))
}

func run(m *testing.M) int {
	driver.InMemory()
	dir, err := os.MkdirTemp("", "hooks-e2e-")
	if err != nil {
		fmt.Fprintln(os.Stderr, "error: make a directory for the build:", err)
		return 1
	}
	defer os.RemoveAll(dir)
	if hooksProgram, err = buildHooks(dir); err == nil {
		clientProgram, err = findClient()
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "error:", err)
		return 1
	}
	manyAtOnce()
	return m.Run()
}

// manyAtOnce lets eight scenarios run at a time, if nothing else was asked for: they mostly wait
// for the minute to turn.
func manyAtOnce() {
	flag.Parse()
	asked := false
	flag.Visit(func(f *flag.Flag) { asked = asked || f.Name == "test.parallel" })
	if !asked {
		_ = flag.Set("test.parallel", "8")
	}
}

// buildHooks builds the program under test from this repository.
func buildHooks(dir string) (string, error) {
	program := filepath.Join(dir, "hooks")
	cmd := exec.Command("go", "build", "-o", program, "./hooks")
	cmd.Dir, cmd.Env = repository(), append(os.Environ(), "CGO_ENABLED=0")
	if out, err := cmd.CombinedOutput(); err != nil {
		return "", fmt.Errorf("build hooks: %w\n%s", err, out)
	}
	return program, nil
}

// repository is the root of the checkout: go test runs in the package's own directory.
func repository() string { return filepath.Join("..", "..") }

// findClient is the program HOOKS_CLIENT names, else the pinned npm package in the user's cache,
// installed on first use.
func findClient() (string, error) {
	if program := os.Getenv("HOOKS_CLIENT"); program != "" {
		_, err := os.Stat(program)
		return program, err
	}
	cache, err := os.UserCacheDir()
	if err != nil {
		return "", fmt.Errorf("find cache: %w", err)
	}
	dir := filepath.Join(cache, "hooks-e2e", "client-"+clientVersion)
	program := filepath.Join(dir, "node_modules", "@anthropic-ai", "claude-code-linux-x64",
		"claude")
	if _, err := os.Stat(program); err == nil {
		return program, nil
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return "", fmt.Errorf("make cache: %w", err)
	}
	cmd := exec.Command("npm", "install", "--no-audit", "--no-fund", "--prefix", dir,
		"@anthropic-ai/claude-code@"+clientVersion)
	if out, err := cmd.CombinedOutput(); err != nil {
		return "", fmt.Errorf("install client: %w\n%s", err, out)
	}
	_, err = os.Stat(program)
	return program, err
}
