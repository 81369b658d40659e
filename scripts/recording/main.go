//go:build !windows

// Recording runs `hooks demo` in a pseudo-terminal and prints an animated picture of it:
//
//	go run ./scripts/recording > docs/demo.svg
//
// The picture shows the replies that a person sees, but not those for the model and the skill.
package main

import (
	"fmt"
	"io"
	"os"
	"path/filepath"

	"hooks/scripts/driver"
)

func main() {
	if err := run(os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "error:", err)
		os.Exit(1)
	}
}

func run(out io.Writer) error {
	dir, err := os.MkdirTemp("", "recording-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	program := filepath.Join(dir, "hooks")
	if err := driver.Build(program, "hooks/hooks"); err != nil {
		return err
	}
	tape, err := record(program, "demo")
	if err != nil {
		return err
	}
	steps := shown(tape)
	if len(steps) < 5 {
		return fmt.Errorf("the demo has %d steps, want 5 or more", len(steps))
	}
	return draw(out, "hooks demo", steps)
}
