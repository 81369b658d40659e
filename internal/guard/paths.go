package guard

import (
	"path"
	"strings"
)

const (
	ordinary     guardedKind = iota
	stateKind                // under .sdd/loop, or a transcript of the client
	registration             // settings and plugin files that register the hooks
)

// place kinds of a path: what writing there would be.
type guardedKind int

// kindOfPath judges a resolved path; pat is the same path with its unquoted pattern characters alive, or "".
func kindOfPath(full, pat string) guardedKind {
	if pat == "" {
		pat = full
	}
	parts := strings.Split(strings.ToLower(pat), "/")
	for i := range parts {
		if i+1 < len(parts) && partMatches(parts[i], ".sdd") && partMatches(parts[i+1], "loop") {
			return stateKind
		}
	}
	low := strings.ToLower(full)
	base := path.Base(low)
	switch {
	case strings.Contains(low, ".claude/projects/") && strings.HasSuffix(base, ".jsonl"), strings.HasSuffix(low, ".claude/projects") || strings.HasSuffix(low, ".claude/projects/*"):
		return stateKind
	case unknown(low) && (stateFile(base) || strings.Contains(low, "/projects/") && strings.HasSuffix(base, ".jsonl")):
		return stateKind
	case registered(low, base):
		return registration
	}
	return ordinary
}

// partMatches tells whether one part of a path, perhaps a pattern, stands for the name. A leading dot must be written.
func partMatches(part, name string) bool {
	if part == name {
		return true
	}
	if part == "" || !strings.ContainsAny(part, `*?[\`) || name[0] == '.' && part[0] != '.' && !strings.HasPrefix(part, `\.`) {
		return false
	}
	return globMatch(part, name)
}

func stateFile(base string) bool {
	for _, skill := range []string{"work", "review"} {
		if rest, ok := strings.CutPrefix(base, skill); ok && has(".lock .budget.json .history.jsonl .tick.json .claim.json", rest) {
			return true
		}
	}
	return false
}

// registered tells the files that register the hooks with the client.
func registered(low, base string) bool {
	dir := path.Base(path.Dir(low))
	switch {
	case dir == ".claude" && (base == "settings.json" || base == "settings.local.json" || globMatch("settings*.json", base)):
		return true
	case base == "managed-settings.json", strings.Contains(low, "/.claude-plugin/"), strings.HasPrefix(low, ".claude-plugin/"):
		return true
	case strings.Contains(low, ".claude/plugins/"):
		return true
	case base == "hooks.json":
		return !has(".cursor .codex .kiro .gemini .github", dir)
	case base == "hooks" && dir == "bin":
		return true
	}
	return false
}
