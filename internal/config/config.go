// Package config reads the `SDD Configuration` blocks that a project keeps in .sdd/config.md,
// CLAUDE.md or AGENTS.md: price rows, redaction patterns, review and tracker settings.
//
// It reads Markdown as it is rendered, so code blocks and HTML comments have no effect. Reading
// never fails: an invalid line becomes a warning with its file and line, and the other lines still
// count.
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

// MaxFile is the maximum number of bytes read from a file.
const MaxFile = 1 << 20

// DefaultDoNotMerge is the default label that ends a review loop (R21).
const DefaultDoNotMerge = "do-not-merge"

// DefaultOverrun is the default value of Overrun.
const DefaultOverrun = 10

// Config is a project's configuration. The zero value configures nothing, not even the defaults.
type Config struct {
	// Rates holds the rows of `Loop Cost Rates`, in file order, one per model (R60).
	Rates []Rate `json:"rates,omitempty"`
	// Patterns holds the rows of `Loop Logging`, in file order (R125).
	Patterns []Pattern `json:"patterns,omitempty"`
	// DoNotMerge is the label that makes a PR terminal (R21).
	DoNotMerge string `json:"do_not_merge"`
	// AgentLogins lists the tracker accounts of agents. Comments by other accounts, except bots,
	// count as a person's.
	AgentLogins []string `json:"agent_logins,omitempty"`
	Tracker     Tracker  `json:"tracker,omitzero"`
	// Notify selects the notice when a loop has stopped or has a question: "bell", "off", a
	// command, or "" for no notice. A command in a project's own files is never run; see User.
	Notify string `json:"notify,omitempty"`
	// Sync is the person's command that receives each task loop event as a line of JSON (T73). A
	// command in a project's own files is never run.
	Sync string `json:"sync,omitempty"`
	// Ask configures the person's command that shows them questions. A command in a project's own
	// files is never run.
	Ask Ask `json:"-"`
	// Overrun bounds how far an open iteration may exceed the run's dollar ceiling, as a percentage
	// of the ceiling, from 0 to 100.
	Overrun int `json:"overrun"`
	// TaskNamespaces lists the namespaces, besides sdd and hooks, whose commands begin task and
	// audit loops.
	TaskNamespaces []string `json:"task_namespaces,omitempty"`
	// GovernedSkills maps a person's own skills, by name, to the kind of loop that governs them.
	GovernedSkills map[string]loop.Skill `json:"governed_skills,omitempty"`
	// Audit configures the action after a clean audit loop (A52).
	Audit Audit `json:"audit,omitzero"`
	// Warnings lists the problems, such as `CLAUDE.md:12: redaction row without a pattern`.
	Warnings []string `json:"-"`
	// Unread lists the lines that look like settings but have no effect. `hooks doctor` shows them;
	// a run does not mention them.
	Unread []string `json:"-"`

	file     string            // name of the current file in messages
	own      bool              // the file is the person's own, not the project's
	has      map[string]string // raw values read so far, by key
	compiled *compiled         // Patterns, compiled by the first call to Redact
}

// Tracker locates the issue tracker. Unset fields are taken from a git remote.
type Tracker struct {
	Type    string `json:"type,omitempty"` // github, gitlab, gitea or command, in lower case
	Owner   string `json:"owner,omitempty"`
	Repo    string `json:"repo,omitempty"`
	Host    string `json:"host,omitempty"`    // such as "git.example.org"
	Command string `json:"command,omitempty"` // prints JSON; split at blanks, run without a shell
}

// Audit configures the action after a clean audit. There is none if PostSkill and PostPrompt are
// "".
type Audit struct {
	PostSkill  string `json:"post_skill,omitempty"`
	PostPrompt string `json:"post_prompt,omitempty"`
	PostPush   bool   `json:"post_push,omitempty"` // the action may push and open a PR
}

