package config

import (
	"regexp"
	"regexp/syntax"
	"strings"
	"sync"

	"hooks/internal/codec"
)

// Limits on redaction. Go's patterns run in linear time, so these limits bound the total cost.
const (
	// maxRedact is the maximum length of redacted text, in bytes.
	maxRedact = 64 << 10
	// maxPatterns is the maximum number of rows used.
	maxPatterns = 100
	// maxPattern is the maximum length of a pattern or replacement, in bytes.
	maxPattern = 512
)

// Pattern is a row of `Loop Logging`: text that must not be written, and its replacement (R125).
type Pattern struct {
	Pattern string `json:"pattern"`
	Replace string `json:"replace,omitempty"`
}

// pattern reads a row of `Loop Logging`. It only parses the pattern, which takes microseconds; the
// first call to Redact compiles it.
func (c *Config) pattern(r row) {
	p := Pattern{Pattern: r.cells[0]}
	if len(r.cells) > 1 {
		p.Replace = r.cells[1]
	}
	short := codec.Clip(p.Pattern)
	switch {
	case p.Pattern == "":
		c.warn(r.line, "redaction row without a pattern")
	case len(p.Pattern) > maxPattern || len(p.Replace) > maxPattern:
		c.warn(r.line, "redaction row with a cell of over %d bytes: %q", maxPattern, short)
	case len(c.Patterns) == maxPatterns:
		c.warn(r.line, "more than %d redaction patterns, so %q is ignored", maxPatterns, short)
	default:
		if _, err := syntax.Parse(p.Pattern, syntax.Perl); err != nil {
			c.warn(r.line, "redaction pattern %q cannot be read: %v", short, err)
			return
		}
		if c.claim(r.line, "the pattern "+short, p.Replace) {
			c.Patterns = append(c.Patterns, p)
		}
	}
}

// Redact applies the patterns of `Loop Logging`, in order, to text before it is written (R125,
// C19). If there are patterns, it cuts s at maxRedact, because unsearched text must not be written.
func (c Config) Redact(s string) string {
	if len(c.Patterns) == 0 {
		return s
	}
	c.compiled.once.Do(func() {
		for _, p := range c.Patterns {
			re, _ := regexp.Compile(p.Pattern) // nil if a run's stored pattern is invalid
			c.compiled.list = append(c.compiled.list, re)
		}
	})
	s = bound(s)
	for i, re := range c.compiled.list {
		if re != nil {
			s = bound(re.ReplaceAllString(s, c.Patterns[i].Replace))
		}
	}
	return s
}

type compiled struct {
	once sync.Once
	list []*regexp.Regexp
}

func bound(s string) string {
	if len(s) <= maxRedact {
		return s
	}
	return strings.ToValidUTF8(s[:maxRedact], "")
}
