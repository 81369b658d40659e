package backlog

import (
	"slices"
	"strings"

	"hooks/internal/markdown"
)

// dep is one dependency that a body states. The zero Ref is the issue itself.
type dep struct{ blocker, blocked Ref }

// phrases lists the phrases that state a dependency, in lower case. A hyphen counts as a space. If
// forward is set, the issues after the phrase wait for the subject; else the subject waits for
// them.
var phrases = [...]struct {
	text    string
	forward bool
}{{"depends on", false}, {"blocked by", false}, {"dependencies", false}, {"blocks", true}}

// reading holds the facts found in the body of an issue or PR.
type reading struct {
	deps []dep
	// loose holds issues in a line with a word such as "requires", but not in a form that counts.
	loose    []Ref
	criteria string
}

// read parses the dependencies in a body and the state of its acceptance criteria.
//
// A dependency has one of three forms: a line or list entry that begins with a phrase, as in
// `Depends on #1, #2 and owner/repo#3` or `**Blocked by:** #4`; a list entry that begins with an
// issue followed by a phrase, as in `- [ ] #6 (blocks: #7)`; and a list entry that begins with an
// issue, below a heading or line that is only a phrase. Code, quotes, comments, struck-through text
// and prose do not count: a wrong dependency would block an issue forever, while a missing one can
// be written in one of these forms.
//
// The criteria are judged by the sections of that name (R89), which must have content without TBD
// or TODO. If there are several sections, the worst one counts. A section begins with a heading of
// any level, or with a label such as `**Acceptance Criteria**` or `Acceptance criteria:`, which the
// first criterion may follow in the same line.
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

// reader parses the dependencies of a body line by line.
type reader struct {
	reading
	home Home
	list bool // in a list below a line that is only a phrase
	// forward is that of the phrase.
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
	case states && !begins: // no issue follows in this line
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

// looks adds the issues in a part of a line to loose, if the line has a word that people use for
// dependencies or is in a list of dependencies.
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

// mentions reports whether a body may name an issue. Most bodies do not.
func mentions(body string) bool {
	return strings.Contains(body, "#") || strings.Contains(body, "://")
}

// phrase returns the text after its leading phrase. It skips anything but letters before the
// phrase.
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
