package backlog

import (
	"cmp"
	"strconv"
	"strings"
	"unicode"

	"hooks/internal/loop"
	"hooks/internal/markdown"
)

// dep is a dependency stated in a body. The zero Ref is the issue itself.
type dep struct{ blocker, blocked Ref }

// phrase matches text that begins with a phrase such as "depends on" or "blocks", after any
// non-letters. The first group is empty for "blocks": the issues after the phrase then wait for its
// subject. Otherwise the subject waits for them.
var phrase = pattern{text: `(?i)^\P{L}*(?:(depends[ -]on|blocked[ -]by|dependencies)|blocks)\b(.*)`}

// reading holds the facts found so far in an issue's body.
type reading struct {
	home loop.Tracker
	deps []dep
	// loose holds issues in the repository that a line names with a word such as "requires", but
	// not in a form that hooks reads.
	loose    []Ref
	criteria string
	// list reports whether the current list follows a line that contains only a phrase. forward
	// reports whether the phrase is "blocks".
	list, forward bool
}

// read parses the dependencies in a body and the state of its acceptance criteria.
//
// A dependency has one of three forms: a line or list entry that begins with a phrase, such as
// `Depends on #1, #2 and owner/repo#3` or `**Blocked by:** #4`; a list entry that begins with an
// issue followed by a phrase, such as `- [ ] #6 (blocks: #7)`; or a list entry that begins with an
// issue, below a heading or line that contains only a phrase. Code, quotes, comments,
// struck-through text and prose do not count, because a wrong dependency would block an issue
// forever, while people can add a missing one in one of these forms.
//
// Only acceptance criteria sections hold criteria (R89). They must have content without TBD or
// TODO. If there are several sections, the worst one counts. A section begins with a heading of any
// level, or with a label such as `**Acceptance Criteria**` or `Acceptance criteria:`. The first
// criterion may be on the same line as the label.
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

// add adds dependencies between subject and refs. If forward is set, subject blocks refs.
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

// looks adds the issues in part of a line to loose if the line contains a word that people use for
// dependencies, or is in a list of dependencies. It ignores a line with a negation.
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

// closer matches the keywords that make a merged PR close the issue named after them.
var closer = pattern{text: `(?i)\b(?:close[sd]?|closing|fix(?:es|ed|ing)?|` +
	`resolve[sd]?|resolving|implement(?:s|ed|ing)?)\b`}

// Closes returns the issues in home that merging a PR with this body closes, for example with
// "fixes #5" or "Closes #1, #2 and #3". As on the forges, "does not fix #5" counts too, but code
// and quotes do not.
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
