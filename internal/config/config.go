package config

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path/filepath"
	"strings"

	"github.com/tidwall/gjson"

	"hooks/internal/codec"
	"hooks/internal/loop"
	"hooks/internal/safefile"
)

// MaxFile bounds what is read of one file, in bytes.
const MaxFile = 1 << 20

// DefaultDoNotMerge is the label that ends a review loop if the project names no other (R21).
const DefaultDoNotMerge = "do-not-merge"

// DefaultOverrun is the Overrun of a project that sets none.
const DefaultOverrun = 10

// Config is the configuration of a project. The zero value configures nothing; Load and Parse fill
// in the defaults.
type Config struct {
	// Rates are the rows of `Loop Cost Rates`, in file order, one a model (R60).
	Rates []Rate `json:"rates,omitempty"`
	// Patterns are the rows of `Loop Logging`, in file order (R125).
	Patterns []Pattern `json:"patterns,omitempty"`
	// DoNotMerge is the label that makes a PR terminal (R21).
	DoNotMerge string `json:"do_not_merge"`
	// AgentLogins are the tracker accounts whose comments are not a person's.
	AgentLogins []string `json:"agent_logins,omitempty"`
	Tracker     Tracker  `json:"tracker,omitzero"`
	// Notify is how a person learns that a loop stopped or needs them: "bell", "off" or a command;
	// empty for not at all. A project's own files never name a command that is run: see User.
	Notify string `json:"notify,omitempty"`
	// Sync is a person's command that gets what happens to a task loop, a JSON object a line (T73).
	// As with Notify, a project's own files never name one that is run.
	Sync string `json:"sync,omitempty"`
	// Overrun is how far past its dollar ceiling an iteration may still work, in percent of the
	// ceiling, 0 to 100.
	Overrun int `json:"overrun"`
	// TaskNamespaces are those whose commands begin task and audit loops, beside sdd and hooks.
	TaskNamespaces []string `json:"task_namespaces,omitempty"`
	// GovernedSkills are a person's own skills, by name, and the kind as which the loop of each is
	// governed.
	GovernedSkills map[string]loop.Skill `json:"governed_skills,omitempty"`
	// Audit is what follows a clean audit loop (A52).
	Audit Audit `json:"audit,omitzero"`
	// Warnings are the lines that could not be read.
	Warnings []Warning `json:"-"`
	// Unread are lines that seem to be meant for a block and do not count. They are shown to a
	// person who asks; a run does not mention them.
	Unread []Warning `json:"-"`
	// Foreign are settings in the blocks that this program does not know.
	Foreign []Warning `json:"-"`

	has    map[string]bool // the sub-blocks that were found, by name
	redact func(string) string
}

// Tracker is where the issues are. What is not named is taken from the origin remote.
type Tracker struct {
	Type    string `json:"type,omitempty"` // github, gitlab, gitea or command, in lower case
	Owner   string `json:"owner,omitempty"`
	Repo    string `json:"repo,omitempty"`
	Host    string `json:"host,omitempty"`    // as in "git.example.org"
	Command string `json:"command,omitempty"` // prints JSON; words parted by blanks, no shell
}

// Audit is the action after a clean audit, none where both texts are empty.
type Audit struct {
	PostSkill  string `json:"post_skill,omitempty"`
	PostPrompt string `json:"post_prompt,omitempty"`
	PostPush   bool   `json:"post_push,omitempty"` // it may push and open a PR
}

// Warning is one thing in the configuration that does not count and that a person should fix.
type Warning struct {
	File string // base name; empty for a text that came from no file
	Line int    // from 1; 0 for the whole file
	Text string
}

// String is the warning as one line, as in `CLAUDE.md:12: rate "x" is not a price`.
func (w Warning) String() string {
	switch {
	case w.File == "":
		return fmt.Sprintf("line %d: %s", w.Line, w.Text)
	case w.Line == 0:
		return w.File + ": " + w.Text
	}
	return fmt.Sprintf("%s:%d: %s", w.File, w.Line, w.Text)
}

// WarningTexts are the warnings as people read them.
func (c Config) WarningTexts() (list []string) {
	for _, w := range c.Warnings {
		list = append(list, w.String())
	}
	return list
}

type blockOf struct {
	name string
	take func(to, from *Config)
}

// blocks are the sub-blocks. The first file with one of them wins that one whole.
var blocks = [...]blockOf{
	{"Loop Cost Rates", func(to, from *Config) { to.Rates = from.Rates }},
	{"Loop Logging", func(to, from *Config) { to.Patterns = from.Patterns }},
	{"Review", func(to, from *Config) {
		to.DoNotMerge, to.AgentLogins = from.DoNotMerge, from.AgentLogins
	}},
	{"Tracker", func(to, from *Config) { to.Tracker = from.Tracker }},
	{"Audit", func(to, from *Config) { to.Audit = from.Audit }},
	{"Notify", func(to, from *Config) { to.Notify = from.Notify }},
	{"Sync", func(to, from *Config) { to.Sync = from.Sync }},
	{overrun, func(to, from *Config) { to.Overrun = from.Overrun }},
	{namespaces, func(to, from *Config) { to.TaskNamespaces = from.TaskNamespaces }},
	{skills, func(to, from *Config) { to.GovernedSkills = from.GovernedSkills }},
}

