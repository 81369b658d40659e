package main

import (
	"errors"
	"fmt"
	"strings"

	"github.com/alecthomas/kong"

	"hooks/internal/hint"
)

// firstPage is the output of `hooks` without arguments.
const firstPage = `hooks governs unattended loops of Claude Code from outside the model.

Set up     hooks install        register it with the client
           hooks doctor         check this machine and this project
           hooks demo           watch a whole loop, without the client
Run        /loop /sdd:work --loop --max-iterations 5    in the client's session
           hooks go SPEC        a task list, one client process for each task
           hooks go audit PLAN  an audit loop, one client process for each phase
Look       hooks status         the state of this project's loops
           hooks explain        why a loop stopped, or what would stop it
           hooks report-card    the morning page of a run
Decide     hooks loop stop      end the running loop
           hooks gate list      the questions that wait for you

All commands: hooks --help
`

// normalizeHelp accepts the usual words for help and version of other programs.
func normalizeHelp(args []string) []string {
	switch {
	case args[0] == "help":
		return append(args[1:len(args):len(args)], "--help")
	case len(args) == 1 && (args[0] == "--version" || args[0] == "-v"):
		return []string{"version"}
	}
	return args
}

// mistyped returns the parser's error in plain words, with a hint about the command meant.
func mistyped(err error) error {
	name, leaf := "hooks", false
	var p *kong.ParseError
	if errors.As(err, &p) {
		for _, step := range p.Context.Path {
			if step.Command != nil {
				name, leaf = step.Command.FullPath(), len(step.Command.Children) == 0
			}
		}
	}
	text, way := err.Error(), "see `"+name+" --help`"
	if word, extra := strings.CutPrefix(text, "unexpected argument "); extra && !leaf {
		word, near, guessed := strings.Cut(word, ", did you mean ")
		if guessed {
			way = nearest(name, near)
		}
		return hint.New(way, "there is no `%s %s`", name, word)
	}
	return hint.New(way, "%s", inWords(name, text))
}

// nearest returns a hint with the commands that the parser suggests in quotes.
func nearest(name, quoted string) string {
	var list []string
	for i, part := range strings.Split(quoted, `"`) {
		if i%2 == 1 {
			list = append(list, "`"+name+" "+part+"`")
		}
	}
	return "did you mean " + strings.Join(list, " or ") + "? All commands: `hooks --help`"
}

func inWords(name, text string) string {
	if missing, ok := strings.CutPrefix(text, "expected "); ok {
		return fmt.Sprintf("`%s` lacks %s", name, strings.ReplaceAll(missing, `"`, ""))
	}
	if what, rest, ok := strings.Cut(text, " must be one of "); ok {
		list, got, _ := strings.Cut(rest, " but got ")
		list = strings.TrimRight(strings.NewReplacer(`"`, "", ",", ", ").Replace(list), ", ")
		return fmt.Sprintf("%s: %s is not one of %s", strings.Trim(what, "[]"), got, list)
	}
	return strings.NewReplacer(`expected string value but got "EOL" (<EOL>)`, "a value is missing",
		"a valid 64 bit int", "a whole number").Replace(text)
}
