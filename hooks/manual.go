package main

import (
	"fmt"
	"io"

	"github.com/alecthomas/kong"

	"hooks/internal/manual"
)

type completionCmd struct {
	Shell string `arg:"" enum:"bash,zsh,fish" help:"bash, zsh or fish."`
}

// Run prints the script, for the shell to read as it starts.
func (c completionCmd) Run(k *kong.Kong, p caller) error {
	_, err := io.WriteString(p.out, manual.Completion(c.Shell, k.Model))
	return err
}

type completeCmd struct {
	Kind   string   `arg:"" enum:"gate,run,session"`
	Before []string `arg:"" optional:"" passthrough:"" help:"The words that are typed already."`
}

// Run prints one word a line. Damaged files print nothing: a completion has no place for an error.
func (c completeCmd) Run(p caller) error {
	for _, word := range p.Words(c.Kind, c.Before) {
		fmt.Fprintln(p.out, word)
	}
	return nil
}

type manCmd struct{}

// Run prints the manual page, for man or mandoc to format.
func (manCmd) Run(k *kong.Kong, p caller) error {
	_, err := io.WriteString(p.out, manual.Page(k.Model, version()))
	return err
}
