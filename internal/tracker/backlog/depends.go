package backlog

import (
	"slices"
	"strings"
	"unicode"
)

// Home is the repository whose issues are read.
type Home struct{ Host, Owner, Repo string }

// dep is one dependency that a body states. The zero Ref stands for the issue itself.
type dep struct {
	blocker, blocked Ref
	// within says that the other issue was not named itself, but lies in a range such as #1-#3.
	within bool
}

// direction is which way a phrase points.
type direction int

const (
	none      direction = iota
	dependsOn           // the subject waits for what follows
	blocks              // what follows waits for the subject
)

// phrases in lower case; a hyphen counts as a blank. Of two that begin at one place the longer stands first.
var phrases = [...]struct {
	text string
	dir  direction
}{
	{"depends on", dependsOn}, {"depends upon", dependsOn}, {"depend on", dependsOn}, {"dependent on", dependsOn}, {"depending on", dependsOn},
	{"blocked by", dependsOn}, {"blocked on", dependsOn}, {"waits for", dependsOn}, {"waiting for", dependsOn}, {"waiting on", dependsOn},
	{"requires", dependsOn}, {"required by", blocks}, {"required for", blocks}, {"prerequisite for", blocks}, {"prerequisite of", blocks},
	{"blocks", blocks}, {"blocking", blocks},
}

// names are what a heading or a label says instead of a phrase.
var names = []string{"dependencies", "dependency", "prerequisites", "prerequisite", "blockers"}

// read reads a body once: which dependencies it states, and how its acceptance criteria are.
//
// What waits for what stands in a body as `Depends on #1, #2 and #3`, `Blocked by owner/repo#4`, `Requires #1-#3`,
// `Blocks: #5`, `**Dependencies:** #6`, in task lists as in `- [ ] #6 (blocks: #7)`, and as the issues below a heading or a
// line such as "Depends on:". Only what stands right after the phrase counts. Code, quotes, comments and what is struck
// through say nothing, nor does what is denied, past or pondered ("no longer blocked by", "might depend on"), nor a choice
// ("#1 or #2"). A wrong edge holds work back for good; one that is missing is made good by writing it plainly.
//
// The criteria are judged by the sections of that name (R89), which have to say something and to hold no TBD or TODO. Of
// several sections the worst counts. A section begins with a heading of any level, or with a line that is a label:
// `**Acceptance Criteria**`, `Acceptance criteria:`, also with the first criterion after the colon.
func read(body string, home Home) (deps []dep, criteria string) {
	r, j := reader{home: home}, judge{}
	depends, judged := mentions(body), speaksOfCriteria(body)
	if !depends && !judged {
		return nil, CriteriaMissing
	}
	for l := range lines(body) {
		if depends {
			r.read(l)
		}
		if judged {
			j.read(l)
		}
	}
	return r.deps, j.verdict()
}

// reader reads a body line by line.
type reader struct {
	home  Home
	deps  []dep
	under direction // what the list that follows is about
}

func (r *reader) read(l line) {
	switch {
	case l.kind == hidden, l.kind == quoted, l.kind == plain && l.text == "": // blank lines stand between a heading and its list
		return
	case l.kind == plain && !mentions(l.text) && !announcing(l.text):
		if listItem(l.text) == l.text {
			r.under = none
		}
		return
	}
	text := prose(l.text)
	p := parser{text: text, low: lower(text), home: r.home}
	var found []dep
	if mentions(text) {
		found = p.line(l.kind == plain)
	}
	item := listItem(text)
	if r.under != none && l.kind == plain && len(found) == 0 {
		found = p.listed(item, r.under, item != text)
	}
	r.deps = append(r.deps, found...)
	if r.under != none && l.kind == plain && (item != text || len(found) > 0) {
		return
	}
	r.under = announces(p.low, l.kind == heading)
}

// announcing is quick: a line without an issue may begin a list only where it is a label.
func announcing(text string) bool {
	return strings.Contains(text, ":") || text[0] == '*' || text[0] == '_'
}

// mentions is quick: most bodies name no issue at all.
func mentions(body string) bool {
	return strings.Contains(body, "#") || strings.Contains(body, "://") || strings.Contains(body, "GH-") || strings.Contains(body, "gh-")
}

