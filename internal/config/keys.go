package config

import (
	"cmp"
	"fmt"
	"strconv"
	"strings"
	"time"
	"unicode"

	"hooks/internal/codec"
	_ "hooks/internal/kind" // registers the kinds named in settings
	"hooks/internal/loop"
)

// Sub-blocks that consist of rows.
const (
	costRates  = "Loop Cost Rates"
	redactions = "Loop Logging"
)

// blocks lists the sub-blocks that have their own heading.
var blocks = [...]string{costRates, redactions, "Review", "Tracker", "Audit"}

// setting is a key and the field that stores its value.
type setting struct {
	block string // "" directly below the SDD heading
	key   string // as people write it
	in    allowedIn
	to    any
}

// allowedIn says which files may contain a setting.
type allowedIn int

const (
	projects allowedIn = iota
	persons            // the person's own file
	both
)

type (
	lower   string // a value in lower case
	command string // a program to run; a project may only name bell or off
	percent int
)

// settings returns every key with the field of c that it sets. Price and pattern rows are not
// settings; see rate and pattern.
func (c *Config) settings() []setting {
	return []setting{
		{"Review", "Do-Not-Merge Label", projects, &c.DoNotMerge},
		{"Review", "Agent Logins", projects, &c.AgentLogins},
		{"Tracker", "Type", projects, (*lower)(&c.Tracker.Type)},
		{"Tracker", "Host", projects, (*lower)(&c.Tracker.Host)},
		{"Tracker", "Owner", projects, &c.Tracker.Owner},
		{"Tracker", "Repo", projects, &c.Tracker.Repo},
		{"Tracker", "Command", projects, &c.Tracker.Command},
		{"Audit", "Post Action Skill", projects, &c.Audit.PostSkill},
		{"Audit", "Post Action Prompt", projects, &c.Audit.PostPrompt},
		{"Audit", "Post Action Push", projects, &c.Audit.PostPush},
		{"", "Overrun", projects, (*percent)(&c.Overrun)},
		{"", "Task Namespaces", projects, &c.TaskNamespaces},
		{"", "Governed Skills", both, &c.GovernedSkills},
		{"", "Notify", both, (*command)(&c.Notify)},
		{"", "Sync", both, (*command)(&c.Sync)},
		{"", "Ask", both, (*command)(&c.Ask.Command)},
		{"", "Ask-After", persons, &c.Ask.After},
		{"", "Ask-Merges", persons, &c.Ask.Merges},
	}
}

// key reads one setting. It reports an unknown key only if it resembles a known one, because other
// unknown keys may be settings of a skill.
func (c *Config) key(r row) {
	if len(r.cells) < 2 || r.cells[0] == "" {
		return
	}
	name, near := r.cells[0], ""
	for _, s := range c.settings() {
		switch {
		case s.block != r.block:
		case plain(s.key) == plain(name):
			c.take(r.line, s, r.cells[1])
			return
		case near == "" && loop.Nearest(plain(name), []string{plain(s.key)}) != "":
			near = s.key
		}
	}
	if near != "" {
		c.unread(r.line, "unknown setting %q, ignored; did you mean %s?", codec.Clip(name), near)
	}
}

// take stores a setting if this file may contain it and no earlier line or file has set it.
func (c *Config) take(line int, s setting, value string) {
	switch {
	case s.in == projects && c.own:
		c.unread(line, "%s has no effect outside a project's files", s.key)
	case s.in == persons && c.file != "" && !c.own:
		c.unread(line, "%s has no effect outside your own CLAUDE.md", s.key)
	case c.claim(line, s.key, value):
		for _, problem := range c.set(s, value) {
			c.warn(line, "%s", problem)
		}
	}
}

// set stores a value and returns any problems with it. It does not store an invalid value.
func (c *Config) set(s setting, value string) (problems []string) {
	wrong := func(format string, args ...any) {
		problems = append(problems, fmt.Sprintf(format, args...))
	}
	switch to := s.to.(type) {
	case *string:
		*to = cmp.Or(value, *to) // an empty value leaves the default
	case *lower:
		*to = lower(strings.ToLower(value))
	case *command:
		plain := strings.EqualFold(value, "bell") || strings.EqualFold(value, "off")
		switch {
		case plain:
			*to = command(strings.ToLower(value))
		case value == "" || c.file == "" || c.own:
			*to = command(value)
		default:
			wrong("the %s command %q in a project file is not run; put it into your own "+
				"CLAUDE.md, in the client's folder, or into HOOKS_%s",
				s.key, codec.Clip(value), strings.ToUpper(s.key))
		}
	case *bool:
		*to = strings.EqualFold(value, "yes")
	case *percent:
		text := strings.TrimSpace(strings.TrimSuffix(value, "%"))
		n, err := strconv.ParseUint(text, 10, 64)
		if err != nil || n > 100 {
			wrong("%s %q is not a whole percentage from 0 to 100", strings.ToLower(s.key),
				codec.Clip(value))
			break
		}
		*to = percent(n)
	case *time.Duration:
		after, err := time.ParseDuration(value)
		if err != nil || after <= 0 || after > 24*time.Hour {
			wrong("%s %q is not a duration of at most 24h, such as 2m", s.key, codec.Clip(value))
			break
		}
		*to = after
	case *[]string:
		*to = names(value)
	case *map[string]loop.Skill:
		*to = governed(value, wrong)
	}
	return problems
}

// governed parses a list such as "deploy-watch: prompt, grind: work".
func governed(value string, wrong func(string, ...any)) map[string]loop.Skill {
	list := map[string]loop.Skill{}
	for item := range strings.SplitSeq(strings.ReplaceAll(value, ";", ","), ",") {
		item = strings.Trim(item, " `/")
		at := max(0, strings.LastIndexByte(item, ':'))
		name, kind := strings.Trim(item[:at], " `"), strings.Trim(item[at:], ": `")
		_, own := loop.ParseCommand(name, "")
		switch {
		case name == "" || strings.ContainsAny(name, " \t"):
			wrong("governed skill %q does not have the form \"NAME: KIND\"", codec.Clip(item))
		case !loop.KindOf(loop.Skill(kind)).Adopts:
			wrong("governed skill %q has the kind %q, not work, review or prompt", name,
				codec.Clip(kind))
		case own:
			wrong("skill %q already begins a loop by its own name", name)
		default:
			list[name] = loop.Skill(kind)
		}
	}
	return list
}

// plain returns a key in lower case without spaces, hyphens and underscores, so that all spellings
// match. strings.Map avoids building a strings.Replacer on each call.
func plain(key string) string {
	return strings.Map(func(r rune) rune {
		if strings.ContainsRune(" -_", r) {
			return -1
		}
		return unicode.ToLower(r)
	}, key)
}

// names splits a list such as "@app-bot, `ci[bot]`".
func names(value string) (list []string) {
	parts := func(r rune) bool { return strings.ContainsRune(",; `", r) }
	for _, name := range strings.FieldsFunc(value, parts) {
		if name = strings.TrimPrefix(name, "@"); name != "" {
			list = append(list, name)
		}
	}
	return list
}
