package loop

import (
	"slices"
	"strings"
)

// Redact redacts every text of a line that may contain a person's, a tracker's or a repository's
// words (R125). It is called after all decisions, which use the original texts. A redacted branch
// name is not found again, so its PR is asked about on resume.
func (l *Iteration) Redact(by func(string) string) {
	itself := func(s *string) []*string { return []*string{s} }
	l.Gates, l.Budget.Carried = redacted(l.Gates, by, answerTexts), redacted(l.Budget.Carried, by,
		answerTexts)
	l.Failures = redacted(l.Failures, by, func(f *Failure) []*string { return []*string{&f.Cause} })
	l.Titles = redacted(l.Titles, by, func(i *Issue) []*string { return []*string{&i.Title} })
	l.Notes = redacted(l.Notes, by, itself)
	l.TrackedPRs = redacted(l.TrackedPRs, by, func(p *TrackedPR) []*string {
		return append(commits(&p.StartSHA, &p.EndSHA), &p.Branch, &p.Title)
	})
	l.Worktrees = redacted(l.Worktrees, by, func(w *Worktree) []*string {
		return append(commits(&w.HeadSHA), &w.Path, &w.Branch)
	})
	l.Observed.Heads, l.Observed.Worktrees = redacted(l.Observed.Heads, by,
		itself), redacted(l.Observed.Worktrees, by, itself)
	l.Budget.Pending = redacted(l.Budget.Pending, by, func(g *Gate) []*string {
		return []*string{&g.Question, &g.Answer}
	})
	l.Denied = redacted(l.Denied, by, func(d *Denial) []*string { return []*string{&d.What} })
	if l.Overrun != nil {
		o := *l.Overrun
		o.By = redacted(o.By, by, func(s *Spender) []*string { return []*string{&s.Who} })
		l.Overrun = &o
	}
	l.LastQmdError, l.Budget.StopText = by(l.LastQmdError), by(l.Budget.StopText)
}

func answerTexts(g *GateAnswer) []*string { return []*string{&g.Question, &g.Answer} }

// redacted returns a copy of list with the texts of its members redacted.
func redacted[T any](list []T, by func(string) string, texts func(*T) []*string) []T {
	out := slices.Clone(list)
	for i := range out {
		for _, text := range texts(&out[i]) {
			*text = by(*text)
		}
	}
	return out
}

// commits returns the fields that do not contain a commit's name. Patterns for keys would match
// such a name, and without it no one could tell whether a branch has moved.
func commits(fields ...*string) []*string {
	return slices.DeleteFunc(fields, func(sha *string) bool {
		return strings.Trim(*sha, "0123456789abcdef") == "" && len(*sha) <= 64
	})
}

// hidden replaces a secret.
const hidden = "<redacted>"

// Secrets replaces secrets, recognized by their form, in a text that was not written to be kept,
// such as a refused command: tokens with a known prefix, bearer tokens, the values of Authorization
// and Cookie headers, passwords in URLs, and the values of names that end in token, password,
// secret or key. References to variables are kept. It may replace more than secrets.
func Secrets(text string) string {
	var b strings.Builder
	kept := 0
	for i := 0; i < len(text); {
		from, to := secretAt(text, i)
		if from < to && text[from:to] != hidden {
			b.WriteString(text[kept:from] + hidden)
			kept, i = to, to
		} else {
			i += max(1, len(leading(text[i:], wordByte)))
		}
	}
	return b.String() + text[kept:]
}

// secretAt returns the range of the secret that the text at i introduces, or 0 and 0.
func secretAt(text string, i int) (from, to int) {
	if strings.HasPrefix(text[i:], "://") {
		return userinfo(text, i+len("://"))
	}
	if !wordByte(text[i]) {
		return 0, 0
	}
	word := leading(text[i:], wordByte)
	if at, n := token(word); n > 0 {
		return i + at, i + at + n
	}
	name := strings.ToLower(strings.NewReplacer("-", "", "_", "").Replace(word))
	after := i + len(word)
	switch {
	case name == "bearer":
		from = after + len(leading(text[after:], of(" \t")))
		if value := unquoted(text[from:]); from > after && len(value) >= 8 && value[0] != '$' {
			return from, from + len(value)
		}
	case word == "-u" || word == "--user":
		return login(text, after)
	case strings.HasSuffix(name, "authorization") || name == "cookie":
		return header(text, i, after)
	case namesSecret(name):
		return assigned(text, after, strings.HasPrefix(word, "--"))
	}
	return 0, 0
}

