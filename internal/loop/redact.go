package loop

import (
	"slices"
	"strings"
)

// Redact rewrites every text of a line that may hold a person's, a tracker's or a repository's words (R125). What was
// decided was decided on the words themselves. A branch that is rewritten is not found again: its PR is asked about on
// resume.
func (l *Iteration) Redact(by func(string) string) {
	itself := func(s *string) []*string { return []*string{s} }
	l.Gates, l.Budget.Carried = redacted(l.Gates, by, answerTexts), redacted(l.Budget.Carried, by, answerTexts)
	l.Failures = redacted(l.Failures, by, func(f *Failure) []*string { return []*string{&f.Cause} })
	l.Notes = redacted(l.Notes, by, itself)
	l.TrackedPRs = redacted(l.TrackedPRs, by, func(p *TrackedPR) []*string {
		return append(commits(&p.StartSHA, &p.EndSHA), &p.Branch)
	})
	l.Worktrees = redacted(l.Worktrees, by, func(w *Worktree) []*string {
		return append(commits(&w.HeadSHA), &w.Path, &w.Branch)
	})
	l.Observed.Heads, l.Observed.Worktrees = redacted(l.Observed.Heads, by, itself), redacted(l.Observed.Worktrees, by, itself)
	l.Budget.Pending = redacted(l.Budget.Pending, by, func(g *Gate) []*string { return []*string{&g.Question, &g.Answer} })
	l.LastQmdError, l.Budget.StopText = by(l.LastQmdError), by(l.Budget.StopText)
}

func answerTexts(g *GateAnswer) []*string { return []*string{&g.Question, &g.Answer} }

// redacted is a copy of a list with the texts of its members rewritten.
func redacted[T any](list []T, by func(string) string, texts func(*T) []*string) []T {
	out := slices.Clone(list)
	for i := range out {
		for _, text := range texts(&out[i]) {
			*text = by(*text)
		}
	}
	return out
}

// commits leaves out what is the name of a commit: patterns for keys would match it, and without it nothing tells
// whether a branch has moved.
func commits(fields ...*string) []*string {
	return slices.DeleteFunc(fields, func(sha *string) bool { return strings.Trim(*sha, "0123456789abcdef") == "" && len(*sha) <= 64 })
}

const redactedMark = "[redacted]"

// Secrets rewrites what a command, a header or a URL gives away: values of Authorization headers,
// of flags, variables and fields named token, password, secret or key, the user part of URLs, and
// tokens that are known by how they begin.
func Secrets(text string) string {
	var out strings.Builder
	for i := 0; i < len(text); {
		end := i
		for end < len(text) && tokenByte(text[end]) {
			end++
		}
		if end == i {
			if rest, ok := strings.CutPrefix(text[i:], "://"); ok {
				out.WriteString("://" + userMark(rest))
				i += 3 + userEnd(rest)
				continue
			}
			out.WriteByte(text[i])
			i++
			continue
		}
		word, rest := text[i:end], text[end:]
		from, to := secretAfter(word, rest)
		if knownToken(word) {
			word = redactedMark
		}
		out.WriteString(word)
		i = end
		if to > from {
			out.WriteString(rest[:from] + redactedMark)
			i += to
		}
	}
	return out.String()
}

func tokenByte(c byte) bool {
	return c == '-' || c == '_' || c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'
}

// knownToken reports whether a word is a key of a service that marks its keys.
func knownToken(word string) bool {
	for _, p := range []string{
		"ghp_", "gho_", "ghu_", "ghs_", "ghr_", "github_pat_", "glpat-", "gldt-", "glrt-", "sk-",
		"xoxb-", "xoxp-", "AKIA", "ASIA", "eyJ", "npm_", "pypi-", "hf_", "AIza",
	} {
		if rest, ok := strings.CutPrefix(word, p); ok && len(rest) >= 12 {
			return true
		}
	}
	return false
}

// userEnd is the length of a URL's user part, given what follows its scheme; 0 for none or git@.
func userEnd(rest string) int {
	host := rest
	if i := strings.IndexAny(host, "/?# \t\n\"'`\\<>|;"); i >= 0 {
		host = host[:i]
	}
	i := strings.LastIndexByte(host, '@')
	if i < 0 || host[:i] == "git" {
		return 0
	}
	return i
}

func userMark(rest string) string {
	if userEnd(rest) > 0 {
		return redactedMark
	}
	return ""
}

// secretAfter finds the secret that a word announces in the text behind it; from is to if there is
// none.
func secretAfter(word, rest string) (from, to int) {
	name := strings.ToLower(word)
	flag := strings.HasPrefix(word, "-")
	header := strings.HasSuffix(name, "authorization") || strings.HasSuffix(name, "cookie")
	plain := strings.TrimLeft(rest, "\"'\\")
	gap := len(plain) > 0 && (plain[0] == '=' || plain[0] == ':')
	space := len(rest) > 0 && rest[0] == ' '
	switch {
	case space && (name == "bearer" || name == "basic"):
	case word == "-u" || word == "-U" || name == "--user" || name == "--proxy-user":
		from = blanks(rest, 0)
		to = valueEnd(rest, from)
		colon := strings.IndexByte(rest[from:to], ':')
		if colon < 0 {
			return 0, 0
		}
		return from + colon + 1, to
	case (secretName(name) || header) && (gap || flag && space):
	default:
		return 0, 0
	}
	from = blanks(rest, 0)
	if header {
		if end := strings.IndexAny(rest[from:], "\"'`\n"); end >= 0 {
			return from, from + end
		}
		return from, len(rest)
	}
	return from, valueEnd(rest, from)
}

func secretName(name string) bool {
	for _, s := range []string{
		"token", "password", "passwd", "secret", "api-key", "api_key", "apikey", "bearer",
		"access_key", "access-key", "private_key", "private-key",
	} {
		if strings.HasSuffix(name, s) {
			return true
		}
	}
	return false
}

// blanks passes over what stands between a name and its value.
func blanks(s string, i int) int {
	for i < len(s) && strings.IndexByte(" \t=:\"'\\", s[i]) >= 0 {
		i++
	}
	return i
}

func valueEnd(s string, i int) int {
	for i < len(s) && strings.IndexByte(" \t\n\"'`\\&;,|<>)}", s[i]) < 0 {
		i++
	}
	return i
}
