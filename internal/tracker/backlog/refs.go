package backlog

import (
	"strconv"
	"strings"
)

// references reads a list such as `: #1, [#2](https://…) (the parser) and owner/repo#3`, and gives what is left.
func references(text string, home Home) (refs []Ref, rest string) {
	rest = strings.TrimLeft(text, " \t:*_")
	for {
		r, after, ok := reference(rest, home)
		if !ok {
			return refs, rest
		}
		refs = append(refs, r)
		if rest = separated(after); rest == "" {
			return refs, rest
		}
	}
}

// separated is the text after a separator, "" where none follows. A remark in brackets does not end a list.
func separated(text string) string {
	text = strings.TrimLeft(text, " \t*_")
	if strings.HasPrefix(text, "(") {
		if end := strings.IndexByte(text[:min(len(text), mostWord)], ')'); end > 0 {
			text = strings.TrimLeft(text[end+1:], " \t*_")
		}
	}
	before := text
	for {
		text = strings.TrimLeft(text, " \t*_,;&+/")
		after, ok := cutWord(text, "and")
		if !ok {
			break
		}
		text = after
	}
	if text == before && !strings.HasPrefix(text, "#") { // "#1 #2" needs no comma
		return ""
	}
	return text
}

func cutWord(text, word string) (after string, ok bool) {
	if len(text) < len(word) || !strings.EqualFold(text[:len(word)], word) || wordStart(text[len(word):]) {
		return text, false
	}
	return text[len(word):], true
}

// mostWord bounds a reference and a remark in brackets, in bytes.
const mostWord = 500

// reference reads one: #N, GH-N, owner/repo#N, a URL, or a Markdown link to one.
func reference(text string, home Home) (Ref, string, bool) {
	if len(text) > mostWord {
		r, rest, ok := reference(text[:mostWord], home)
		return r, text[mostWord-len(rest):], ok
	}
	if strings.HasPrefix(text, "[") {
		label, after, ok := strings.Cut(text[1:], "](")
		target, rest, closed := strings.Cut(after, ")")
		if !ok || !closed || strings.ContainsAny(label, "[]") {
			return Ref{}, text, false
		}
		if r, _, ok := reference(strings.TrimSpace(target), home); ok {
			return r, rest, true
		}
		r, _, ok := reference(label, home)
		return r, rest, ok
	}
	text = strings.TrimPrefix(text, "<")
	if strings.HasPrefix(text, "https://") || strings.HasPrefix(text, "http://") {
		return link(text, home)
	}
	if after, ok := strings.CutPrefix(text, "GH-"); ok {
		return numbered("", after)
	}
	repo, after, ok := strings.Cut(text, "#")
	if !ok || repo != "" && !repoName(repo) {
		return Ref{}, text, false
	}
	return numbered(home.foreign("", repo), after)
}

func repoName(s string) bool {
	owner, name, ok := strings.Cut(s, "/")
	return ok && owner != "" && name != "" && !strings.ContainsFunc(s, func(r rune) bool {
		return !(r < 0x80 && (wordByte(byte(r)) || r == '.' || r == '-' || r == '/'))
	})
}

// foreign is a repository's name, "" for home. A host that is not known is not compared.
func (h Home) foreign(host, repo string) string {
	repo = strings.ToLower(repo)
	own := strings.ToLower(h.Owner + "/" + h.Repo)
	if repo == own && (host == "" || h.Host == "" || strings.EqualFold(host, h.Host)) {
		return ""
	}
	return repo
}

// mostNumber bounds an issue's number.
const mostNumber = 1_000_000_000

func numbered(repo, text string) (Ref, string, bool) {
	n := len(text) - len(strings.TrimLeft(text, "0123456789"))
	number, err := strconv.Atoi(text[:n])
	if err != nil || number < 1 || number > mostNumber || text[0] == '0' || wordStart(text[n:]) {
		return Ref{}, text, false
	}
	return Ref{Repo: repo, Number: number}, text[n:], true
}

// link reads https://host/owner/repo/issues/N, also with /pull/, GitLab's /-/ and groups, and Gitea's /pulls/.
func link(text string, home Home) (Ref, string, bool) {
	_, after, _ := strings.Cut(text, "://")
	host, path, ok := strings.Cut(after, "/")
	if !ok || strings.ContainsAny(host, " \t") {
		return Ref{}, text, false
	}
	for _, kind := range []string{"/-/issues/", "/-/work_items/", "/issues/", "/pull/", "/pulls/"} {
		repo, number, ok := strings.Cut(path, kind)
		if !ok || !repoName(repo) {
			continue
		}
		r, rest, ok := numbered(home.foreign(host, repo), number)
		if !ok {
			return r, rest, false
		}
		end := strings.IndexAny(rest, " \t,;)>")
		if end < 0 {
			end = len(rest)
		}
		return r, strings.TrimPrefix(rest[end:], ">"), true
	}
	return Ref{}, text, false
}
