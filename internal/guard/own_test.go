package guard

import (
	"hooks/internal/guard/act"
	"slices"
	"testing"
)

// linkedProject is a checked-out repository with symbolic links that lead to the loop's files.
type linkedProject struct{ projectFiles }

func (linkedProject) RealPath(path string) string {
	to := map[string]string{project + "/docs/state.json": project + "/.sdd/loop/work.budget.json", project + "/cfg.json": "/home/dev/.claude/settings.json"}
	if real, ok := to[path]; ok {
		return real
	}
	return path
}

func TestWritesThroughLinksAndToOwnPaths(t *testing.T) {
	own := []string{"/var/claude/s1.jsonl", "/opt/tools/hooks-1.2"}
	for _, c := range []struct {
		command string
		want    Kind
	}{
		{"echo {} > docs/state.json", act.WriteState},
		{"cd docs && tee state.json < x", act.WriteState},
		{"cp x cfg.json", act.DropRegistration},
		{"echo {} > docs/other.json", ""},
		{"echo '{}' >> /var/claude/s1.jsonl", act.WriteState},
		{"echo '{}' >> /var/claude/s1/subagents/agent-1.jsonl", act.WriteState},
		{"rm -rf /var/claude", act.WriteState},
		{"cp /bin/true /opt/tools/hooks-1.2", act.WriteState},
		{"echo '{}' >> /var/claude/s2.jsonl", ""},
		{"cat /var/claude/s1.jsonl > /tmp/x", ""},
		{"sed -i s/1/0/ CLAUDE.md", WriteConfig},
		{"echo x >> sub/AGENTS.md", WriteConfig},
		{"cat CLAUDE.md", ""},
	} {
		r := Read(Call{Tool: "Bash", Command: c.command, Cwd: project, Own: own}, Repo{}, linkedProject{})
		if got := slices.ContainsFunc(r.Acts, func(a Act) bool { return a.Kind == c.want }); got != (c.want != "") || c.want == "" && len(r.Acts) > 0 {
			t.Errorf("%s: want %q, got %s", c.command, c.want, describe(r))
		}
	}
	edit := Call{Tool: "Write", Cwd: project, Fields: []Field{{Path: "file_path", Value: project + "/docs/state.json"}, {Path: "content", Value: "{}"}}}
	if r := Read(edit, Repo{}, linkedProject{}); len(r.Tampers()) != 1 {
		t.Errorf("Write through a link: %s", describe(r))
	}
}