// Ask is a command that shows a question to a person and prints their answer.
type Ask struct {
	Command string
	After   time.Duration // how long a dialog stays open before the command runs
	Merges  bool          // its answers may approve merges
}

// DefaultAskAfter is the default value of Ask-After.
const DefaultAskAfter = 2 * time.Minute

// SettingsFile is the project file that holds only settings. The other files are also instructions
// for the model.
const SettingsFile = ".sdd/config.md"

// Load reads a project's settings files. If several files contain a setting, the first file wins;
// each model's price and each redaction pattern is a separate setting. Load never fails: a missing
// file configures nothing, and other problems become Warnings.
func Load(project string) Config { return Of("", project) }

// Text returns the settings as JSON, for a run to store.
func (c Config) Text() string {
	text, _ := codec.Encode(c) // encoding strings and numbers cannot fail
	return string(text)
}

// Of returns the configuration from kept, which a run stored with Text. If kept is "", it loads the
// project's current configuration.
func Of(kept, project string) Config {
	c := fresh("")
	if kept == "" {
		for _, c.file = range []string{SettingsFile, "CLAUDE.md", "AGENTS.md"} {
			c.read(filepath.Join(project, filepath.FromSlash(c.file)))
		}
	} else if gjson.Valid(kept) {
		_ = codec.Decode(gjson.Parse(kept), &c) // an unreadable setting keeps its default
	}
	return c
}

// Names returns the additional commands that begin loops.
func (c Config) Names() loop.Names {
	return loop.Names{Spaces: c.TaskNamespaces, Skills: c.GovernedSkills}
}

// User reads the person's own CLAUDE.md in the client's folder, which no cloned repository can
// contain. It applies to every project and may set commands and governed skills.
func User(dir string) Config {
	c := fresh("your own CLAUDE.md")
	c.own = true
	if dir != "" { // without it, the working directory would be read
		c.read(filepath.Join(dir, "CLAUDE.md"))
	}
	return c
}

// fresh returns the default configuration.
func fresh(file string) Config {
	return Config{DoNotMerge: DefaultDoNotMerge, Overrun: DefaultOverrun, file: file,
		has: map[string]string{}, compiled: &compiled{}}
}

// read reads the settings in the first MaxFile bytes of a file.
func (c *Config) read(path string) {
	text, err := safefile.Head(path, MaxFile+1)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return
	case errors.Is(err, fs.ErrInvalid):
		c.warn(0, "is not a regular file")
	case err != nil:
		c.warn(0, "cannot be read: %v", err)
	case len(text) > MaxFile:
		c.warn(0, "is longer than %d bytes; the rest is ignored", MaxFile)
		text = text[:MaxFile]
	}
	c.parse(text)
	titled := strings.Contains(strings.ToLower(text), sddTitle)
	if c.file == SettingsFile && text != "" && !titled {
		c.unread(0, "has no heading `## SDD Configuration`, so it is ignored")
	}
}

func (c *Config) warn(line int, format string, args ...any) {
	c.Warnings = c.add(c.Warnings, line, format, args...)
}

// add appends a message about a line in the current file, or about the whole file if line is 0.
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

// claim records value and returns true if key has no value yet. If key has a different value, claim
// adds to Unread that this one has no effect.
func (c *Config) claim(line int, key, value string) bool {
	before, had := c.has[key]
	if !had {
		c.has[key] = value
	} else if before != value {
		c.unread(line, "%s has no effect, because an earlier line or file sets it", key)
	}
	return !had
}

// parse reads the rows of all sub-blocks in a file.
func (c *Config) parse(text string) {
	for _, r := range rows(strings.TrimPrefix(text, "\ufeff")) {
		switch {
		case c.own && (r.block == costRates || r.block == redactions):
			c.unread(r.line, "%s has no effect outside a project's files", r.block)
		case r.block == costRates:
			c.rate(r)
		case r.block == redactions:
			c.pattern(r)
		default:
			c.key(r)
		}
	}
}
