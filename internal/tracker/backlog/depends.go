package backlog

import (
	"slices"
	"strings"

	"hooks/internal/markdown"
)

// dep is one dependency that a body states. The zero Ref stands for the issue itself.
type dep struct {
	blocker, blocked Ref
	// within reports that the other issue is not named itself, but lies in a range such as #1-#3.
	within bool
}

// direction is which way a phrase points.
type direction int

const (
	none      direction = iota
	dependsOn           // the subject waits for what follows
	blocks              // what follows waits for the subject
)

// phrases in lower case; a hyphen counts as a blank.
var phrases = [...]struct {
	text string
	dir  direction
}{
	{"depends on", dependsOn}, {"depends upon", dependsOn}, {"depend on", dependsOn},
	{"dependent on", dependsOn}, {"depending on", dependsOn},
	{"blocked by", dependsOn}, {"blocked on", dependsOn},
	{"waits for", dependsOn}, {"waiting for", dependsOn}, {"waiting on", dependsOn},
	{"requires", dependsOn}, {"required by", blocks}, {"required for", blocks},
	{"prerequisite for", blocks}, {"prerequisite of", blocks},
	{"blocks", blocks}, {"blocking", blocks},
}

// initials are the letters that the phrases begin with.
const initials = "bdprw"

// labels are the words of a heading or a label that mean the same as a phrase.
var labels = []string{"dependencies", "dependency", "prerequisites", "prerequisite", "blockers"}

// read reads a body once: its dependencies, and the state of its acceptance criteria.
//
// Dependencies are written `Depends on #1, #2 and #3`, `Blocked by owner/repo#4`, `Requires #1-#3`,
// `Blocks: #5`, `**Dependencies:** #6`, in task lists as in `- [ ] #6 (blocks: #7)`, and as the
// issues below a heading or a line such as "Depends on:". Only what follows right after the phrase
// counts. Code, quotes, comments and text that is struck through do not count, nor do denials, the
// past and guesses ("no longer blocked by", "might depend on"), nor a choice ("#1 or #2"). A wrong
// edge holds work back for good; a missing one can be added by writing it plainly.
//
// The criteria are judged by the sections of that name (R89), which must have content without TBD
// or TODO. Of several sections the worst counts. A section begins with a heading of any level, or
// with a line that is a label: `**Acceptance Criteria**`, `Acceptance criteria:`, also with the
// first criterion after the colon.
func read(body string, home Home) (deps []dep, criteria string) {
	r, j := reader{home: home}, judge{}
	depends := mentions(body)
	for l := range markdown.Lines(body) {
		if depends {
			r.read(l)
		}
		j.read(l)
	}
	return r.deps, j.verdict()
}

// reader reads the dependencies of a body line by line.
type reader struct {
	home  Home
	deps  []dep
	under direction // what the list that follows is about
}

func (r *reader) read(l markdown.Line) {
	plain := l.Kind == markdown.Plain
	switch {
	case l.Kind == markdown.Hidden, l.Kind == markdown.Quoted:
		return
	case plain && l.Text == "": // as between a heading and its list
		return
	case plain && !mentions(l.Text) && !strings.Contains(l.Text, ":") &&
		l.Text[0] != '*' && l.Text[0] != '_': // neither a reference nor a label
		if markdown.Item(l.Text) == l.Text {
			r.under = none
		}
		return
	}
	p := parse(prose(l.Text), r.home)
	var found []dep
	if mentions(p.text) {
		found = p.line(plain)
	}
	if r.under != none && plain {
		if len(found) == 0 {
			found = p.listed(r.under)
		}
		if p.item != p.text || len(found) > 0 {
			r.deps = append(r.deps, found...)
			return
		}
	}
	r.deps = append(r.deps, found...)
	r.under = announces(p.low, l.Kind == markdown.Heading)
}

// mentions is a quick check: most bodies name no issue at all.
func mentions(body string) bool {
	return slices.ContainsFunc([]string{"#", "://", "GH-", "gh-"}, func(sign string) bool {
		return strings.Contains(body, sign)
	})
}

