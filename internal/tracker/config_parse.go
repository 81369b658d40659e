package tracker

import "strings"

// configParser walks through a git config, character by character as git does: a header and a setting may share a
// line, quotes may open anywhere in a value, a backslash joins lines.
type configParser struct {
	text    string
	at      int
	section string // with its final dot, "" before the first header
}

// peek is the next character, 0 at the end; a carriage return before a line feed counts as the line feed.
func (p *configParser) peek() byte {
	if p.at >= len(p.text) {
		return 0
	}
	if strings.HasPrefix(p.text[p.at:], "\r\n") {
		p.at++
	}
	return p.text[p.at]
}

func (p *configParser) next() byte {
	c := p.peek()
	if p.at < len(p.text) {
		p.at++
	}
	return c
}

func (p *configParser) skipBlank() byte {
	for {
		c := p.peek()
		if !blank(c) {
			return c
		}
		p.at++
	}
}

func (p *configParser) skipLine() {
	for c := p.next(); c != '\n' && c != 0; c = p.next() {
	}
}

// header reads [section], [section "sub"] or the old [section.sub].
func (p *configParser) header() bool {
	p.next()
	var b strings.Builder
	for {
		c := p.next()
		switch {
		case c == ']':
			p.section = b.String() + "."
			return b.Len() > 0
		case blank(c):
			b.WriteByte('.')
			ok := p.subsection(&b)
			p.section = b.String() + "."
			return ok
		case !word(c) && c != '.':
			return false
		}
		b.WriteByte(lower(c))
	}
}

// subsection reads the quoted part of a header; its case matters.
func (p *configParser) subsection(b *strings.Builder) bool {
	for p.peek() == ' ' || p.peek() == '\t' {
		p.next()
	}
	if p.next() != '"' {
		return false
	}
	for {
		c := p.next()
		switch c {
		case 0, '\n':
			return false
		case '"':
			return p.next() == ']'
		case '\\':
			if c = p.next(); c == 0 || c == '\n' {
				return false
			}
		}
		b.WriteByte(c)
	}
}

// setting reads `name = value` or a name alone.
func (p *configParser) setting() (setting, bool) {
	if c := lower(p.peek()); c < 'a' || c > 'z' {
		return setting{}, false
	}
	var name strings.Builder
	for word(p.peek()) {
		name.WriteByte(lower(p.next()))
	}
	key := p.section + name.String()
	for p.peek() == ' ' || p.peek() == '\t' {
		p.next()
	}
	switch p.next() {
	case '\n', 0:
		return setting{key, "true"}, true
	case '=':
		value, ok := p.value()
		return setting{key, value}, ok
	}
	return setting{}, false
}

// value reads to the end of the logical line: white space around it is dropped, that inside kept.
func (p *configParser) value() (string, bool) {
	var b strings.Builder
	quoted, solid := false, 0 // solid is the length up to which trailing white space is kept
	for {
		c := p.next()
		switch {
		case c == 0 || c == '\n':
			return b.String()[:solid], !quoted
		case !quoted && (c == '#' || c == ';'):
			p.skipLine()
			return b.String()[:solid], true
		case !quoted && blank(c):
			if b.Len() > 0 {
				b.WriteByte(c)
			}
			continue
		case c == '"':
			quoted = !quoted
			solid = b.Len()
			continue
		case c == '\\':
			if c = p.next(); c == '\n' || c == 0 { // the line goes on
				solid = b.Len()
				continue
			}
			var ok bool
			if c, ok = unescape(c); !ok {
				return "", false
			}
		}
		b.WriteByte(c)
		solid = b.Len()
	}
}

func unescape(c byte) (byte, bool) {
	switch c {
	case 'n':
		return '\n', true
	case 't':
		return '\t', true
	case 'b':
		return '\b', true
	case '"', '\\':
		return c, true
	}
	return 0, false
}

func blank(c byte) bool { return c == ' ' || c == '\t' || c == '\n' || c == '\r' }

func lower(c byte) byte {
	if c >= 'A' && c <= 'Z' {
		c += 'a' - 'A'
	}
	return c
}

func word(c byte) bool {
	c = lower(c)
	return c >= 'a' && c <= 'z' || c >= '0' && c <= '9' || c == '-'
}
