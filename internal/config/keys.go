package config

import (
	"fmt"
	"strconv"
	"strings"
)

// key reads one setting of the `Review`, `Tracker` and `Notify` sub-blocks, or one right below the SDD heading. Keys
// that are none of ours belong to other readers of the file.
func (c *Config) key(r row) {
	if len(r.cells) < 2 || r.cells[0] == "" {
		return
	}
	name, value := plain(r.cells[0]), r.cells[1]
	switch r.block {
	case "review":
		c.has.review = true
		c.review(name, value, r.line)
	case "tracker":
		c.has.tracker = true
		c.tracker(name, value, r.line)
	case "notify":
		if name == "command" || name == "notify" {
			c.set(&c.Notify, value, r)
			c.has.notify = true
		}
	case "":
		switch name {
		case "notify":
			c.set(&c.Notify, value, r)
			c.has.notify = true
		case "overrun":
			c.overrun(value, r.line)
		}
	}
}

// overrun reads a whole number of percent; the first one counts.
func (c *Config) overrun(value string, line int) {
	text := strings.TrimSpace(strings.TrimSuffix(strings.TrimSpace(value), "%"))
	percent, err := strconv.Atoi(text)
	switch {
	case err != nil || percent < 0 || percent > 100 || strings.HasPrefix(text, "+"):
		c.warn(line, "overrun %q is no whole number of percent from 0 to 100", cut(value))
	case c.has.overrun && c.Overrun != percent:
		c.warn(line, "second value for %q, the first one counts", "Overrun")
	default:
		c.Overrun, c.has.overrun = percent, true
	}
}

func (c *Config) review(name, value string, line int) {
	r := row{cells: []string{name, value}, line: line}
	switch name {
	case "donotmergelabel", "donotmerge":
		c.set(&c.DoNotMerge, value, r)
	case "agentlogins", "agentlogin":
		c.AgentLogins = append(c.AgentLogins, logins(value)...)
	default:
		c.foreign(r)
	}
}

func (c *Config) foreign(r row) {
	c.Foreign = append(c.Foreign, Warning{Line: r.line, Text: fmt.Sprintf("%q is a setting of others", cut(r.cells[0]))})
}

// ours says that a block's setting of that name is read here.
func ours(block, name string) bool {
	var c Config
	c.key(row{block: block, cells: []string{name, "x"}})
	return len(c.Foreign) == 0 && (c.has != blocks{})
}

func (c *Config) tracker(name, value string, line int) {
	r := row{cells: []string{name, value}, line: line}
	switch name {
	case "type", "kind":
		c.set(&c.Tracker.Type, strings.ToLower(value), r)
	case "owner":
		c.set(&c.Tracker.Owner, value, r)
	case "repo", "repository":
		c.set(&c.Tracker.Repo, value, r)
	case "host":
		c.set(&c.Tracker.Host, strings.ToLower(value), r)
	case "command":
		c.set(&c.Tracker.Command, value, r)
	default:
		c.foreign(r)
	}
}

// set keeps the first value of a key.
func (c *Config) set(to *string, value string, r row) {
	if *to != "" && *to != value {
		c.warn(r.line, "second value for %q, the first one counts", r.cells[0])
		return
	}
	*to = value
}

// plain is a key without case, spaces, hyphens and the like, so that "Do-Not-Merge Label" has one spelling.
func plain(key string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r >= 'A' && r <= 'Z':
			return r + 'a' - 'A'
		case r >= 'a' && r <= 'z', r >= '0' && r <= '9':
			return r
		}
		return -1
	}, key)
}

// logins splits a list such as "@app-bot, `ci[bot]`".
func logins(value string) []string {
	var out []string
	for _, f := range strings.FieldsFunc(value, func(r rune) bool { return r == ',' || r == ';' || r == ' ' }) {
		if f = strings.TrimPrefix(strings.Trim(f, "`"), "@"); f != "" {
			out = append(out, f)
		}
	}
	return out
}
