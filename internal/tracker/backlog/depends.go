package backlog

import (
	"slices"
	"strings"

	"hooks/internal/markdown"
)

// dep is one dependency that a body states. The zero Ref stands for the issue itself.
type dep struct{ blocker, blocked Ref }

// phrases are the words that state a dependency, in lower case; a hyphen counts as a blank.
// forward reports that what follows waits for the subject, not the subject for it.
var phrases = [...]struct {
	text    string
	forward bool
}{{"depends on", false}, {"blocked by", false}, {"dependencies", false}, {"blocks", true}}

// reading holds the facts found in the body of an issue or PR.
type reading struct {
	deps []dep
	// loose are the issues that it names beside words such as "requires", in no form that counts.
	loose    []Ref
	criteria string
}

// read reads a body once: its dependencies, and the state of its acceptance criteria.
//
// A dependency is a line or a list entry that begins with a phrase, as in `Depends on #1, #2 and
// owner/repo#3` or `**Blocked by:** #4`; an entry that begins with the issue that it is about, as
// in `- [ ] #6 (blocks: #7)`; and each entry that begins with an issue below a heading or a line
// that is a phrase alone. Code, quotes, comments and text that is struck through do not count, nor
// does prose: a wrong edge holds work back for good, a missing one can be written plainly.
//
// The criteria are judged by the sections of that name (R89), which must have content without TBD
// or TODO. Of several sections the worst counts. A section begins with a heading of any level, or
// with a line that is a label: `**Acceptance Criteria**`, `Acceptance criteria:`, also with the
// first criterion after the colon.
func read(body string, home Home) reading {
	r, j := reader{home: home}, judge{}
	depends := mentions(body)
	for l := range markdown.Lines(body) {
		if depends {
			r.read(l)
		}
		j.read(l)
	}
	r.criteria = j.verdict()
	return r.reading
}

// reader reads the dependencies of a body line by line.
type reader struct {
	reading
	home Home
	list bool // the entries of a list that a phrase announced follow
	// forward is the announced phrase's.
	forward bool
}

func (r *reader) read(l markdown.Line) {
	if l.Kind == markdown.Hidden || l.Kind == markdown.Quoted || l.Text == "" {
		return
	}
	text := prose(l.Text)
	item := markdown.Item(text)
	subject, after, begins := reference(item, r.home)
	if !begins {
		after = item
	}
	rest, forward, states := phrase(after)
	var refs []Ref
	var more string
	if states {
		refs, more = references(rest, r.home)
	}
	switch {
	case len(refs) > 0:
		r.add(subject, refs, forward)
		r.looks(text, more)
	case begins && r.list:
		refs, _ = references(item, r.home)
		r.add(Ref{}, refs, r.forward)
	case states && !begins: // alone, or with something that is no issue
		r.list, r.forward = strings.TrimFunc(rest, noLetter) == "", forward
		return
	default:
		r.looks(text, text)
	}
	r.list = r.list && l.Kind == markdown.Plain && (begins || item != text)
}

// add adds the dependencies between a subject and other issues.
func (r *reader) add(subject Ref, refs []Ref, forward bool) {
	for _, ref := range refs {
		d := dep{blocker: ref, blocked: subject}
		if forward {
			d.blocker, d.blocked = subject, ref
		}
		r.deps = append(r.deps, d)
	}
}

// looks notes the issues that a part of a line names if the line has a word that people use for
// dependencies, or is in a list of them.
func (r *reader) looks(line, part string) {
	low := strings.ToLower(line)
	has := func(word string) bool { return strings.Contains(low, word) }
	words := []string{"depend", "block", "requir", "wait", "prereq"}
	denials := []string{"no longer", "not ", "n't", "n’t", "was ", "were "}
	if !r.list && !slices.ContainsFunc(words, has) || slices.ContainsFunc(denials, has) {
		return
	}
	for _, number := range strings.Split(part, "#")[1:] {
		if ref, _, ok := numbered("", number); ok {
			r.loose = append(r.loose, ref)
		}
	}
}

// mentions is a quick check: most bodies name no issue at all.
func mentions(body string) bool {
	return strings.Contains(body, "#") || strings.Contains(body, "://")
}

// phrase returns what follows the phrase that a text begins with, behind marks and signs.
func phrase(text string) (rest string, forward, ok bool) {
	bare := strings.TrimLeftFunc(text, noLetter)
	for _, p := range phrases {
		n := len(p.text)
		if len(bare) >= n && !wordStart(bare[n:]) &&
			strings.EqualFold(strings.ReplaceAll(bare[:n], "-", " "), p.text) {
			return bare[n:], p.forward, true
		}
	}
	return text, false, false
}
