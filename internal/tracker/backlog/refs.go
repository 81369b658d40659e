package backlog

import (
	"strconv"
	"strings"
)

// Home is the repository whose issues are read.
type Home struct{ Host, Owner, Repo string }

// named is a reference as a text has it.
type named struct {
	Ref
	within bool // in a range, not named itself
}

// references reads a list such as `: #1, [#2](https://…) (the parser) and owner/repo#3`, and
// returns the rest of the text. A choice ("#1 or #2") names nothing that has to be waited for.
func references(text string, home Home) (refs []named, rest string) {
	rest = kindWord(strings.TrimLeft(text, " \t:*_|"))
	for {
		r, after, ok := reference(rest, home)
		if !ok {
			return refs, rest
		}
		refs = append(refs, named{Ref: r})
		more, after := ranged(r, after, home)
		refs = append(refs, more...)
		if other, ok := cutWord(strings.TrimLeft(after, " \t*_,;"), "or"); ok {
			if _, _, choice := reference(strings.TrimLeft(other, " \t*_"), home); choice {
				return nil, rest
			}
		}
		if rest = kindWord(separated(after)); rest == "" {
			return refs, rest
		}
	}
}

// kindWord is the text after words that say what a reference is, as in "issues #1 and #2" or "the
// PR #3".
func kindWord(text string) string {
	if text == "" || text[0] == '#' || text[0] == '[' {
		return text
	}
	rest := text
	for _, word := range []string{
		"both", "the", "issue", "issues", "pr", "prs", "pull request", "pull requests",
		"task", "tasks", "ticket", "tickets", "story", "stories",
	} {
		if after, ok := cutWord(rest, word); ok {
			rest = strings.TrimLeft(after, " \t:*_")
		}
	}
	if strings.HasPrefix(rest, "#") {
		return rest
	}
	return text
}

// maxRange bounds a range of references: a longer one is no list of dependencies.
const maxRange = 50

// ranged reads the second half of a range such as #1-#3, #1-3, #1..#3, #1 – #3 or "#1 to #3". It
// returns the issues after the first one. With blanks around a dash the range has to end the list,
// because a dash may begin another thought.
func ranged(first Ref, text string, home Home) (more []named, after string) {
	next, spaced := rangeMark(text)
	last, after, ok := reference(next, home)
	span := last.Number - first.Number
	switch {
	case !ok, last.Repo != "" && last.Repo != first.Repo, span < 1, span > maxRange:
		return nil, text
	case strings.HasPrefix(after, "-"):
		return nil, text
	case spaced && separated(after) == "" && strings.Trim(after, " \t.,;)*_|") != "":
		return nil, text
	}
	for n := first.Number + 1; n <= last.Number; n++ {
		more = append(more, named{Ref{Repo: first.Repo, Number: n}, n < last.Number})
	}
	return more, after
}

// rangeMark is what follows the mark of a range, "" without one. spaced reports that blanks
// surround a mark that is no word.
func rangeMark(text string) (next string, spaced bool) {
	bare := strings.TrimLeft(text, " \t")
	glued := len(bare) == len(text)
	for _, word := range []string{"to", "through", "thru"} {
		if after, ok := cutWord(bare, word); ok && !glued {
			return strings.TrimLeft(after, " \t"), false
		}
	}
	for _, mark := range []string{"...", "..", "…", "-", "–", "—"} {
		after, ok := strings.CutPrefix(bare, mark)
		if !ok {
			continue
		}
		next = strings.TrimLeft(after, " \t")
		switch {
		case glued != (next == after):
			return "", false
		case glued && next != "" && next[0] >= '0' && next[0] <= '9':
			return "#" + next, false
		}
		return next, !glued
	}
	return "", false
}

// separated is the text after a separator, "" if none follows. A remark in brackets does not end a
// list.
func separated(text string) string {
	text = strings.TrimLeft(text, " \t*_")
	if strings.HasPrefix(text, "(") {
		if end := strings.IndexByte(text[:min(len(text), maxWord)], ')'); end > 0 {
			text = strings.TrimLeft(text[end+1:], " \t*_")
		}
	}
	before := text
	for more := true; more; {
		text, more = cutWord(strings.TrimLeft(text, " \t*_,;&+/"), "and")
	}
	if text == before && !strings.HasPrefix(text, "#") { // "#1 #2" needs no comma
		return ""
	}
	return text
}

// maxWord bounds a reference and a remark in brackets, in bytes.
const maxWord = 500

// reference reads one: #N, GH-N, owner/repo#N, a URL, or a Markdown link to one.
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
	if len(text) > 3 && strings.EqualFold(text[:3], "gh-") {
		return numbered("", text[3:])
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

// foreign is a repository's name, "" for home. An unknown host is not compared.
func (h Home) foreign(host, repo string) string {
	repo = strings.ToLower(repo)
	own := strings.ToLower(h.Owner + "/" + h.Repo)
	if repo == own && (host == "" || h.Host == "" || strings.EqualFold(host, h.Host)) {
		return ""
	}
	return repo
}

// maxNumber bounds an issue's number.
const maxNumber = 1_000_000_000

func numbered(repo, text string) (Ref, string, bool) {
	rest := strings.TrimLeft(text, "0123456789")
	n, err := strconv.Atoi(text[:len(text)-len(rest)])
	if err != nil || n < 1 || n > maxNumber || text[0] == '0' || wordStart(rest) {
		return Ref{}, text, false
	}
	return Ref{Repo: repo, Number: n}, rest, true
}

// link reads https://host/owner/repo/issues/N, also with /pull/, GitLab's /-/ and groups, and
// Gitea's /pulls/.
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
