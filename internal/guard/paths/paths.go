// Package paths classifies the paths that the loop guards: its own files, loop ledgers, the
// client's transcripts, and the files that register the hooks.
package paths

import (
	"path"
	"slices"
	"strings"

	"hooks/internal/guard/effect"
	"hooks/internal/guard/shellword"
)

// Of classifies a write to a path. It returns effect.WriteState for .sdd/loop and the client's
// transcripts, effect.DropRegistration for the files that register the hooks and the program
// itself, effect.WriteLedger for a ledger in changes/NAME/loops, and "" for any other path. The
// path must be resolved. It may be a glob pattern.
func Of(full string) effect.Kind {
	parts := strings.Split(strings.ToLower(full), "/")
	for i := range parts {
		if i+1 < len(parts) && Matches(parts[i], ".sdd") && Matches(parts[i+1], "loop") {
			return effect.WriteState
		}
		if i == len(parts)-4 && Matches(parts[i], "changes") && Matches(parts[i+2], "loops") &&
			(strings.HasSuffix(parts[i+3], ".md") || strings.ContainsAny(parts[i+3], "*?[")) {
			return effect.WriteLedger
		}
	}
	low := strings.ToLower(full)
	base := path.Base(low)
	transcript := strings.HasSuffix(base, ".jsonl")
	switch {
	case strings.Contains(low, ".claude/projects/") && transcript,
		strings.HasSuffix(strings.TrimSuffix(low, "/*"), ".claude/projects"),
		shellword.HasUnknown(low) && transcript && strings.Contains(low, "/projects/"):
		return effect.WriteState
	case registered(low, base):
		return effect.DropRegistration
	}
	return ""
}

// Matches reports whether part, a path element or glob pattern, matches the name. As in a shell, a
// leading wildcard does not match a leading dot.
func Matches(part, name string) bool {
	if part == name || !strings.ContainsAny(part, `*?[\`) {
		return part == name
	}
	shown := strings.HasPrefix(strings.TrimPrefix(part, `\`), ".")
	return (shown || !strings.HasPrefix(name, ".")) && shellword.GlobMatch(part, name)
}

// Own reports whether a path is in the list or below one of its entries. An entry X.jsonl includes
// the folder X, because the client keeps the transcripts of a session's workers there.
func Own(list []string, full string) bool {
	return slices.ContainsFunc(list, func(own string) bool {
		return full == own || strings.HasPrefix(full+"/", strings.TrimSuffix(own, ".jsonl")+"/")
	})
}

// registered reports whether a file registers the hooks with the client or is the hooks program.
func registered(low, base string) bool {
	dir := path.Base(path.Dir(low))
	switch {
	case dir == ".claude" && shellword.GlobMatch("settings*.json", base),
		base == "managed-settings.json", base == ".claude.json", base == "hooks" && dir == "bin",
		shellword.HasPart("/"+low, `/managed-settings.d/ /.claude-plugin/ .claude/plugins/
.claude/hooks/`):
		return true
	}
	return base == "hooks.json" && !shellword.Has(".cursor .codex .kiro .gemini .github", dir)
}
