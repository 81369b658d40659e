package backlog

import (
	"regexp"
	"strconv"
	"strings"
	"sync"

	"hooks/internal/loop"
)

// pattern is a regular expression that is compiled on first use.
type pattern struct {
	text     string
	once     sync.Once
	compiled *regexp.Regexp
}

func (p *pattern) re() *regexp.Regexp {
	p.once.Do(func() { p.compiled = regexp.MustCompile(p.text) })
	return p.compiled
}

const (
	repoName    = `([\w.-]+(?:/[\w.-]+)+?)`
	issueNumber = `([1-9]\d{0,8})\b`
)

var (
	// shortRef matches #N and owner/repo#N.
	shortRef = pattern{text: `^` + repoName + `?#` + issueNumber}
	// address matches https://host/owner/repo/issues/N and the forges' other forms: /pull/,
	// GitLab's /-/issues/ below groups, and Gitea's /pulls/.
	address = pattern{text: `^<?https?://([^/\s]+)/` + repoName +
		`(?:/-)?/(?:issues|work_items|pulls?)/` + issueNumber + `[^\s,;)>]*>?`}
	link = pattern{text: `^\[([^][]*)\]\(([^)]*)\)`}

	// beforeRefs and betweenRefs match text that may precede or separate references in a list.
	beforeRefs  = pattern{text: `(?i)^[\s:*_|(]*(?:issues?\b[\s:*_|(]*)?`}
	betweenRefs = pattern{text: `(?i)^[\s*_]*(?:\([^()]*\))?[\s*_,;&+/]*(?:and\b[\s*_,;&+/]*)*`}
	choice      = pattern{text: `(?i)^or\b`}

	inlineCode = pattern{text: "``.*?``|`[^`]*`"}
	struckOut  = pattern{text: `~~.*?~~`}
)

// references parses a list such as `: #1, [#2](https://…) (the parser) and owner/repo#3` and
// returns the rest of the text. For a choice ("#1 or #2") it returns no references, because no
// single issue has to be closed.
func references(text string, home loop.Tracker) (refs []Ref, rest string) {
	rest = text[len(beforeRefs.re().FindString(text)):]
	for {
		r, after, ok := reference(rest, home)
		if !ok {
			return refs, rest
		}
		refs = append(refs, r)
		rest = after[len(betweenRefs.re().FindString(after)):]
		if choice.re().MatchString(rest) {
			return nil, rest
		}
	}
}

// reference parses one reference: #N, owner/repo#N, a URL, or a Markdown link. Repo is empty for
// the home repository. reference compares hosts only if both are known.
func reference(text string, home loop.Tracker) (r Ref, rest string, ok bool) {
	if m := link.re().FindStringSubmatch(text); m != nil {
		if r, _, ok = reference(strings.TrimSpace(m[2]), home); !ok {
			r, _, ok = reference(m[1], home)
		}
		return r, text[len(m[0]):], ok
	}
	host, m := "", shortRef.re().FindStringSubmatch(text)
	if m == nil {
		if m = address.re().FindStringSubmatch(text); m == nil {
			return Ref{}, text, false
		}
		host, m = m[1], append(m[:1:1], m[2:]...)
	}
	n, err := strconv.Atoi(m[2])
	r = Ref{Repo: strings.ToLower(m[1]), Number: n}
	anyHost := host == "" || home.Host == ""
	if strings.EqualFold(r.Repo, home.Repo) && (anyHost || strings.EqualFold(host, home.Host)) {
		r.Repo = ""
	}
	return r, text[len(m[0]):], err == nil
}

// mentions reports whether text may refer to an issue. It is a cheap check that excludes most text.
func mentions(text string) bool {
	return strings.Contains(text, "#") || strings.Contains(text, "://")
}

// prose returns text without inline code and struck-through text.
func prose(text string) string {
	if !strings.ContainsAny(text, "`~") {
		return text
	}
	return struckOut.re().ReplaceAllString(inlineCode.re().ReplaceAllString(text, ""), "")
}
