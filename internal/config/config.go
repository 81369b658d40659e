// Package config reads the `SDD Configuration` blocks that a project keeps in .sdd/config.md,
// CLAUDE.md or AGENTS.md: price rows, redaction patterns, review and tracker settings.
//
// It reads Markdown as a person sees it: text in a code block or an HTML comment configures
// nothing. Nothing here fails. What cannot be read becomes a warning with its file and line, and
// the rest of the block still counts.
package config

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"strings"
	"time"

	"github.com/tidwall/gjson"

	"hooks/internal/codec"
	"hooks/internal/loop"
	"hooks/internal/safefile"
)

// MaxFile bounds what is read of one file, in bytes.
const MaxFile = 1 << 20

// DefaultDoNotMerge is the label that ends a review loop if the project names no other (R21).
const DefaultDoNotMerge = "do-not-merge"

// DefaultOverrun is the Overrun of a project that does not set it.
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
	// Notify configures how a person learns that a loop stopped or needs them: "bell", "off" or a
	// command; empty means not at all. A project's own files never name a command that is run: see
	// User.
	Notify string `json:"notify,omitempty"`
	// Sync is a person's command that gets what happens to a task loop, a JSON object a line (T73).
	// As with Notify, a project's own files never name one that is run.
	Sync string `json:"sync,omitempty"`
	// Ask is the person's own command that brings their answer to a question. A project's own files
	// never name one that is run.
	Ask Ask `json:"-"`
	// Overrun bounds how far past its dollar ceiling an iteration may still work, in percent of the
	// ceiling, 0 to 100.
	Overrun int `json:"overrun"`
	// TaskNamespaces lists the namespaces, besides sdd and hooks, whose commands begin task and
	// audit loops.
	TaskNamespaces []string `json:"task_namespaces,omitempty"`
	// GovernedSkills are a person's own skills, by name, and the kind as which the loop of each is
	// governed.
	GovernedSkills map[string]loop.Skill `json:"governed_skills,omitempty"`
	// Audit configures the action after a clean audit loop (A52).
	Audit Audit `json:"audit,omitzero"`
	// Warnings are the lines that could not be read, as in `CLAUDE.md:12: rate "x" is not a price`.
	Warnings []string `json:"-"`
	// Unread are lines that seem to be meant for a block and do not count. They are shown to a
	// person who asks; a run does not mention them.
	Unread []string `json:"-"`
	// Foreign are settings in the blocks that this program does not know, and those that an
	// earlier file has too.
	Foreign []string `json:"-"`

	file   string           // the one that is read, as people know it
	own    bool             // it is the person's, not the project's
	has    map[string]given // the settings so far, by their keys
	redact func(string) string
}

// given is a value as it was written, and the file that it is from.
type given struct{ file, value string }

// Tracker locates the issues. Fields that are not set are taken from the origin remote.
type Tracker struct {
	Type    string `json:"type,omitempty"` // github, gitlab, gitea or command, in lower case
	Owner   string `json:"owner,omitempty"`
	Repo    string `json:"repo,omitempty"`
	Host    string `json:"host,omitempty"`    // as in "git.example.org"
	Command string `json:"command,omitempty"` // prints JSON; words parted by blanks, no shell
}

// Audit is the action after a clean audit. There is no action if both texts are empty.
type Audit struct {
	PostSkill  string `json:"post_skill,omitempty"`
	PostPrompt string `json:"post_prompt,omitempty"`
	PostPush   bool   `json:"post_push,omitempty"` // it may push and open a PR
}

// Ask is a command that carries a question to a person and prints their answer.
type Ask struct {
	Command string
	After   time.Duration // for which a dialog waits before the command gets its question
	Merges  bool          // its answers may merge
}

// DefaultAskAfter is the After of a person who does not set it.
const DefaultAskAfter = 2 * time.Minute

// SettingsFile is the file of a project that holds settings alone: the model reads the others as
// its instructions.
const SettingsFile = ".sdd/config.md"

