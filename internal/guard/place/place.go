// Package place tells which paths the loop guards: its own files, the client's transcripts, the hooks' registration.
package place

import (
	"path"
	"slices"
	"strings"

	"hooks/internal/guard/word"
)

// Kind says what writing to a path would be.
type Kind int

// The kinds of a path.
const (
	Ordinary     Kind = iota
	State             // under .sdd/loop, or a transcript of the client
	Registration      // settings and plugin files that register the hooks
)

// Of judges a resolved path; pat is the same path with its unquoted pattern characters alive, or "".
func Of(full, pat string) Kind {
	if pat == "" {
		pat = full
	}
	parts := strings.Split(strings.ToLower(pat), "/")
	for i := range parts {
		if i+1 < len(parts) && Matches(parts[i], ".sdd") && Matches(parts[i+1], "loop") {
			return State
		}
	}
	low := strings.ToLower(full)
	base := path.Base(low)
	switch {
	case strings.Contains(low, ".claude/projects/") && strings.HasSuffix(base, ".jsonl"), strings.HasSuffix(low, ".claude/projects") || strings.HasSuffix(low, ".claude/projects/*"):
		return State
	case word.Unknown(low) && (stateFile(base) || strings.Contains(low, "/projects/") && strings.HasSuffix(base, ".jsonl")):
		return State
	case registered(low, base):
		return Registration
	}
	return Ordinary
}

// Matches reports whether one part of a path, perhaps a pattern, stands for the name. A leading dot
// must be written.
func Matches(part, name string) bool {
	if part == name {
		return true
	}
	if part == "" || !strings.ContainsAny(part, `*?[\`) || name[0] == '.' && part[0] != '.' && !strings.HasPrefix(part, `\.`) {
		return false
	}
	return word.GlobMatch(part, name)
}

func stateFile(base string) bool {
	for _, skill := range []string{"work", "review"} {
		if rest, ok := strings.CutPrefix(base, skill); ok && word.Has(".lock .budget.json .history.jsonl .tick.json .claim.json", rest) {
			return true
		}
	}
	return false
}

// Own reports whether a path is one of the loop's own, or below one: a transcript has its workers'
// in a folder that is named after it.
func Own(list []string, full string) bool {
	return slices.ContainsFunc(list, func(own string) bool {
		return full == own || strings.HasPrefix(full, strings.TrimSuffix(own, ".jsonl")+"/")
	})
}

// Registers tells the folders that hold the client's settings or its plugins.
func Registers(dir string) bool {
	return path.Base(dir) == ".claude" || strings.HasSuffix(dir, ".claude/plugins")
}

// registered tells the files that register the hooks with the client.
func registered(low, base string) bool {
	dir := path.Base(path.Dir(low))
	switch {
	case dir == ".claude" && (base == "settings.json" || base == "settings.local.json" || word.GlobMatch("settings*.json", base)):
		return true
	case base == "managed-settings.json", base == ".claude.json",
		strings.Contains(low, "/managed-settings.d/"),
		strings.Contains("/"+low, "/.claude-plugin/"):
		return true
	case strings.Contains(low, ".claude/plugins/"), strings.Contains(low, ".claude/hooks/"):
		return true
	case base == "hooks.json":
		return !word.Has(".cursor .codex .kiro .gemini .github", dir)
	case base == "hooks" && dir == "bin":
		return true
	}
	return false
}
