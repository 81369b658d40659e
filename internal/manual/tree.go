// Package manual writes what describes the program's commands outside of --help: completion scripts
// for three shells, and the manual page. All of it is made from the parser's model, so that nothing
// is missing.
package manual

import (
	"slices"
	"strings"

	"github.com/alecthomas/kong"
)

// command is a command of the model without what no one types: hidden commands and the hook words.
type command struct {
	*kong.Node
	at    string // the way to it, with a blank before every word, as in " loop status"
	flags []*kong.Flag
	subs  []command
}

func commandOf(n *kong.Node, at string) command {
	c := command{Node: n, at: at}
	for _, f := range n.Flags {
		if !f.Hidden && f.Name != "help" {
			c.flags = append(c.flags, f)
		}
	}
	for _, sub := range n.Children {
		if !sub.Hidden && (sub.Group == nil || sub.Group.Key != "hooks") {
			c.subs = append(c.subs, commandOf(sub, at+" "+sub.Name))
		}
	}
	return c
}

// all is the command and everything below it, itself first.
func (c command) all() []command {
	list := []command{c}
	for _, sub := range c.subs {
		list = append(list, sub.all()...)
	}
	return list
}

// choice is a word that may follow a command.
type choice struct{ word, help string }

func (c command) choices() (list []choice) {
	for _, sub := range c.subs {
		list = append(list, choice{sub.Name, sub.Help})
	}
	for _, p := range c.Positional {
		for _, word := range options(p) {
			list = append(list, choice{word, ""})
		}
	}
	for _, f := range c.flags {
		list = append(list, choice{"--" + f.Name, f.Help})
	}
	return append(list, choice{"--help", "Show help."})
}

// options are the words that a value is one of; empty if it may be anything.
func options(v *kong.Value) []string {
	return slices.DeleteFunc(v.EnumSlice(), func(s string) bool { return s == "" })
}

// asked is the kind of words that `hooks complete` prints for a value; empty if it has none.
func asked(v *kong.Value) string { return v.Tag.Get("complete") }

// asked is the kind of the words that follow the command, by its first argument.
func (c command) asked() string {
	if len(c.Positional) == 0 {
		return ""
	}
	return asked(c.Positional[0])
}

// words counts the words of the command, the program's name included.
func (c command) words() int { return len(strings.Fields(c.at)) + 1 }

// takes is what a flag takes, as in "N"; empty if it takes nothing.
func takes(f *kong.Flag) string {
	if f.IsBool() {
		return ""
	}
	return f.FormatPlaceHolder()
}
