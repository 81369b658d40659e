package backlog

import (
	"strconv"
	"strings"
)

// named is a reference as a text has it.
type named struct {
	Ref
	within bool // in a range, not named itself
}

// references reads a list such as `: #1, [#2](https://…) (the parser) and owner/repo#3`, and gives what is left. A choice
// ("#1 or #2") names nothing that has to be waited for.
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
		if choice(after, home) {
			return nil, rest
		}
		if rest = kindWord(separated(after)); rest == "" {
			return refs, rest
		}
	}
}

// kindWord is the text after words that say what a reference is, as in "issues #1 and #2" or "the PR #3".
func kindWord(text string) string {
	if text == "" || text[0] == '#' || text[0] == '[' {
		return text
	}
	rest := text
	for _, word := range []string{"both", "the", "issue", "issues", "pr", "prs", "pull request", "pull requests", "task", "tasks", "ticket", "tickets", "story", "stories"} {
		if after, ok := cutWord(rest, word); ok {
			rest = strings.TrimLeft(after, " \t:*_")
		}
	}
	if strings.HasPrefix(rest, "#") {
		return rest
	}
	return text
}

// choice: the next reference is another way, not another condition.
func choice(text string, home Home) bool {
	after, ok := cutWord(strings.TrimLeft(text, " \t*_,;"), "or")
	if !ok {
		return false
	}
	_, _, ok = reference(strings.TrimLeft(after, " \t*_"), home)
	return ok
}

// mostSpread bounds a range: a longer one is no list of dependencies.
const mostSpread = 50

// ranged reads the second half of a range such as #1-#3, #1-3, #1..#3, #1 – #3 or "#1 to #3", and gives what lies after
// its first issue. With blanks around a dash the range has to end the list, for a dash may begin another thought.
func ranged(first Ref, text string, home Home) (rest []named, after string) {
	next, spaced := rangeMark(text)
	last, after, ok := reference(next, home)
	switch {
	case !ok, last.Repo != "" && last.Repo != first.Repo, last.Number <= first.Number, last.Number-first.Number > mostSpread:
		return nil, text
	case strings.HasPrefix(after, "-"), spaced && separated(after) == "" && strings.Trim(after, " \t.,;)*_|") != "":
		return nil, text
	}
	for n := first.Number + 1; n <= last.Number; n++ {
		rest = append(rest, named{Ref{Repo: first.Repo, Number: n}, n < last.Number})
	}
	return rest, after
}

// rangeMark is what follows the mark of a range, "" where there is none; spaced says that blanks surround it.
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
