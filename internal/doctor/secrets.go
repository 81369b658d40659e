package doctor

import (
	"fmt"
	"path/filepath"
	"regexp"
	"strings"

	"hooks/internal/regular"
	"hooks/internal/store"
)

func redaction(m *machine, n *notes) {
	for _, w := range m.config.Warnings {
		if strings.Contains(w.Text, "redaction") {
			n.fail("correct the pattern: until then what it should hide is written", "%s", w)
		}
	}
	for _, p := range m.config.Patterns {
		if _, err := regexp.Compile(p.Pattern); err != nil {
			n.fail("correct the pattern: until then what it should hide is written", "line %d of the Loop Logging block: %v", p.Line, err)
		}
	}
	if line := plain(); !anyWord(line, m.config.Redact(line)) {
		n.warn("narrow the pattern to what is secret",
			"the patterns leave nothing of %q but %q: nobody can read the history",
			line, m.config.Redact(line))
	}
	n.say("%s", count(len(m.config.Patterns), "pattern"))
}

// plain is text without a secret, as it stands in a history.
func plain() string {
	return "tests failing in module parser: Merge now or hold for human review?"
}

// anyWord reports whether a word of a text is in another one.
func anyWord(text, other string) bool {
	for word := range strings.FieldsSeq(text) {
		if len(word) > 3 && strings.Contains(other, word) {
			return true
		}
	}
	return false
}

// shapes are tokens that are known by their form.
var shapes = [...]struct{ name, pattern string }{
	{"a GitHub token", `\b(gh[pousr]_[A-Za-z0-9]{36,}|github_pat_[A-Za-z0-9_]{50,})`},
	{"a GitLab token", `\bglpat-[A-Za-z0-9_-]{20,}`},
	{"an API key", `\bsk-[A-Za-z0-9_-]{24,}`},
	{"an AWS key id", `\b(AKIA|ASIA)[0-9A-Z]{16}\b`},
	{"a Slack token", `\bxox[abprs]-[A-Za-z0-9-]{10,}`},
	{"a Google API key", `\bAIza[0-9A-Za-z_-]{35}`},
	{"a JSON web token", `\beyJ[A-Za-z0-9_-]{10,}\.eyJ[A-Za-z0-9_-]{10,}\.[A-Za-z0-9_-]{10,}`},
	{"a private key", `-----BEGIN [A-Z ]*PRIVATE KEY-----`},
	{"a password in a URL", `\b[a-z]+://[^/\s:@"]+:[^/\s:@"]{4,}@`},
}

// secretsInHistory names where a secret stands unredacted, never the secret itself.
func secretsInHistory(m *machine, n *notes) {
	paths, _ := filepath.Glob(filepath.Join(m.project, filepath.FromSlash(store.Dir), "*.history.jsonl*"))
	old, _ := filepath.Glob(filepath.Join(m.project, filepath.FromSlash(store.Dir), "archive", "*", "*.history.jsonl*"))
	paths = append(paths, old...)
	if len(paths) == 0 {
		n.skip("no history yet")
		return
	}
	patterns := make([]*regexp.Regexp, len(shapes))
	for i, s := range shapes {
		patterns[i] = regexp.MustCompile(s.pattern)
	}
	for _, path := range paths {
		m.secretsOf(n, path, patterns)
	}
	n.say("%s read", count(len(paths), "file"))
}

func (m *machine) secretsOf(n *notes, path string, patterns []*regexp.Regexp) {
	f, _, err := regular.Open(path)
	if err != nil {
		return // state-files says so
	}
	defer f.Close()
	number := 0
	for line := range bounded(f, mostTranscript) {
		number++
		for i, re := range patterns {
			if found := re.Find(line); found != nil {
				n.fail(fmt.Sprintf("withdraw it where it is valid, take it out of the file, and add a pattern for it to ### Loop Logging, as in %s", shapes[i].pattern),
					"%s:%d holds %s of %d characters", m.shown(path), number, shapes[i].name, len(found))
			}
		}
	}
}