// login returns the range of the password in curl's option for a login, which ends at after.
func login(text string, after int) (from, to int) {
	from = after + len(leading(text[after:], of(" \t='\"")))
	user, password, ok := strings.Cut(unquoted(text[from:]), ":")
	if !ok || from == after || password == "" || password[0] == '$' {
		return 0, 0
	}
	from += len(user) + 1
	return from, from + len(password)
}

// userinfo returns the range of the part of a URL before its host, unless it is only a user name.
func userinfo(text string, at int) (from, to int) {
	authority := leading(text[at:], noneOf(" \t/?#'\"`\n"))
	end := strings.LastIndexByte(authority, '@')
	if end < 0 || end < 16 && !strings.Contains(authority[:end], ":") {
		return 0, 0
	}
	return at, at + end
}

var (
	secretNames = []string{
		"token", "password", "passwd", "secret", "apikey", "accesskey", "privatekey",
	}
	tokenPrefixes = []string{
		"ghp_", "gho_", "ghu_", "ghs_", "ghr_", "github_pat_", // GitHub
		"glpat-", "gloas-", "gldt-", "glrt-", // GitLab
		"xoxa-", "xoxb-", "xoxp-", "xoxr-", "xoxs-", // Slack
	}
)

func namesSecret(name string) bool {
	ends := func(end string) bool { return strings.HasSuffix(name, end) }
	return slices.ContainsFunc(secretNames, ends)
}

// token returns the offset and the length of a token of a known form in a word, or 0 and 0.
func token(word string) (at, n int) {
	for _, prefix := range tokenPrefixes {
		if at := strings.Index(word, prefix); at >= 0 && len(word)-at >= len(prefix)+8 {
			return at, len(word) - at
		}
	}
	bare := strings.TrimLeft(word, "-")
	amazon := strings.HasPrefix(bare, "AKIA") || strings.HasPrefix(bare, "ASIA")
	other := strings.HasPrefix(bare, "sk-") || strings.HasPrefix(bare, "eyJ")
	digits := strings.ContainsAny(bare, "0123456789")
	if amazon && len(bare) == 20 || other && digits && len(bare) >= 20 {
		return len(word) - len(bare), len(bare)
	}
	return 0, 0
}

// header returns the range of the value of a header whose name lies between i and after: up to the
// closing quote, or else its words.
func header(text string, i, after int) (from, to int) {
	if !strings.HasPrefix(text[after:], ":") {
		return 0, 0
	}
	gap := of(" \t\\")
	from = after + 1 + len(leading(text[after+1:], gap))
	quote := byte(0)
	switch {
	case from < len(text) && strings.IndexByte(quotes, text[from]) >= 0:
		quote, from = text[from], from+1
	case i > 0 && strings.IndexByte(quotes, text[i-1]) >= 0:
		quote = text[i-1]
	}
	if quote != 0 {
		return from, from + len(leading(text[from:], noneOf(string(rune(quote)))))
	}
	to = from + len(unquoted(text[from:]))
	switch strings.ToLower(strings.TrimSuffix(text[from:to], `\`)) {
	case "bearer", "basic", "token", "digest", "negotiate":
		to += len(leading(text[to:], gap))
		to += len(unquoted(text[to:]))
	}
	return from, to
}

const quotes = `'"`

// assigned returns the range of the value after a name: after an equals sign or a colon, and for a
// flag also after a blank. The value may be quoted.
func assigned(text string, after int, flag bool) (from, to int) {
	gap := leading(text[after:], of(" \t=:'\""))
	from = after + len(gap)
	sign := strings.ContainsAny(gap, "=:")
	if from == len(text) || !sign && (!flag || gap == "") {
		return 0, 0
	}
	value := leading(text[from:], noneOf(" \t'\"`&;|),}\n"))
	if len(value) < 4 || value[0] == '$' || value[0] == '-' && !sign {
		return 0, 0
	}
	return from, from + len(value)
}

// leading returns the longest prefix of text whose bytes all satisfy is.
func leading(text string, is func(byte) bool) string {
	for i := range len(text) {
		if !is(text[i]) {
			return text[:i]
		}
	}
	return text
}

// unquoted returns the prefix of text before a blank, a quote or the end of the line.
func unquoted(text string) string {
	return leading(text, noneOf(" \t'\"`\n"))
}

// of returns a function that reports whether a byte is one of bytes; noneOf returns its negation.
func of(bytes string) func(byte) bool {
	return func(c byte) bool { return strings.IndexByte(bytes, c) >= 0 }
}

func noneOf(bytes string) func(byte) bool {
	return func(c byte) bool { return strings.IndexByte(bytes, c) < 0 }
}

func wordByte(c byte) bool {
	return c == '_' || c == '-' ||
		c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'
}
