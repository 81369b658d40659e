package config

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"hooks/internal/loop"
)

// blocks are the sub-blocks with a heading of their own.
var blocks = [...]string{costRates, redactions, "Review", "Tracker", "Audit", "Notify", "Sync"}

// The sub-blocks of rows.
const (
	costRates  = "Loop Cost Rates"
	redactions = "Loop Logging"
)

// These are lines right below the SDD heading.
const (
	overrun    = "Overrun"
	namespaces = "Task Namespaces"
	skills     = "Governed Skills"
)

// setting is a key of a sub-block, and where its value goes.
type setting struct {
	block string // "" right below the SDD heading
	key   string // in the words that people write
	also  string // another spelling, plain
	to    any
}

type (
	lower   string // a value in lower case
	command string // what a person's own files alone may have run
)

// personal reports whether a person's own file may have the setting, for every project.
func (s setting) personal() bool {
	_, runs := s.to.(*command)
	return runs || s.key == skills
}

// settings are all but those of rows.
func (c *Config) settings() []setting {
	return []setting{
		{"Review", "Do Not Merge Label", "donotmerge", &c.DoNotMerge},
		{"Review", "Agent Logins", "agentlogin", &c.AgentLogins},
		{"Tracker", "Type", "kind", (*lower)(&c.Tracker.Type)},
		{"Tracker", "Host", "", (*lower)(&c.Tracker.Host)},
		{"Tracker", "Owner", "", &c.Tracker.Owner},
		{"Tracker", "Repo", "repository", &c.Tracker.Repo},
		{"Tracker", "Command", "", &c.Tracker.Command},
		{"Audit", "Post Action Skill", "", &c.Audit.PostSkill},
		{"Audit", "Post Action Prompt", "", &c.Audit.PostPrompt},
		{"Audit", "Post Action Push", "", &c.Audit.PostPush},
		{"Notify", "Notify", "command", (*command)(&c.Notify)},
		{"Sync", "Sync", "command", (*command)(&c.Sync)},
		{"", "Notify", "", (*command)(&c.Notify)},
		{"", "Sync", "", (*command)(&c.Sync)},
		{"", overrun, "", &c.Overrun},
		{"", namespaces, "tasknamespace", &c.TaskNamespaces},
		{"", skills, "governedskill", &c.GovernedSkills},
	}
}

// setting finds a key by its plain name.
func (c *Config) setting(block, name string) (setting, bool) {
	for _, s := range c.settings() {
		if s.block == block && (name == plain(s.key) || name == s.also) && name != "" {
			return s, true
		}
	}
	return setting{}, false
}

// key reads one setting. Unknown keys belong to other readers of the file.
func (c *Config) key(r row) {
	if len(r.cells) < 2 || r.cells[0] == "" {
		return
	}
	name, value := plain(r.cells[0]), r.cells[1]
	s, known := c.setting(r.block, name)
	switch {
	case !known:
		c.unknown(r, name)
	case c.own && !s.personal():
		c.elsewhere(r.line, s.key)
	case c.first(r.line, s.key):
		problems := c.set(s, value)
		for problem := range strings.Lines(problems) {
			c.warn(r.line, "%s", strings.TrimSpace(problem))
		}
		if problems == "" {
			c.has[s.key] = c.file
		}
	}
}

// unknown notes a key that is nearly one of ours, or that nothing else would be in a block for.
func (c *Config) unknown(r row, name string) {
	if near := nearKey(r.block, name); near != "" {
		c.Unread = c.add(c.Unread, r.line, "unknown setting %q, ignored; did you mean %s",
			cut(r.cells[0]), near)
	} else if r.block == "Review" || r.block == "Tracker" || r.block == "Audit" {
		c.Foreign = c.add(c.Foreign, r.line, "unknown setting %q, ignored", cut(name))
	}
}

// set takes a value and returns what is wrong with it, a line for each problem. Of two values in
// one file the first one counts.
func (c *Config) set(s setting, value string) string {
	switch to := s.to.(type) {
	case *string:
		return once(to, value, s.key)
	case *lower:
		return once((*string)(to), strings.ToLower(value), s.key)
	case *command:
		switch strings.ToLower(value) {
		case "bell", "off", "":
			return once((*string)(to), strings.ToLower(value), s.key)
		}
		if c.file != "" && !c.own {
			return fmt.Sprintf("the %s command %q of a project is not run: put it into your own "+
				"CLAUDE.md, in the client's folder, or HOOKS_%s", s.key, cut(value),
				strings.ToUpper(s.key))
		}
		return once((*string)(to), value, s.key)
	case *[]string:
		*to = append(*to, logins(value)...)
	case *map[string]loop.Skill:
		return c.govern(value)
	case *bool:
		*to = strings.EqualFold(value, "yes")
	case *int:
		return c.percent(to, s.key, value)
	}
	return ""
}

func once(to *string, value, key string) string {
	if *to != "" && *to != value {
		return fmt.Sprintf("second value for %q, the first one counts", key)
	}
	*to = value
	return ""
}

// govern reads a list such as "deploy-watch: prompt, grind: work", and returns what is wrong with
// it.
func (c *Config) govern(value string) string {
	var problems []string
	problem := func(format string, args ...any) {
		problems = append(problems, fmt.Sprintf(format, args...))
	}
	for item := range strings.SplitSeq(strings.ReplaceAll(value, ";", ","), ",") {
		item = strings.Trim(item, " `/")
		at := max(0, strings.LastIndexByte(item, ':'))
		name, kind := strings.Trim(item[:at], " `"), strings.Trim(item[at:], ": `")
		_, own := loop.ParseCommand(name, "")
		switch {
		case name == "" || strings.ContainsAny(name, " \t"):
			problem("governed skill %q is no \"NAME: KIND\"", cut(item))
		case !slices.Contains([]loop.Skill{loop.Work, loop.Review, loop.Do}, loop.Skill(kind)):
			problem("governed skill %q has the kind %q, none of work, review, prompt", name,
				cut(kind))
		case own:
			problem("skill %q is governed by its name already", name)
		default:
			if c.GovernedSkills == nil {
				c.GovernedSkills = map[string]loop.Skill{}
			}
			c.GovernedSkills[name] = loop.Skill(kind)
		}
	}
	return strings.Join(problems, "\n")
}

// percent reads a whole number from 0 to 100.
func (c *Config) percent(to *int, key, value string) string {
	text := strings.TrimSpace(strings.TrimSuffix(strings.TrimSpace(value), "%"))
	n, err := strconv.Atoi(text)
	_, had := c.has[key]
	switch {
	case err != nil || n < 0 || n > 100 || strings.HasPrefix(text, "+"):
		return fmt.Sprintf("%s %q is no whole number of percent from 0 to 100",
			strings.ToLower(key), cut(value))
	case had && *to != n:
		return fmt.Sprintf("second value for %q, the first one counts", key)
	}
	*to = n
	return ""
}

// nearKey is the setting of a block that an unknown one was probably meant to be, "" for none.
func nearKey(block, name string) string {
	for _, s := range new(Config).settings() {
		if s.block == block && loop.Nearest(plain(name), []string{plain(s.key)}) != "" {
			return s.key
		}
	}
	return ""
}

// plain is a key in lower case and without spaces, hyphens and the like, so that "Do-Not-Merge
// Label" has one spelling.
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
	for _, f := range strings.FieldsFunc(value, func(r rune) bool {
		return r == ',' || r == ';' || r == ' '
	}) {
		if f = strings.TrimPrefix(strings.Trim(f, "`"), "@"); f != "" {
			out = append(out, f)
		}
	}
	return out
}
