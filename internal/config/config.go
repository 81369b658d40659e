package config

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"

	"hooks/internal/loop"
	"hooks/internal/regular"
)

// MaxFile bounds what is read of one file, in bytes.
const MaxFile = 1 << 20

// DefaultDoNotMerge is the label that ends a review loop where the project names no other (R21).
const DefaultDoNotMerge = "do-not-merge"

// DefaultOverrun is the Overrun where the project names none.
const DefaultOverrun = 10

// Config is what a project has configured. The zero value configures nothing; Load and Parse fill in the defaults.
type Config struct {
	// Rates are the rows of `Loop Cost Rates`, in file order, one a model (R60).
	Rates []Rate
	// Patterns are the rows of `Loop Logging`, in file order (R125).
	Patterns []Pattern
	// DoNotMerge is the label that makes a PR terminal (R21).
	DoNotMerge string
	// AgentLogins are the tracker accounts whose comments are not a person's.
	AgentLogins []string
	Tracker     Tracker
	// Notify is how a person is told that a loop stopped or needs them: "bell", "off" or a command; empty where nothing
	// is said. What a project's own files say is never run: see Load.
	Notify string
	// Overrun is how far past its dollar ceiling an iteration may still work, in percent of the
	// ceiling, 0 to 100.
	Overrun int
	// Warnings are the lines that could not be read.
	Warnings []Warning
	// Unread are lines that look as if they were meant for a block and that nothing reads. They are for a person who
	// asks: a run does not speak of them.
	Unread []Warning
	// Foreign are settings of the blocks that are none of ours, as other readers of the file may have them.
	Foreign []Warning

	has    blocks
	redact func(string) string
}

// Tracker says where the issues are. What is not named is taken from the origin remote.
type Tracker struct {
	Type, Owner, Repo string // github, gitlab, gitea or command; Type is in lower case
	Host              string // as in "git.example.org"
	Command           string // prints the tracker's facts as JSON; words parted by blanks, run without a shell
}

