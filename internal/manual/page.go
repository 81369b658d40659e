package manual

import (
	"fmt"
	"strings"
)

// Page is the manual page, section 1, for man and mandoc.
func Page(c Command, version string) string {
	var b strings.Builder
	fmt.Fprintf(&b, ".TH HOOKS 1 \"\" \"hooks %s\" \"User Commands\"\n", roff(version))
	fmt.Fprintf(&b, ".SH NAME\nhooks \\- %s\n", roff(strings.TrimSuffix(lower(c.Help), ".")))
	b.WriteString(".SH SYNOPSIS\n.B hooks\n.I command\n.RI [ arguments ]\n.SH DESCRIPTION\n" + description + ".SH COMMANDS\n")
	for _, sub := range c.all()[1:] {
		if len(sub.Subs) == 0 {
			entry(&b, sub)
		}
	}
	return b.String() + rest
}

const description = `The client starts the program at its events: one hook word, one JSON object on standard input, one JSON object or
nothing on standard output. Nothing is printed, written or started while no loop runs.
.PP
People and skills use the commands below. A loop begins with a looping skill in the client, as in
.B /loop /sdd:work \-\-loop
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

func entry(b *strings.Builder, c Command) {
	fmt.Fprintf(b, ".TP\n.B hooks %s", roff(c.Words))
	for _, f := range c.Flags {
		fmt.Fprintf(b, " [%s]", roff(flag(f)))
	}
	for _, a := range c.Args {
		form := "<" + a.Name + ">"
		if a.May {
			form = "[" + a.Name + "]"
		}
		b.WriteString(" " + roff(form))
	}
	fmt.Fprintf(b, "\n%s\n", roff(c.Help))
	for _, v := range c.Flags {
		explain(b, flag(v), v)
	}
	for _, v := range c.Args {
		explain(b, v.Name, v)
	}
}

func explain(b *strings.Builder, form string, v Value) {
	if v.Help != "" {
		fmt.Fprintf(b, ".RS\n.TP\n.I %s\n%s\n.RE\n", roff(form), roff(v.Help))
	}
}

func flag(v Value) string {
	if v.Takes == "" {
		return "--" + v.Name
	}
	return "--" + v.Name + "=" + v.Takes
}

// roff escapes what the formatter would take for its own.
func roff(s string) string {
	s = strings.NewReplacer(`\`, `\e`, "-", `\-`, "\n", " ").Replace(s)
	if strings.HasPrefix(s, ".") || strings.HasPrefix(s, "'") {
		return `\&` + s
	}
	return s
}

func lower(s string) string {
	if s == "" {
		return s
	}
	return strings.ToLower(s[:1]) + s[1:]
}
