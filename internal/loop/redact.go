package loop

import (
	"regexp"
	"slices"
	"strings"
	"sync"
)

// Redact redacts all strings in a line that may come from a person, a tracker or a repository
// (R125). It is called after all decisions, which use the original strings. A branch with a
// redacted name cannot be found again, so a resume asks about its PR.
func (l *Iteration) Redact(by func(string) string) {
	itself := func(s *string) []*string { return []*string{s} }
	redact(&l.Gates, by, answerTexts)
	redact(&l.Budget.Carried, by, answerTexts)
	redact(&l.Failures, by, func(f *Failure) []*string { return []*string{&f.Cause} })
	redact(&l.Titles, by, func(i *Issue) []*string { return []*string{&i.Title} })
	redact(&l.Notes, by, itself)
	redact(&l.TrackedPRs, by, func(p *TrackedPR) []*string {
		return append(commits(&p.StartSHA, &p.EndSHA), &p.Branch, &p.Title)
	})
	redact(&l.Worktrees, by, func(w *Worktree) []*string {
		return append(commits(&w.HeadSHA), &w.Path, &w.Branch)
	})
	redact(&l.Observed.Heads, by, itself)
	redact(&l.Observed.Worktrees, by, itself)
	redact(&l.Budget.Pending, by, func(g *Gate) []*string {
		return []*string{&g.Question, &g.Answer}
	})
	redact(&l.Denied, by, func(d *Denial) []*string { return []*string{&d.What} })
	if l.Overrun != nil {
		o := *l.Overrun
		redact(&o.By, by, func(s *Spender) []*string { return []*string{&s.Who} })
		l.Overrun = &o
	}
	l.LastQmdError, l.Budget.StopText = by(l.LastQmdError), by(l.Budget.StopText)
}

func answerTexts(g *GateAnswer) []*string { return []*string{&g.Question, &g.Answer} }

// redact replaces *list with a copy where the strings returned by texts are redacted.
func redact[T any](list *[]T, by func(string) string, texts func(*T) []*string) {
	*list = slices.Clone(*list)
	for i := range *list {
		for _, text := range texts(&(*list)[i]) {
			*text = by(*text)
		}
	}
}

// commits returns the fields that do not hold a commit hash. A pattern for keys might match the
// hash, and without the hash a moved branch could not be detected.
func commits(fields ...*string) []*string {
	return slices.DeleteFunc(fields, func(sha *string) bool {
		return strings.Trim(*sha, "0123456789abcdef") == "" && len(*sha) <= 64
	})
}

// hidden replaces a secret.
const hidden = "<redacted>"

// Secrets replaces secrets in text that was not meant to be stored, such as a refused command. It
// recognizes them by their form: tokens with a known prefix, bearer tokens, the values of
// Authorization and Cookie headers, passwords in URLs and after -u USER:, and values whose names
// end in token, password, secret, api_key and the like. It keeps variable references. It may also
// replace text that is not secret.
func Secrets(text string) string {
	var b strings.Builder
	for {
		match := secrets().FindStringSubmatchIndex(text)
		if match == nil {
			return b.String() + text
		}
		group := 2
		for match[group] < 0 {
			group += 2
		}
		from, to := match[group], match[group+1]
		if group == 2 && !strings.ContainsAny(text[from:to], "0123456789") {
			to = max(from+len("sk-"), to-maxName) // the end of this word may name a secret
			b.WriteString(text[:to])
		} else {
			b.WriteString(text[:from] + hidden)
		}
		text = text[to:]
	}
}

// maxName is how much of a word is searched again for a secret's name, in bytes.
const maxName = 32

// secrets matches a secret and the text that introduces it. The secret is the only group that
// participates in the match. The first group is a secret only if it contains a digit.
var secrets = sync.OnceValue(func() *regexp.Regexp {
	const (
		name = `(?i:token|password|passwd|secret|api[-_]*key|access[-_]*key|private[-_]*key)` +
			`[-_]*`
		value    = `[^ \t\n'"\x60&;|),}]{3,}`
		header   = `(?i:[\w-]*authorization|\bcookie):[ \t\\]*`
		scheme   = `(?i:bearer|basic|token|digest|negotiate)[ \t\\]+`
		unquoted = `[^ \t\n'"\x60]`
		host     = `[^ \t\n/?#'"\x60]`
	)
	return regexp.MustCompile(strings.Join([]string{
		`(?:^|[^\w-])-*((?:sk-|eyJ)[\w-]{17,})`,
		`((?:gh[oprsu]_|github_pat_|glpat-|gloas-|gldt-|glrt-|xox[abprs]-)[\w-]{8,})`,
		`\b(A[KS]IA\w{16})\b`,
		`://(` + host + `*:` + host + `*|` + host + `{16,})@`,
		`'` + header + `([^']+)`,
		`"` + header + `([^"]+)`,
		header + `'([^']+)`,
		header + `"([^"]+)`,
		header + `((?:` + scheme + `)?` + unquoted + `+)`,
		`(?:^|[^0-9A-Za-z])(?i:bearer)[-_]*[ \t]+([^$ \t\n'"\x60]` + unquoted + `{7,})`,
		`(?:^|[^\w-])(?:-u|--user)[ \t='"]+[^: \t\n'"\x60]*:([^$ \t\n'"\x60]` + unquoted + `*)`,
		name + `[ \t'"]*[=:][ \t=:'"]*([^$=: \t\n'"\x60&;|),}]` + value + `)`,
		`--[\w-]*` + name + `[ \t'"]+([^-$=: \t\n'"\x60&;|),}]` + value + `)`,
	}, "|"))
})