// Warning is one thing in the configuration that does not count, for a person to mend.
type Warning struct {
	File string // base name; empty where the text came from no file
	Line int    // from 1; 0 where it is about the whole file
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

// Rate is a row of `Loop Cost Rates`. Prices are pico-dollars for ONE token: $1 per million tokens is 1,000,000.
type Rate struct {
	Model         string
	Input, Output loop.USD
	// The cache prices are nil where the row does not state them.
	CacheRead, CacheWrite5m, CacheWrite1h *loop.USD
	Line                                  int
}

// blocks says which of the sub-blocks a file has, so that the first file with one wins it whole.
type blocks struct {
	rates, logging, review, tracker, notify, overrun bool
}

// Load reads CLAUDE.md and AGENTS.md in a project's directory. The first file that has a sub-block wins it. It never
// fails: a file that is not there is none, any other problem is a Warning.
func Load(project string) Config {
	var c Config
	for _, name := range []string{"CLAUDE.md", "AGENTS.md"} {
		text, warn := read(filepath.Join(project, name))
		if warn != "" {
			c.Warnings = append(c.Warnings, Warning{File: name, Text: warn})
		}
		c.fill(parse(text), name)
	}
	return c.finish()
}

// Edited is what Load would give if one of the two files had another text.
func Edited(project, name, text string) Config {
	var c Config
	for _, file := range []string{"CLAUDE.md", "AGENTS.md"} {
		now := text
		if file != name {
			now, _ = read(filepath.Join(project, file))
		}
		c.fill(parse(now), file)
	}
	return c.finish()
}

// Same says that two configurations configure the same, wherever it stands in their files.
func (c Config) Same(o Config) bool {
	samePattern := func(a, b Pattern) bool {
		return a.Pattern == b.Pattern && a.Replace == b.Replace
	}
	return c.DoNotMerge == o.DoNotMerge && c.Tracker == o.Tracker && c.Notify == o.Notify &&
		c.Overrun == o.Overrun && slices.Equal(c.AgentLogins, o.AgentLogins) &&
		slices.EqualFunc(c.Rates, o.Rates, sameRate) &&
		slices.EqualFunc(c.Patterns, o.Patterns, samePattern)
}

func sameRate(a, b Rate) bool {
	price := func(p *loop.USD) loop.USD {
		if p == nil {
			return -1
		}
		return *p
	}
	return a.Model == b.Model && a.Input == b.Input && a.Output == b.Output && price(a.CacheRead) == price(b.CacheRead) &&
		price(a.CacheWrite5m) == price(b.CacheWrite5m) && price(a.CacheWrite1h) == price(b.CacheWrite1h)
}

// User is what the person's own CLAUDE.md in the client's folder configures for every project; of it only Notify is
// asked for. Another person's repository cannot write there.
func User(dir string) Config {
	text, _ := read(filepath.Join(dir, "CLAUDE.md"))
	return parse(text).finish()
}

// Parse reads one Markdown text. It is pure; warnings carry no file.
func Parse(text string) Config {
	return parse(text).finish()
}

// read returns at most MaxFile bytes of a file, and what a person should know about it.
func read(path string) (text, warn string) {
	f, _, err := regular.Open(path)
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

// fill takes from o the sub-blocks that c does not have yet, and what was wrong with those.
func (c *Config) fill(o Config, file string) {
	c.overruled(o, file)
	if o.has.rates && !c.has.rates {
		c.Rates, c.has.rates = o.Rates, true
	}
	if o.has.logging && !c.has.logging {
		c.Patterns, c.has.logging = o.Patterns, true
	}
	if o.has.review && !c.has.review {
		c.DoNotMerge, c.AgentLogins, c.has.review = o.DoNotMerge, o.AgentLogins, true
	}
	if o.has.tracker && !c.has.tracker {
		c.Tracker, c.has.tracker = o.Tracker, true
	}
	if o.has.notify && !c.has.notify {
		c.Notify, c.has.notify = o.Notify, true
	}
	if o.has.overrun && !c.has.overrun {
		c.Overrun, c.has.overrun = o.Overrun, true
	}
	for to, from := range map[*[]Warning][]Warning{&c.Warnings: o.Warnings, &c.Unread: o.Unread, &c.Foreign: o.Foreign} {
		for _, w := range from {
			w.File = file
			*to = append(*to, w)
		}
	}
}

// overruled notes the sub-blocks of a file that an earlier one has already.
func (c *Config) overruled(o Config, file string) {
	for _, b := range []struct {
		name       string
		have, more bool
	}{
		{"Loop Cost Rates", c.has.rates, o.has.rates}, {"Loop Logging", c.has.logging, o.has.logging}, {"Review", c.has.review, o.has.review},
		{"Tracker", c.has.tracker, o.has.tracker}, {"Notify", c.has.notify, o.has.notify},
		{"Overrun", c.has.overrun, o.has.overrun},
	} {
		if b.have && b.more {
			c.Unread = append(c.Unread, Warning{File: file, Text: "its " + b.name + " block does not count: an earlier file has one"})
		}
	}
}

func (c Config) finish() Config {
	if c.DoNotMerge == "" {
		c.DoNotMerge = DefaultDoNotMerge
	}
	if !c.has.overrun {
		c.Overrun = DefaultOverrun
	}
	c.redact = redactor(c.Patterns)
	return c
}

func (c *Config) warn(line int, format string, args ...any) {
	c.Warnings = append(c.Warnings, Warning{Line: line, Text: fmt.Sprintf(format, args...)})
}

// parse walks the rows of all sub-blocks.
func parse(text string) Config {
	var c Config
	for _, r := range rows(strings.TrimPrefix(text, "\ufeff")) {
		if r.loose {
			c.Unread = append(c.Unread, Warning{Line: r.line, Text: fmt.Sprintf("%q is read by nobody", cut(r.cells[0]))})
			continue
		}
		switch r.block {
		case "loop cost rates":
			c.has.rates = true
			c.rate(r)
		case "loop logging":
			c.has.logging = true
			c.pattern(r)
		default:
			c.key(r)
		}
	}
	return c
}
