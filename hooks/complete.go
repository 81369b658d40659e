package main

import (
	"embed"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/alecthomas/kong"

	"hooks/internal/loop"
)

type completionCmd struct {
	Shell string `arg:"" enum:"bash,zsh,fish" help:"bash, zsh or fish."`
}

// Run prints the script, which a shell reads when it starts.
func (c completionCmd) Run(p caller) error {
	script, err := completions.ReadFile("completion/" + c.Shell)
	if err == nil {
		_, err = p.out.Write(script)
	}
	return err
}

// completions holds a script for each shell. Each passes the line typed so far to `hooks complete`,
// in the variable that bash uses, and completes files if that prints nothing.
//
//go:embed completion
var completions embed.FS

type completeCmd struct {
	Words []string `arg:"" optional:"" passthrough:"" help:"What bash adds; COMP_LINE has it too."`
}

// Run prints the words that complete the line in COMP_LINE, one per line.
func (completeCmd) Run(k *kong.Kong, p caller) error {
	line := p.Env("COMP_LINE")
	if n, err := strconv.Atoi(p.Env("COMP_POINT")); err == nil { // the cursor, which bash sets
		line = line[:min(max(n, 0), len(line))]
	}
	typed := loop.SplitWords(line)
	if strings.HasSuffix(line, " ") {
		typed = append(typed, "")
	}
	if len(typed) < 2 {
		return nil
	}
	last := len(typed) - 1
	for _, word := range candidates(k.Model.Node, typed[1:last]) {
		if word != "" && strings.HasPrefix(word, typed[last]) {
			fmt.Fprintln(p.out, word)
		}
	}
	return nil
}

// candidates returns the words that may follow the typed ones, as far as the parser knows them.
func candidates(at *kong.Node, typed []string) (words []string) {
	var flag *kong.Flag // set if the next word is this flag's value
	for _, word := range typed {
		isWord := func(n *kong.Node) bool { return n.Name == word && !n.Hidden }
		isFlag := func(f *kong.Flag) bool {
			return word == "--"+f.Name || f.Short != 0 && word == "-"+string(f.Short)
		}
		if flag != nil {
			flag = nil
		} else if i := slices.IndexFunc(at.Children, isWord); i >= 0 {
			at = at.Children[i]
		} else if i := slices.IndexFunc(at.Flags, isFlag); i >= 0 && !at.Flags[i].IsBool() {
			flag = at.Flags[i]
		}
	}
	if flag != nil {
		return flag.EnumSlice()
	}
	for _, sub := range at.Children {
		if !sub.Hidden {
			words = append(words, sub.Name)
		}
	}
	if len(at.Positional) > 0 {
		words = append(words, at.Positional[0].EnumSlice()...)
	}
	for _, f := range at.Flags {
		if !f.Hidden && f.Name != "help" {
			words = append(words, "--"+f.Name)
		}
	}
	return append(words, "--help")
}
