package child

import (
	"strings"
	"unicode/utf8"

	"hooks/internal/term"
)

// maxLine bounds a line, in characters.
const maxLine = 200

// Line is the first line of a text that is not empty, without control characters and secrets.
func Line(text string) string {
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(term.Line(line))
		if line != "" {
			return cut(redact(line))
		}
	}
	return ""
}

func cut(line string) string {
	if runes := []rune(line); len(runes) > maxLine {
		return string(runes[:maxLine-1]) + "…"
	}
	return line
}

// redact takes users and passwords out of the URLs in a line, and the tokens of the forges: errors
// end up in notes that are kept.
func redact(line string) string {
	parts := strings.Split(line, "://")
	for i, rest := range parts[1:] {
		host := rest
		if end := strings.IndexAny(rest, "/ '\""); end >= 0 {
			host = rest[:end]
		}
		parts[i+1] = rest[strings.LastIndexByte(host, '@')+1:]
	}
	return hideTokens(strings.Join(parts, "://"))
}

// hideTokens replaces every run of token characters that looks like a secret.
func hideTokens(line string) string {
	var b strings.Builder
	for line != "" {
		n := strings.IndexFunc(line, func(r rune) bool { return !tokenRune(r) })
		if n < 0 {
			n = len(line)
		}
		if n == 0 {
			_, n = utf8.DecodeRuneInString(line)
			b.WriteString(line[:n])
		} else if run := line[:n]; secret(run, b.String()) {
			b.WriteString("<redacted>")
		} else {
			b.WriteString(run)
		}
		line = line[n:]
	}
	return b.String()
}

func tokenRune(r rune) bool {
	return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' ||
		r == '_' || r == '-'
}

// secret reports whether run looks like a secret: it has a prefix of the forges' tokens, or it is
// long and has the digits of a random one. A commit's name looks the same, so a run of 40 counts
// only if the word before it calls it a token.
func secret(run, before string) bool {
	for _, prefix := range []string{
		"ghp_", "gho_", "ghu_", "ghs_", "ghr_", "github_pat_", "glpat-", "gloas-", "gldt-", "glrt-",
	} {
		if strings.HasPrefix(run, prefix) && len(run) > len(prefix)+5 {
			return true
		}
	}
	before = strings.TrimRight(strings.ToLower(before), " =:\"'")
	for _, word := range []string{"token", "bearer", "key"} {
		if strings.HasSuffix(before, word) {
			return len(run) >= 16
		}
	}
	digits := 0
	for _, r := range run {
		if r >= '0' && r <= '9' {
			digits++
		}
	}
	return len(run) >= 32 && len(run) != 40 && digits >= 4
}