// announces: a heading, or a line of its own that is emphasised or ends with a colon, says what the list below it is.
func announces(low string, isHeading bool) direction {
	if !isHeading {
		name, rest, emphasised := label(low)
		if rest != "" || !emphasised && !strings.HasSuffix(low, ":") {
			return none
		}
		low = name
	}
	bare := strings.TrimFunc(low, func(r rune) bool { return !unicode.IsLetter(r) })
	bare = strings.TrimPrefix(strings.TrimPrefix(strings.ReplaceAll(bare, "-", " "), "this "), "is ")
	for _, p := range phrases {
		if bare == p.text {
			return p.dir
		}
	}
	if slices.Contains(names, bare) {
		return dependsOn
	}
	return none
}

// parser reads one line.
type parser struct {
	text, low string
	home      Home
	at        [len(phrases)]int // the next place of each phrase, as far as it was looked for
}

// line finds every phrase and the references after it. In a list item that begins with a reference that one is the
// subject; elsewhere it is the issue itself.
func (p *parser) line(items bool) []dep {
	deps := p.labelled()
	var subject Ref
	first := true
	for at := 0; ; {
		dir, start, end := p.phrase(at)
		if dir == none {
			return deps
		}
		at = end
		if first && items {
			subject = p.subject(start)
		}
		first = false
		if !negated(p.low[:start]) {
			deps = append(deps, p.pairs(subject, p.text[end:], dir)...)
		}
	}
}

// labelled reads a line such as `**Dependencies**: #1, #2`.
func (p *parser) labelled() []dep {
	name, rest, _ := label(listItem(p.text))
	if rest == "" || !slices.Contains(names, strings.ToLower(name)) {
		return nil
	}
	return p.pairs(Ref{}, rest, dependsOn)
}

// pairs are the dependencies between a subject and the references that a text begins with.
func (p *parser) pairs(subject Ref, text string, dir direction) []dep {
	var deps []dep
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

// phrase is the first phrase at or after a place. Where each comes next is kept, so that a line of nothing but phrases
// costs no more than any other.
func (p *parser) phrase(from int) (dir direction, start, end int) {
	start = len(p.low) + 1
	for i, ph := range phrases {
		if from == 0 || p.at[i] < from {
			p.at[i] = p.find(from, ph.text)
		}
		if p.at[i] < start && p.at[i] < len(p.low) {
			dir, start, end = ph.dir, p.at[i], p.at[i]+len(ph.text)
		}
	}
	return dir, start, end
}

// find is the next place of a phrase, the end of the line where there is none.
func (p *parser) find(from int, phrase string) int {
	head, tail, two := strings.Cut(phrase, " ")
	for at := from; ; {
		i := strings.Index(p.low[at:], head)
		if i < 0 {
			return len(p.low)
		}
		i += at
		at = i + len(head)
		rest := p.low[at:]
		if two {
			if rest == "" || rest[0] != ' ' && rest[0] != '-' || !strings.HasPrefix(rest[1:], tail) {
				continue
			}
			rest = rest[1+len(tail):]
		}
		if !wordEnd(p.low[:i]) && !wordStart(rest) {
			return i
		}
	}
}

// subject is the reference that the list item before a phrase begins with.
func (p *parser) subject(before int) Ref {
	item := listItem(p.text)
	if len(item) == len(p.text) || before <= len(p.text)-len(item) {
		return Ref{}
	}
	refs, rest := references(item[:before-(len(p.text)-len(item))], p.home)
	if len(refs) != 1 || rest == item {
		return Ref{}
	}
	return refs[0].Ref
}

// listed reads an entry below an announcing line: references that it begins with, or one in brackets that a list item
// ends with, as in "- the parser (#5)".
func (p *parser) listed(item string, dir direction, isItem bool) []dep {
	deps := p.pairs(Ref{}, item, dir)
	open := strings.LastIndexByte(item, '(')
	if len(deps) > 0 || !isItem || open < 0 || !strings.HasSuffix(item, ")") || strings.Contains(item, "](") {
		return deps
	}
	if r, rest, ok := reference(item[open+1:], p.home); ok && rest == ")" {
		return p.pairs(Ref{}, r.String(), dir)
	}
	return nil
}
