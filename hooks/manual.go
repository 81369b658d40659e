package main

import (
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

type manCmd struct{}

// Run prints the manual page, for a release to pack.
func (manCmd) Run(k *kong.Kong, p caller) error {
	_, err := io.WriteString(p.out, manual.Page(k.Model, version()))
	return err
}
