package backlog

import "strings"

// Home is the repository whose issues are read.
type Home struct{ Host, Owner, Repo string }

// Dep is one dependency that a body states. The zero Ref stands for the issue itself.
type Dep struct{ Blocker, Blocked Ref }

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
	{"depends on", dependsOn}, {"depend on", dependsOn}, {"dependent on", dependsOn}, {"depending on", dependsOn},
	{"blocked by", dependsOn}, {"blocked on", dependsOn}, {"waits for", dependsOn},
	{"blocks", blocks}, {"blocking", blocks},
}

// Dependencies reads what a body says that waits for what: `Depends on #1, #2 and #3`, `Blocked by owner/repo#4`,
// `Blocks: #5`, task lists as in `- [ ] #6 (blocks: #7)`, and lists of issues below a heading or a line such as
// "Depends on:". Code, quotes, comments and what is struck through say nothing, nor does "no longer blocked by".
func Dependencies(body string, home Home) []Dep {
	if !mentions(body) {
		return nil
	}
	var deps []Dep
	under := none // what the list that follows is about
	for l := range lines(body) {
		switch {
		case l.kind == hidden, l.kind == plain && l.text == "": // blank lines stand between a heading and its list
			continue
		case l.kind == plain && !mentions(l.text) && !strings.Contains(l.text, ":"):
			if under != none && listItem(l.text) == l.text {
				under = none
			}
			continue
		}
		text := prose(l.text)
		p := parser{text: text, low: strings.ToLower(text), home: home}
		found := p.line(l.kind == plain)
		deps = append(deps, found...)
		if item := listItem(text); under != none && l.kind == plain && item != text {
			if len(found) == 0 {
				deps = append(deps, p.listed(item, under)...)
			}
			continue
		}
		under = announces(p.low, l.kind == heading)
	}
	return deps
}

// mentions is quick: most bodies name no issue at all.
func mentions(body string) bool {
	return strings.Contains(body, "#") || strings.Contains(body, "://") || strings.Contains(body, "GH-")
}

// announces: a heading or line of its own that says what the list below it is.
func announces(low string, isHeading bool) direction {
	bare := strings.Trim(low, " *_:#")
	colon := strings.HasSuffix(strings.TrimRight(low, " *_"), ":")
	if !isHeading && !colon {
		return none
	}
	bare = strings.TrimPrefix(strings.TrimPrefix(strings.ReplaceAll(bare, "-", " "), "this "), "is ")
	for _, p := range phrases {
		if bare == p.text {
			return p.dir
		}
	}
	if bare == "dependencies" || bare == "prerequisites" {
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
func (p *parser) line(items bool) []Dep {
	var deps []Dep
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
		if negated(p.low[:start]) {
			continue
		}
		refs, _ := references(p.text[end:], p.home)
		for _, r := range refs {
			deps = append(deps, pair(subject, r, dir))
		}
	}
}

func pair(subject, other Ref, dir direction) Dep {
	if dir == blocks {
		return Dep{Blocker: subject, Blocked: other}
	}
	return Dep{Blocker: other, Blocked: subject}
}

// phrase is the first phrase at or after a place. Where each comes next is kept, so that a line of nothing but phrases
// costs no more than any other.
func (p *parser) phrase(from int) (dir direction, start, end int) {
	if len(p.low) != len(p.text) { // a letter whose lower case is longer: places would not fit
		return none, 0, 0
	}
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
	return refs[0]
}

func (p *parser) listed(item string, dir direction) []Dep {
	var deps []Dep
	refs, _ := references(item, p.home)
	for _, r := range refs {
		deps = append(deps, pair(Ref{}, r, dir))
	}
	return deps
}

// negated looks at the words before a phrase.
func negated(before string) bool {
	before = strings.TrimRight(before, " *_")
	before = strings.TrimSuffix(strings.TrimSuffix(before, " is"), " longer")
	if strings.HasSuffix(before, "n't") || strings.HasSuffix(before, "n’t") {
		return true
	}
	for _, word := range []string{"not", "no", "never", "formerly", "previously"} {
		if rest, ok := strings.CutSuffix(before, word); ok && !wordEnd(rest) {
			return true
		}
	}
	return false
}
