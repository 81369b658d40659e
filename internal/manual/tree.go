// Package manual writes what describes the program's commands elsewhere than in --help: completion scripts for three
// shells, and the manual page. All of it is made from the parser's own model, so that it cannot fall behind.
package manual

import (
	"slices"
	"strings"

	"github.com/alecthomas/kong"
)

// Command is a word of the command line with what may follow it.
type Command struct {
	Words string // the way to it, as in "loop status"; "" is the program itself
	Help  string
	Flags []Value
	Args  []Value
	Subs  []Command
}

// Value is a flag or an argument.
type Value struct {
	Name    string
	Help    string
	Takes   string   // what a flag takes, as in "N"; "" where it takes nothing
	Default string   // "" for none
	Options []string // the words it is one of; none where it may be anything
	May     bool     // an argument that may be left out
}

// Of reads the model. Hidden commands and the hook words, which nobody types, are left out.
func Of(app *kong.Application) Command { return command(app.Node, "") }

func command(n *kong.Node, words string) Command {
	c := Command{Words: words, Help: n.Help}
	for _, f := range n.Flags {
		if !f.Hidden && f.Name != "help" {
			v := value(f.Value)
			if !f.IsBool() {
				v.Takes = f.FormatPlaceHolder()
			}
			c.Flags = append(c.Flags, v)
		}
	}
	for _, p := range n.Positional {
		c.Args = append(c.Args, value(p))
	}
	for _, sub := range n.Children {
		if !sub.Hidden && (sub.Group == nil || sub.Group.Key != "hooks") {
			c.Subs = append(c.Subs, command(sub, strings.TrimSpace(words+" "+sub.Name)))
		}
	}
	return c
}

func value(v *kong.Value) Value {
	options := slices.DeleteFunc(v.EnumSlice(), func(s string) bool { return s == "" })
	return Value{Name: v.Name, Help: v.Help, Default: v.Default, Options: options, May: !v.Required}
}

// all is the command and everything below it, itself first.
func (c Command) all() []Command {
	list := []Command{c}
	for _, sub := range c.Subs {
		list = append(list, sub.all()...)
	}
	return list
}

// name is the last of its words.
func (c Command) name() string { return c.Words[strings.LastIndexByte(c.Words, ' ')+1:] }

// at is the way to it as the scripts keep it: every word with a blank before it.
func (c Command) at() string {
	if c.Words == "" {
		return ""
	}
	return " " + c.Words
}

// next are the words that may come after it.
func (c Command) next() []string {
	var words []string
	for _, sub := range c.Subs {
		words = append(words, sub.name())
	}
	for _, a := range c.Args {
		words = append(words, a.Options...)
	}
	for _, f := range c.Flags {
		words = append(words, "--"+f.Name)
	}
	return append(words, "--help")
}