// announces is the direction of the list below a heading, or below a line of its own that is
// emphasised or ends with a colon.
func announces(low string, isHeading bool) direction {
	if !isHeading {
		name, rest, emphasised := label(low)
		if rest != "" || !emphasised && !strings.HasSuffix(low, ":") {
			return none
		}
		low = name
	}
	bare := strings.ReplaceAll(strings.TrimFunc(low, noLetter), "-", " ")
	bare = strings.TrimPrefix(strings.TrimPrefix(bare, "this "), "is ")
	for _, p := range phrases {
		if bare == p.text {
			return p.dir
		}
	}
	if slices.Contains(labels, bare) {
		return dependsOn
	}
	return none
}

// label splits a line that begins with a label, as in `**Name**`, `**Name:** rest` or `Name: rest`.
func label(text string) (title, rest string, emphasised bool) {
	if text == "" || len(text) > maxWord {
		return "", "", false
	}
	for _, mark := range []string{"**", "__", "*", "_"} {
		if inner, ok := strings.CutPrefix(text, mark); ok {
			name, after, closed := strings.Cut(inner, mark)
			colon := strings.HasSuffix(name, ":") || strings.HasPrefix(after, ":")
			if after = strings.TrimLeft(after, ": \t"); !closed || after != "" && !colon {
				return "", "", false
			}
			return strings.TrimRight(name, ": "), after, true
		}
	}
	name, after, ok := strings.Cut(text, ":")
	if !ok {
		return "", "", false
	}
	return name, strings.TrimLeft(after, " \t"), false
}

// parser reads one line.
type parser struct {
	text string
	low  string // text in lower case
	flat string // low with blanks for hyphens
	item string // text without the marks of a list item
	home Home
}

func parse(text string, home Home) parser {
	low := lower(text)
	flat := strings.ReplaceAll(low, "-", " ")
	return parser{text, low, flat, markdown.Item(text), home}
}

// line finds every phrase and the references after it. In a list item that begins with a reference
// that one is the subject; elsewhere it is the issue itself.
func (p *parser) line(items bool) []dep {
	deps := p.labelled()
	var subject Ref
	first := true
	for at := 0; ; {
		dir, start, end := p.phrase(at)
		if dir == none {
			return deps
		}
		if first && items {
			subject = p.subject(start)
		}
		at, first = end, false
		if !negated(p.low[:start]) {
			deps = append(deps, p.pairs(subject, p.text[end:], dir)...)
		}
	}
}

// labelled reads a line such as `**Dependencies**: #1, #2`.
func (p *parser) labelled() []dep {
	name, rest, _ := label(p.item)
	if rest == "" || !slices.Contains(labels, strings.ToLower(name)) {
		return nil
	}
	return p.pairs(Ref{}, rest, dependsOn)
}

// pairs are the dependencies between a subject and the references that a text begins with.
func (p *parser) pairs(subject Ref, text string, dir direction) (deps []dep) {
	refs, _ := references(text, p.home)
	for _, r := range refs {
		d := dep{blocker: r.Ref, blocked: subject, within: r.within}
		if dir == blocks {
			d.blocker, d.blocked = subject, r.Ref
		}
		deps = append(deps, d)
	}
	return deps
}

// phrase is the first phrase at or after a place.
func (p *parser) phrase(from int) (dir direction, start, end int) {
	for at := from; at < len(p.low); at++ {
		if strings.IndexByte(initials, p.low[at]) < 0 || wordEnd(p.low[:at]) {
			continue
		}
		for _, ph := range phrases {
			if rest, ok := strings.CutPrefix(p.flat[at:], ph.text); ok && !wordStart(rest) {
				return ph.dir, at, at + len(ph.text)
			}
		}
	}
	return none, 0, 0
}

// subject is the one reference between the mark of a list item and a phrase.
func (p *parser) subject(before int) Ref {
	mark := len(p.text) - len(p.item)
	if mark == 0 || before <= mark {
		return Ref{}
	}
	refs, rest := references(p.text[mark:before], p.home)
	if len(refs) != 1 || rest == p.item {
		return Ref{}
	}
	return refs[0].Ref
}

// listed reads an entry below an announcing line: references that it begins with, or one in
// brackets that a list item ends with, as in "- the parser (#5)".
func (p *parser) listed(dir direction) []dep {
	deps := p.pairs(Ref{}, p.item, dir)
	open := strings.LastIndexByte(p.item, '(')
	if len(deps) > 0 || p.item == p.text || open < 0 || strings.Contains(p.item, "](") {
		return deps
	}
	if r, rest, ok := reference(p.item[open+1:], p.home); ok && rest == ")" {
		return p.pairs(Ref{}, r.String(), dir)
	}
	return nil
}