// Load reads the files of a project's folder. A setting that several of them have counts as in the
// first one; each model's price and each redaction pattern is a setting of its own. Load never
// fails: a missing file configures nothing, any other problem is one of the Warnings.
func Load(project string) Config {
	c := fresh("")
	for _, file := range []string{SettingsFile, "CLAUDE.md", "AGENTS.md"} {
		text, warn := read(filepath.Join(project, filepath.FromSlash(file)))
		c.file = file
		if warn != "" {
			c.warn(0, "%s", warn)
		}
		c.parse(text)
		titled := strings.Contains(strings.ToLower(text), sddTitle)
		if file == SettingsFile && text != "" && !titled {
			c.unread(0, "has no heading `## SDD Configuration`: nothing in it counts")
		}
	}
	return c.finish()
}

// Text returns the settings, wherever they are written, as a run keeps them.
func (c Config) Text() string {
	text, _ := codec.Encode(c) // texts and numbers only
	return string(text)
}

// Of returns the configuration of a run that keeps this Text. An empty one is that of the project
// as it is now.
func Of(kept, project string) Config {
	if kept == "" {
		return Load(project)
	}
	c := fresh("")
	if gjson.Valid(kept) {
		_ = codec.Decode(gjson.Parse(kept), &c) // a setting that cannot be read has its default
	}
	return c.finish()
}

// Same reports whether two configurations have the same settings.
func (c Config) Same(o Config) bool { return c.Text() == o.Text() }

// Names returns the commands that begin loops beside the program's own.
func (c Config) Names() loop.Names {
	return loop.Names{Spaces: c.TaskNamespaces, Skills: c.GovernedSkills}
}

// User reads the person's own CLAUDE.md in the client's folder. It configures every project: the
// commands that run, and the skills that are governed. Another person's repository cannot write
// there.
func User(dir string) Config {
	c := fresh("your own CLAUDE.md")
	c.own = true
	if dir != "" { // else it is not known, and no file of the working directory is meant
		text, _ := read(filepath.Join(dir, "CLAUDE.md"))
		c.parse(text)
	}
	return c.finish()
}

// Parse reads one Markdown text. It is pure; warnings carry no file.
func Parse(text string) Config {
	c := fresh("")
	c.parse(text)
	return c.finish()
}

// fresh returns the defaults, into which a file is read.
func fresh(file string) Config {
	return Config{Overrun: DefaultOverrun, file: file, has: map[string]given{}}
}

// read returns at most MaxFile bytes of a file, and what a person should know about it.
func read(path string) (text, warn string) {
	text, err := safefile.Head(path, MaxFile+1)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return "", ""
	case errors.Is(err, fs.ErrInvalid):
		return "", "is not a regular file"
	case err != nil:
		return "", "cannot be read: " + err.Error()
	case len(text) > MaxFile:
		return text[:MaxFile], fmt.Sprintf("is longer than %d bytes, the rest is not read", MaxFile)
	}
	return text, ""
}

func (c Config) finish() Config {
	if c.DoNotMerge == "" {
		c.DoNotMerge = DefaultDoNotMerge
	}
	c.redact = redactor(c.Patterns)
	return c
}

func (c *Config) warn(line int, format string, args ...any) {
	c.Warnings = c.add(c.Warnings, line, format, args...)
}

// add adds a text about a line of the file that is read, or about all of it if line is 0.
func (c *Config) add(list []string, line int, format string, args ...any) []string {
	at := fmt.Sprintf("%s:%d: ", c.file, line)
	switch {
	case c.file == "":
		at = fmt.Sprintf("line %d: ", line)
	case line == 0:
		at = c.file + ": "
	}
	return append(list, at+fmt.Sprintf(format, args...))
}

func (c *Config) unread(line int, format string, args ...any) {
	c.Unread = c.add(c.Unread, line, format, args...)
}

// first reports whether no earlier file has a setting.
func (c *Config) first(line int, key string) bool {
	before, had := c.has[key]
	if had && before.file != c.file {
		c.Foreign = c.add(c.Foreign, line, "%s does not count: %s has it too", key, before.file)
		return false
	}
	return true
}

// parse reads the rows of all sub-blocks of one file.
func (c *Config) parse(text string) {
	for _, r := range rows(strings.TrimPrefix(text, "\ufeff")) {
		switch {
		case r.loose:
			c.unread(r.line, "unknown setting %q, ignored", cut(r.cells[0]))
		case c.own && (r.block == costRates || r.block == redactions):
			c.unread(r.line, "%s counts in a project's files only", r.block)
		case r.block == costRates:
			c.rate(r)
		case r.block == redactions:
			c.pattern(r)
		default:
			c.key(r)
		}
	}
}
