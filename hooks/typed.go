package main

import (
	"errors"
	"io"
	"os"
	"strings"

	"github.com/alecthomas/kong"
	"golang.org/x/term"

	"hooks/internal/hint"
)

// customary takes the words by which other programs are asked for help or the version.
func customary(args []string) []string {
	switch {
	case len(args) == 0:
		return []string{"--help"}
	case args[0] == "help":
		return append(args[1:len(args):len(args)], "--help")
	case len(args) == 1 && (args[0] == "--version" || args[0] == "-v"):
		return []string{"version"}
	}
	return args
}

// mistyped is the parser's complaint in a person's words, with the help of the very command.
func mistyped(err error) error {
	name := "hooks"
	var p *kong.ParseError
	if errors.As(err, &p) {
		for _, step := range p.Context.Path {
			if step.Command != nil {
				name = step.Command.FullPath()
			}
		}
	}
	words := strings.NewReplacer(`,"" but`, " but", `expected string value but got "EOL" (<EOL>)`, "a value is missing", "a valid 64 bit int", "a whole number")
	return hint.New("see `"+name+" --help`", "%s", words.Replace(err.Error()))
}

// typed says that a person's keyboard is what is read from: no event and no facts come from there.
func typed(in io.Reader) bool {
	f, ok := in.(*os.File)
	return ok && term.IsTerminal(int(f.Fd()))
}
