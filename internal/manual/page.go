// Package manual describes the program's commands outside of --help: completes them in three
// shells, and writes the manual page. All of it comes from the parser's model, so that nothing is
// missing.
package manual

import (
	"fmt"
	"strings"

	"github.com/alecthomas/kong"
)

// Page is the manual page, section 1, for man and mandoc.
func Page(app *kong.Application, version string) string {
	var b strings.Builder
	help := strings.TrimSuffix(app.Help, ".")
	fmt.Fprintf(&b, ".TH HOOKS 1 \"\" \"hooks %s\" \"User Commands\"\n", roff(version))
	fmt.Fprintf(&b, ".SH NAME\nhooks \\- %s\n", roff(strings.ToLower(help[:1])+help[1:]))
	b.WriteString(description)
	for _, c := range commandOf(app.Node, "").all()[1:] {
		if len(c.subs) == 0 {
			c.entry(&b)
		}
	}
	return b.String() + rest
}

const description = `.SH SYNOPSIS
.B hooks
.I command
.RI [ arguments ]
.SH DESCRIPTION
The client starts the program at its events: one hook word, one JSON object on standard input, one
JSON object or nothing on standard output. Nothing is printed, written or started while no loop
runs.
.PP
People and skills use the commands below. A loop begins with a looping skill in the client, as in
.B /loop /sdd:work \-\-loop
.SH COMMANDS
`

const rest = `.SH FILES
.TP
.I .sdd/loop/
The state of the project's loops, readable by its owner alone.
.TP
.I ~/.claude/settings.json, .claude/settings.json, .claude/settings.local.json
Where
.B hooks install
registers the program, by scope: user, project, local.
.TP
.I CLAUDE.md
The project's configuration, under the heading SDD Configuration.
.SH ENVIRONMENT
.TP
.B CLAUDE_CONFIG_DIR
The client's own folder, ~/.claude if not set.
.TP
.B CLAUDE_PROJECT_DIR
The project; the working folder if not set.
.TP
.B HOOKS_LOG
A file that gets one line an event, for finding faults.
.SH EXIT STATUS
0 done; 1 failed or not allowed. Never 2: an exit status decides nothing.
`

// entry writes a command with its flags and arguments.
func (c command) entry(b *strings.Builder) {
	explained := ""
	explain := func(form, help string) {
		if help != "" {
			explained += fmt.Sprintf(".RS\n.TP\n.I %s\n%s\n.RE\n", roff(form), roff(help))
		}
	}
	fmt.Fprintf(b, ".TP\n.B hooks%s", roff(c.at))
	for _, f := range c.flags {
		form := "--" + f.Name
		if what := takes(f); what != "" {
			form += "=" + what
		}
		fmt.Fprintf(b, " [%s]", roff(form))
		explain(form, f.Help)
	}
	for _, p := range c.Positional {
		form := "[" + p.Name + "]"
		if p.Required {
			form = "<" + p.Name + ">"
		}
		b.WriteString(" " + roff(form))
		explain(p.Name, p.Help)
	}
	fmt.Fprintf(b, "\n%s\n%s", roff(c.Help), explained)
}

// roff escapes what the formatter would take for its own.
func roff(s string) string {
	s = strings.NewReplacer(`\`, `\e`, "-", `\-`, "\n", " ").Replace(s)
	if strings.HasPrefix(s, ".") || strings.HasPrefix(s, "'") {
		return `\&` + s
	}
	return s
}

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

// takes returns the placeholder of a flag's value, as in "N". It is empty if the flag takes no
// value.
func takes(f *kong.Flag) string {
	if f.IsBool() {
		return ""
	}
	return f.FormatPlaceHolder()
}
