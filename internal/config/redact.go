package config

import (
	"regexp"
	"regexp/syntax"
	"strings"
	"sync"
)

// Bounds of redaction. Go's patterns run in linear time, so these bound the whole cost.
const (
	// mostRedact is the longest text that Redact returns, in bytes.
	mostRedact = 64 << 10
	// mostPatterns is the number of rows that count.
	mostPatterns = 100
	// mostPattern is the longest pattern and the longest replacement, in bytes.
	mostPattern = 512
)

// Pattern is a row of `Loop Logging`: what must not be written, and what is written instead (R125).
type Pattern struct {
	Pattern, Replace string
	Line             int
}

// pattern reads a row of `Loop Logging`. The pattern is only parsed here, which costs microseconds; Redact compiles it.
func (c *Config) pattern(r row) {
	p := Pattern{Pattern: r.cells[0], Line: r.line}
	if len(r.cells) > 1 {
		p.Replace = r.cells[1]
	}
	switch {
	case p.Pattern == "":
		c.warn(r.line, "redaction row without a pattern")
	case len(p.Pattern) > mostPattern || len(p.Replace) > mostPattern:
		c.warn(r.line, "redaction row is longer than %d bytes: %q", mostPattern, cut(p.Pattern))
	case len(c.Patterns) == mostPatterns:
		c.warn(r.line, "more than %d redaction patterns: %q", mostPatterns, cut(p.Pattern))
	default:
		if _, err := syntax.Parse(p.Pattern, syntax.Perl); err != nil {
			c.warn(r.line, "redaction pattern %q cannot be read: %v", cut(p.Pattern), err)
			return
		}
		c.Patterns = append(c.Patterns, p)
	}
}

// Redact applies the patterns of `Loop Logging` in their order to a text that is about to be written (R125, C19). A
// text longer than mostRedact is cut: what was not searched must not be written.
func (c Config) Redact(s string) string {
	if c.redact == nil {
		return s
	}
	return c.redact(s)
}

// redactor compiles the patterns at the first use. Without patterns it is nil and texts pass untouched.
func redactor(patterns []Pattern) func(string) string {
	if len(patterns) == 0 {
		return nil
	}
	compiled := sync.OnceValue(func() []rule { return rules(patterns) })
	return func(s string) string {
		s = bound(s)
		for _, r := range compiled() {
			s = bound(r.ReplaceAllString(s, r.with))
		}
		return s
	}
}

type rule struct {
	*regexp.Regexp
	with string
}

func rules(patterns []Pattern) []rule {
	var out []rule
	for _, p := range patterns {
		if re, err := regexp.Compile(p.Pattern); err == nil {
			out = append(out, rule{re, template(p.Replace, re)})
		}
	}
	return out
}

// template makes a replacement of the pattern's flavour, where `\1` and `\g<name>` work beside `$1` and `${name}`,
// into Go's. A dollar sign that names no group of the pattern is text.
func template(s string, re *regexp.Regexp) string {
	var b strings.Builder
	for i := 0; i < len(s); {
		name, n := reference(s[i:])
		switch {
		case n > 0 && group(re, name):
			b.WriteString("${" + name + "}")
			i += n
		case s[i] == '$':
			b.WriteString("$$")
			i++
		default:
			b.WriteByte(s[i])
			i++
		}
	}
	return b.String()
}

// reference reads the group reference that s begins with, and its length.
func reference(s string) (name string, n int) {
	for _, form := range [][2]string{{"${", "}"}, {`\g<`, ">"}} {
		if rest, ok := strings.CutPrefix(s, form[0]); ok {
			name, _, closed := strings.Cut(rest, form[1])
			if closed {
				return name, len(form[0]) + len(name) + 1
			}
		}
	}
	if len(s) > 1 && (s[0] == '$' || s[0] == '\\') {
		n := 1
		for n < len(s) && s[n] >= '0' && s[n] <= '9' {
			n++
		}
		return s[1:n], n
	}
	return "", 0
}

// group says whether a pattern has a group of that number or name.
func group(re *regexp.Regexp, name string) bool {
	if name == "" {
		return false
	}
	if strings.Trim(name, "0123456789") != "" {
		return re.SubexpIndex(name) >= 0
	}
	n := 0
	for _, d := range name {
		if n = n*10 + int(d-'0'); n > re.NumSubexp() {
			return false
		}
	}
	return true
}

func bound(s string) string {
	if len(s) <= mostRedact {
		return s
	}
	return strings.ToValidUTF8(s[:mostRedact], "")
}
