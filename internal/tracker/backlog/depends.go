package backlog

import (
	"cmp"
	"strconv"
	"strings"
	"unicode"

	"hooks/internal/loop"
	"hooks/internal/markdown"
)

// dep is one dependency that a body states. The zero Ref is the issue itself.
type dep struct{ blocker, blocked Ref }

// phrase matches a text that begins with a phrase such as "depends on" or "blocks", after any
// non-letters. The first group is empty if the issues after the phrase wait for its subject;
// otherwise the subject waits for them.
var phrase = pattern{text: `(?i)^\P{L}*(?:(depends[ -]on|blocked[ -]by|dependencies)|blocks)\b(.*)`}

// reading holds the facts found in the body of an issue or PR so far.
type reading struct {
	home loop.Tracker
	deps []dep
	// loose holds issues of the repository in a line with a word such as "requires", but not in a
	// form that counts.
	loose    []Ref
	criteria string
	// list reports that the current list is below a line with only a phrase; forward is the
	// direction of that phrase.
	list, forward bool
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
func read(body string, home loop.Tracker) reading {
	r, j := reading{home: home}, judge{}
	depends := mentions(body)
	for l := range markdown.Lines(body) {
		if depends {
			r.read(l)
		}
		j.read(l)
	}
	j.end()
	r.criteria = cmp.Or(j.state, CriteriaMissing)
	return r
}

// read parses the dependencies of one line.
func (r *reading) read(l markdown.Line) {
	if l.Kind == markdown.Hidden || l.Kind == markdown.Quoted || l.Text == "" {
		return
	}
	text := prose(l.Text)
	item := markdown.Item(text)
	subject, after, begins := reference(item, r.home)
	if words := phrase.re().FindStringSubmatch(after); words != nil {
		forward := words[1] == ""
		refs, rest := references(words[2], r.home)
		if len(refs) == 0 && !begins {
			r.list, r.forward = !strings.ContainsFunc(rest, unicode.IsLetter), forward
			return
		}
		r.add(subject, refs, forward)
		if len(refs) > 0 {
			r.looks(text, rest)
		}
	} else if begins && r.list {
		refs, _ := references(item, r.home)
		r.add(Ref{}, refs, r.forward)
	} else {
		r.looks(text, text)
	}
	r.list = r.list && l.Kind == markdown.Plain && (begins || item != text)
}

// add adds the dependencies between a subject and other issues.
func (r *reading) add(subject Ref, refs []Ref, forward bool) {
	for _, ref := range refs {
		d := dep{blocker: ref, blocked: subject}
		if forward {
			d.blocker, d.blocked = subject, ref
		}
		r.deps = append(r.deps, d)
	}
}

var (
	loosely = pattern{text: `(?i)depend|block|requir|wait|prereq`}
	denied  = pattern{text: `(?i)no longer|not |n['’]t|was |were `}
	numbers = pattern{text: `#` + issueNumber}
)

// looks adds the issues in a part of a line to loose, if the line has a word that people use for
// dependencies or is in a list of dependencies.
func (r *reading) looks(line, part string) {
	if !r.list && !loosely.re().MatchString(line) || denied.re().MatchString(line) {
		return
	}
	for _, m := range numbers.re().FindAllStringSubmatch(part, -1) {
		if n, err := strconv.Atoi(m[1]); err == nil {
			r.loose = append(r.loose, Ref{Number: n})
		}
	}
}

// closer matches the words with which a PR closes an issue on the forges.
var closer = pattern{text: `(?i)\b(?:close[sd]?|closing|fix(?:es|ed|ing)?|` +
	`resolve[sd]?|resolving|implement(?:s|ed|ing)?)\b`}

// Closes returns the issues of home that a merge of a PR with this body closes, as in "fixes #5"
// or "Closes #1, #2 and #3". As on the forges, a negation ("does not fix #5") has no effect, and
// code and quotes do not count.
func Closes(body string, home loop.Tracker) (out []int) {
	if !mentions(body) {
		return nil
	}
	for l := range markdown.Lines(body) {
		if l.Kind != markdown.Plain && l.Kind != markdown.Heading || !mentions(l.Text) {
			continue
		}
		text := prose(l.Text)
		for _, at := range closer.re().FindAllStringIndex(text, -1) {
			refs, _ := references(text[at[1]:], home)
			for _, r := range refs {
				if r.Repo == "" {
					out = append(out, r.Number)
				}
			}
		}
	}
	return out
}