// These have no heading of their own: they are lines right below the SDD heading.
const (
	overrun    = "Overrun"
	namespaces = "Task Namespaces"
	skills     = "Governed Skills"
)

// Load reads CLAUDE.md and AGENTS.md in a project's directory. It never fails: a missing file
// configures nothing, any other problem is a Warning.
func Load(project string) Config {
	c := Config{has: map[string]bool{}}
	for _, file := range []string{"CLAUDE.md", "AGENTS.md"} {
		text, warn := read(filepath.Join(project, file))
		if warn != "" {
			c.Warnings = append(c.Warnings, Warning{File: file, Text: warn})
		}
		c.fill(parse(text), file)
	}
	return c.finish()
}

// Text returns the settings, wherever they are written, as a run keeps them.
func (c Config) Text() string {
	text, _ := json.Marshal(c) // texts and numbers only
	return string(text)
}

// Of returns the configuration of a run that keeps this Text. An empty one is that of the project
// as it is now.
func Of(kept, project string) Config {
	if kept == "" {
		return Load(project)
	}
	c := Config{Overrun: DefaultOverrun, has: map[string]bool{overrun: true}}
	if gjson.Valid(kept) {
		_ = codec.Decode(gjson.Parse(kept), &c) // a setting that cannot be read has its default
	}
	return c.finish()
}

// Same reports whether two configurations have the same settings.
func (c Config) Same(o Config) bool { return c.Text() == o.Text() }

// Names are the commands that begin loops beside the program's own.
func (c Config) Names() loop.Names {
	return loop.Names{Spaces: c.TaskNamespaces, Skills: c.GovernedSkills}
}

// User is what the person's own CLAUDE.md in the client's folder configures for every project. Only
// its Notify, Sync and GovernedSkills are used. Another person's repository cannot write there.
func User(dir string) Config {
	text, _ := read(filepath.Join(dir, "CLAUDE.md"))
	return Parse(text)
}

// Parse reads one Markdown text. It is pure; warnings carry no file.
func Parse(text string) Config { return parse(text).finish() }

// read returns at most MaxFile bytes of a file, and what a person should know about it.
func read(path string) (text, warn string) {
	f, _, err := safefile.Open(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return "", ""
	case errors.Is(err, fs.ErrInvalid):
		return "", "is not a regular file"
	case err != nil:
		return "", "cannot be read: " + err.Error()
	}
	defer f.Close()
	b, err := io.ReadAll(io.LimitReader(f, MaxFile+1))
	if err != nil {
		return "", "cannot be read: " + err.Error()
	}
	if len(b) > MaxFile {
		b, warn = b[:MaxFile], fmt.Sprintf("is longer than %d bytes, the rest is not read", MaxFile)
	}
	return string(b), warn
}

// fill takes from o the sub-blocks that c does not have yet, and what was wrong with o.
func (c *Config) fill(o Config, file string) {
	for _, b := range blocks {
		if o.has[b.name] && c.has[b.name] {
			text := "its " + b.name + " block does not count: an earlier file has one"
			c.Unread = append(c.Unread, Warning{File: file, Text: text})
		} else if o.has[b.name] {
			b.take(c, &o)
			c.has[b.name] = true
		}
	}
	for to, from := range map[*[]Warning][]Warning{
		&c.Warnings: o.Warnings, &c.Unread: o.Unread, &c.Foreign: o.Foreign,
	} {
		for _, w := range from {
			w.File = file
			*to = append(*to, w)
		}
	}
}

func (c Config) finish() Config {
	if c.DoNotMerge == "" {
		c.DoNotMerge = DefaultDoNotMerge
	}
	if !c.has[overrun] {
		c.Overrun = DefaultOverrun
	}
	c.redact = redactor(c.Patterns)
	return c
}

func (c *Config) warn(line int, format string, args ...any) {
	c.Warnings = append(c.Warnings, Warning{Line: line, Text: fmt.Sprintf(format, args...)})
}

// parse reads the rows of all sub-blocks.
func parse(text string) Config {
	c := Config{has: map[string]bool{}}
	for _, r := range rows(strings.TrimPrefix(text, "\ufeff")) {
		switch {
		case r.loose:
			text := fmt.Sprintf("unknown setting %q, ignored", cut(r.cells[0]))
			c.Unread = append(c.Unread, Warning{Line: r.line, Text: text})
		case r.block == "Loop Cost Rates":
			c.has[r.block] = true
			c.rate(r)
		case r.block == "Loop Logging":
			c.has[r.block] = true
			c.pattern(r)
		default:
			c.key(r)
		}
	}
	return c
}
