package backlog

import (
	"strconv"
	"strings"
)

// Home identifies the repository whose issues are read.
type Home struct{ Host, Owner, Repo string }

// references parses a list such as `: #1, [#2](https://…) (the parser) and owner/repo#3` and
// returns the rest of the text. For a choice ("#1 or #2") it returns no references, because no
// single issue has to be closed.
func references(text string, home Home) (refs []Ref, rest string) {
	const before = " \t:*_|("
	rest = strings.TrimLeft(text, before)
	for _, kind := range []string{"issues", "issue"} {
		if after, ok := cutWord(rest, kind); ok {
			rest = strings.TrimLeft(after, before)
		}
	}
	for {
		r, after, ok := reference(rest, home)
		if !ok {
			return refs, rest
		}
		refs = append(refs, r)
		after = strings.TrimLeft(after, " \t*_")
		if remark, ok := strings.CutPrefix(after, "("); ok {
			if end := strings.IndexByte(remark[:min(len(remark), maxWord)], ')'); end > 0 {
				after = remark[end+1:]
			}
		}
		for more := true; more; {
			after, more = cutWord(strings.TrimLeft(after, " \t*_,;&+/"), "and")
		}
		if _, choice := cutWord(after, "or"); choice {
			return nil, after
		}
		rest = after
	}
}

// maxWord is the maximum length of a reference and of a remark in parentheses, in bytes.
const maxWord = 500

// reference parses one reference: #N, owner/repo#N, a URL, or a Markdown link.
func reference(text string, home Home) (Ref, string, bool) {
	if len(text) > maxWord {
		r, rest, ok := reference(text[:maxWord], home)
		return r, text[maxWord-len(rest):], ok
	}
	if inner, ok := strings.CutPrefix(text, "["); ok {
		name, after, ok := strings.Cut(inner, "](")
		target, rest, closed := strings.Cut(after, ")")
		if !ok || !closed || strings.ContainsAny(name, "[]") {
			return Ref{}, text, false
		}
		r, _, ok := reference(strings.TrimSpace(target), home)
		if !ok {
			r, _, ok = reference(name, home)
		}
		return r, rest, ok
	}
	text = strings.TrimPrefix(text, "<")
	if strings.HasPrefix(text, "https://") || strings.HasPrefix(text, "http://") {
		return link(text, home)
	}
	repo, after, ok := strings.Cut(text, "#")
	if !ok || repo != "" && !repoName(repo) {
		return Ref{}, text, false
	}
	return numbered(home.foreign("", repo), after)
}

func repoName(s string) bool {
	owner, name, _ := strings.Cut(s, "/")
	return owner != "" && name != "" && !strings.ContainsFunc(s, func(r rune) bool {
		return r >= 0x80 || !wordRune(r) && r != '.' && r != '-' && r != '/'
	})
}

// foreign returns a repository's name in lower case, or an empty string for the home repository. It
// compares hosts only if both are known.
func (h Home) foreign(host, repo string) string {
	repo = strings.ToLower(repo)
	own := strings.ToLower(h.Owner + "/" + h.Repo)
	if repo == own && (host == "" || h.Host == "" || strings.EqualFold(host, h.Host)) {
		return ""
	}
	return repo
}

// maxNumber is the largest issue number.
const maxNumber = 1_000_000_000

func numbered(repo, text string) (Ref, string, bool) {
	rest := strings.TrimLeft(text, "0123456789")
	n, err := strconv.Atoi(text[:len(text)-len(rest)])
	if err != nil || n < 1 || n > maxNumber || text[0] == '0' || wordStart(rest) {
		return Ref{}, text, false
	}
	return Ref{Repo: repo, Number: n}, rest, true
}

// link parses https://host/owner/repo/issues/N and the other forms of the forges: /pull/, GitLab's
// /-/issues/ below groups, and Gitea's /pulls/.
func link(text string, home Home) (Ref, string, bool) {
	_, after, _ := strings.Cut(text, "://")
	host, path, ok := strings.Cut(after, "/")
	if !ok || strings.ContainsAny(host, " \t") {
		return Ref{}, text, false
	}
	for _, kind := range []string{
		"/-/issues/", "/-/work_items/", "/issues/", "/pull/", "/pulls/",
	} {
		repo, number, ok := strings.Cut(path, kind)
		if !ok || !repoName(repo) {
			continue
		}
		r, rest, ok := numbered(home.foreign(host, repo), number)
		if !ok {
			return r, rest, false
		}
		if end := strings.IndexAny(rest, " \t,;)>"); end >= 0 {
			return r, strings.TrimPrefix(rest[end:], ">"), true
		}
		return r, "", true
	}
	return Ref{}, text, false
}
