package config

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"

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
	askMerges  = "Ask Merges"
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
	kinds   = map[string]loop.Skill
)

// personal reports whether a person's own file may have a setting.
func (s setting) personal() bool {
	switch s.to.(type) {
	case *command, *kinds, *time.Duration:
		return true
	}
	return s.key == askMerges
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
		{"", "Ask", "", (*command)(&c.Ask.Command)},
		{"", "Ask After", "", &c.Ask.After},
		{"", askMerges, "", &c.Ask.Merges},
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
	before, had := c.has[s.key]
	list, isList := s.to.(*[]string)
	governed, isGoverned := s.to.(*kinds)
	switch {
	case !known:
		c.unknown(r, name)
	case c.own && !s.personal():
		c.elsewhere(r.line, s.key)
	case !c.first(r.line, s.key):
	case isList:
		*list = append(*list, logins(value)...)
		c.has[s.key] = given{file: c.file}
	case isGoverned:
		c.govern(governed, value, r.line)
		c.has[s.key] = given{file: c.file}
	case had && before.value != value:
		c.warn(r.line, "second value for %q, the first one counts", s.key)
	default:
		if problem := c.set(s, value); problem != "" {
			c.warn(r.line, "%s", problem)
		} else {
			c.has[s.key] = given{c.file, value}
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

// set stores a value and returns what is wrong with it, or "" if it is valid.
func (c *Config) set(s setting, value string) string {
	switch to := s.to.(type) {
	case *string:
		*to = value
	case *lower:
		*to = lower(strings.ToLower(value))
	case *command:
		plain := strings.EqualFold(value, "bell") || strings.EqualFold(value, "off")
		if !plain && value != "" && c.file != "" && !c.own {
			return fmt.Sprintf("the %s command %q of a project is not run: put it into your own "+
				"CLAUDE.md, in the client's folder, or HOOKS_%s", s.key, cut(value),
				strings.ToUpper(s.key))
		}
		if *to = command(value); plain {
			*to = command(strings.ToLower(value))
		}
	case *bool:
		*to = strings.EqualFold(value, "yes")
	case *int:
		return percent(to, s.key, value)
	case *time.Duration:
		return wait(to, s.key, value)
	}
	return ""
}

// wait reads a time such as 2m, of at most a day.
func wait(to *time.Duration, key, value string) string {
	after, err := time.ParseDuration(value)
	if err != nil || after <= 0 || after > 24*time.Hour {
		return fmt.Sprintf("%s %q is no time such as 2m, at most 24h", key, cut(value))
	}
	*to = after
	return ""
}

// percent reads a whole number from 0 to 100.
func percent(to *int, key, value string) string {
	text := strings.TrimSpace(strings.TrimSuffix(value, "%"))
	n, err := strconv.Atoi(text)
	if err != nil || n < 0 || n > 100 || strings.HasPrefix(text, "+") {
		return fmt.Sprintf("%s %q is no whole number of percent from 0 to 100",
			strings.ToLower(key), cut(value))
	}
	*to = n
	return ""
}

// nearKey returns the setting of a block that an unknown name was probably meant to be, or "" if no
// setting is close.
func nearKey(block, name string) string {
	for _, s := range new(Config).settings() {
		if s.block == block && loop.Nearest(plain(name), []string{plain(s.key)}) != "" {
			return s.key
		}
	}
	return ""
}

// govern reads a list such as "deploy-watch: prompt, grind: work".
func (c *Config) govern(to *map[string]loop.Skill, value string, line int) {
	for item := range strings.SplitSeq(strings.ReplaceAll(value, ";", ","), ",") {
		item = strings.Trim(item, " `/")
		at := max(0, strings.LastIndexByte(item, ':'))
		name, kind := strings.Trim(item[:at], " `"), strings.Trim(item[at:], ": `")
		_, own := loop.ParseCommand(name, "")
		switch {
		case name == "" || strings.ContainsAny(name, " \t"):
			c.warn(line, "governed skill %q is no \"NAME: KIND\"", cut(item))
		case !slices.Contains([]loop.Skill{loop.Work, loop.Review, loop.Do}, loop.Skill(kind)):
			c.warn(line, "governed skill %q has the kind %q, none of work, review, prompt", name,
				cut(kind))
		case own:
			c.warn(line, "skill %q is governed by its name already", name)
		default:
			if *to == nil {
				*to = map[string]loop.Skill{}
			}
			(*to)[name] = loop.Skill(kind)
		}
	}
}

// plain is a key in lower case and without spaces, hyphens and underscores, so that "Do-Not-Merge
// Label" has one spelling. A strings.Replacer would be built at each call.
func plain(key string) string {
	return strings.Map(func(r rune) rune {
		if strings.ContainsRune(" -_", r) {
			return -1
		}
		return unicode.ToLower(r)
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
