package config

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"hooks/internal/loop"
)

// key reads one setting of the `Review`, `Tracker`, `Audit` and `Notify` sub-blocks, or one right
// below the SDD heading. Unknown keys belong to other readers of the file.
func (c *Config) key(r row) {
	if len(r.cells) < 2 || r.cells[0] == "" {
		return
	}
	name, value := plain(r.cells[0]), r.cells[1]
	set := func(to *string, value string) {
		if *to != "" && *to != value {
			c.warn(r.line, "second value for %q, the first one counts", name)
			return
		}
		*to = value
	}
	own := r.block == "Review" || r.block == "Tracker" || r.block == "Audit"
	if own {
		c.has[r.block] = true
	}
	switch r.block + " " + name {
	case "Review donotmergelabel", "Review donotmerge":
		set(&c.DoNotMerge, value)
	case "Review agentlogins", "Review agentlogin":
		c.AgentLogins = append(c.AgentLogins, logins(value)...)
	case "Tracker type", "Tracker kind":
		set(&c.Tracker.Type, strings.ToLower(value))
	case "Tracker owner":
		set(&c.Tracker.Owner, value)
	case "Tracker repo", "Tracker repository":
		set(&c.Tracker.Repo, value)
	case "Tracker host":
		set(&c.Tracker.Host, strings.ToLower(value))
	case "Tracker command":
		set(&c.Tracker.Command, value)
	case "Audit postactionskill":
		set(&c.Audit.PostSkill, value)
	case "Audit postactionprompt":
		set(&c.Audit.PostPrompt, value)
	case "Audit postactionpush":
		c.Audit.PostPush = strings.EqualFold(value, "yes")
	case "Notify command", "Notify notify", " notify":
		c.has["Notify"] = true
		set(&c.Notify, value)
	case "Sync command", "Sync sync", " sync":
		c.has["Sync"] = true
		set(&c.Sync, value)
	case " tasknamespaces", " tasknamespace":
		c.has[namespaces] = true
		c.TaskNamespaces = append(c.TaskNamespaces, logins(value)...)
	case " governedskills", " governedskill":
		c.has[skills] = true
		c.govern(value, r.line)
	case " overrun":
		c.setOverrun(value, r.line)
	default:
		if near := nearKey(r.block, name); near != "" {
			text := fmt.Sprintf("unknown setting %q, ignored; did you mean %s", cut(r.cells[0]),
				near)
			c.Unread = append(c.Unread, Warning{Line: r.line, Text: text})
		} else if own {
			text := fmt.Sprintf("unknown setting %q, ignored", cut(name))
			c.Foreign = append(c.Foreign, Warning{Line: r.line, Text: text})
		}
	}
}

// keys are the settings of a block, in the words that people write.
func keys(block string) []string {
	switch block {
	case "":
		return []string{overrun, namespaces, skills, "Notify", "Sync"}
	case "Review":
		return []string{"Do Not Merge Label", "Agent Logins"}
	case "Tracker":
		return []string{"Type", "Owner", "Repo", "Host", "Command"}
	case "Audit":
		return []string{"Post Action Skill", "Post Action Prompt", "Post Action Push"}
	}
	return []string{"Command"}
}

// nearKey is the setting of a block that an unknown one was probably meant to be, "" for none.
func nearKey(block, name string) string {
	for _, key := range keys(block) {
		if loop.Nearest(plain(name), []string{plain(key)}) != "" {
			return key
		}
	}
	return ""
}

// knows reports whether key reads a block's setting of that name.
func knows(block, name string) bool {
	c := Config{has: map[string]bool{}}
	c.key(row{block: block, cells: []string{name, "x"}})
	return len(c.Foreign) == 0 && len(c.has) > 0
}

// govern reads a list such as "deploy-watch: prompt, grind: work".
func (c *Config) govern(value string, line int) {
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
			if c.GovernedSkills == nil {
				c.GovernedSkills = map[string]loop.Skill{}
			}
			c.GovernedSkills[name] = loop.Skill(kind)
		}
	}
}

// setOverrun reads a whole number of percent; the first one counts.
func (c *Config) setOverrun(value string, line int) {
	text := strings.TrimSpace(strings.TrimSuffix(strings.TrimSpace(value), "%"))
	percent, err := strconv.Atoi(text)
	switch {
	case err != nil || percent < 0 || percent > 100 || strings.HasPrefix(text, "+"):
		c.warn(line, "overrun %q is no whole number of percent from 0 to 100", cut(value))
	case c.has[overrun] && c.Overrun != percent:
		c.warn(line, "second value for %q, the first one counts", overrun)
	default:
		c.Overrun, c.has[overrun] = percent, true
	}
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
