package guard

import (
	"hooks/internal/guard/effect"
	"hooks/internal/guard/paths"
	"hooks/internal/guard/plain"
	"testing"
)

func TestStateTable(t *testing.T) {
	files := loadProject(t)
	for _, c := range loadTable(t, "state.txt") {
		if r := Read(c.call, c.repo.Known(), files.ReadFile); !c.agrees(r) {
			t.Errorf("state.txt:%d: %s\n  want %s, got %s", c.line, c.text, c.kind, describe(r))
		}
	}
}

func TestReadOnlyTable(t *testing.T) {
	for _, c := range loadTable(t, "readonly.txt") {
		if got := ReadOnly(c.call); got != (c.kind == "yes") {
			t.Errorf("readonly.txt:%d: %s: got %v", c.line, c.text, got)
		}
	}
}

// statePath reports whether a path, as written from the directory cwd, is under .sdd/loop or is one
// of the client's transcripts. ~, .., globs and backslashes are understood.
func statePath(p, cwd string) bool {
	f := plain.Frame{Cwd: cwd}
	return paths.Of(f.Resolve(p)) == effect.WriteState
}

func TestStatePath(t *testing.T) {
	for _, c := range []struct {
		path, cwd string
		want      bool
	}{
		{".sdd/loop/work.lock", "/p", true},
		{"./.sdd/loop", "/p", true},
		{"/p/.sdd/loop/archive/x", "/elsewhere", true},
		{"../.sdd/loop/x", "/p/sub", true},
		{"x", "/p/.sdd/loop", true},
		{`.sdd\loop\x`, "/p", true},
		{".sdd/l*/x", "/p", true},
		{".SDD/Loop/x", "/p", true},
		{"~/.claude/projects/-p/a.jsonl", "/p", true},
		{"/home/d/.claude/projects/-p/a/subagents/agent-1.jsonl", "/p", true},
		{".sdd", "/p", false},
		{".sdd/worktrees/x", "/p", false},
		{".sdd/looped/x", "/p", false},
		{"sdd/loop/x", "/p", false},
		{".sdd/loop/../x", "/p", false},
		{"~/.claude/projects/-p/memory/MEMORY.md", "/p", false},
		{"*/loop/x", "/p", false},
		{"", "/p", false},
	} {
		if got := statePath(c.path, c.cwd); got != c.want {
			t.Errorf("statePath(%q, %q) = %v, want %v", c.path, c.cwd, got, c.want)
		}
	}
}
