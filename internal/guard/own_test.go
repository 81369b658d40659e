package guard

import (
	"hooks/internal/guard/effect"
	"slices"
	"testing"
)

// linkedPath resolves the links of a checked-out repository that lead to the loop's files.
func linkedPath(path string) string {
	to := map[string]string{project + "/docs/state.json": project + "/.sdd/loop/work.budget.json",
		project + "/cfg.json": "/home/dev/.claude/settings.json"}
	if real, ok := to[path]; ok {
		return real
	}
	return path
}

// A program that is given a path of this program's own passes only if it is known to read.
func TestOwnFoldersAreOnlyRead(t *testing.T) {
	own := []string{
		"/opt/plug", "~/.local/state/hooks", "/home/dev/.local/state/hooks", "/usr/local/bin/hooks",
	}
	for command, passes := range map[string]bool{
		"cat /opt/plug/hooks.json":                                true,
		"ls -la /opt/plug ~/.local/state/hooks":                   true,
		"stat /usr/local/bin/hooks":                               true,
		"sha256sum /opt/plug/bin/hooks":                           true,
		"grep -rn timeout /opt/plug":                              true,
		"head -5 $HOME/.local/state/hooks/on/s1":                  true,
		"diff /opt/plug/hooks.json hooks.json":                    true,
		"git -C /opt/plug log -1":                                 true,
		"git -C /opt/plug status":                                 true,
		"sudo cat /opt/plug/x":                                    true,
		"timeout 5 cat /opt/plug/x":                               true,
		"/opt/plug/bin/hooks status":                              true,
		"cd /opt/plug && ls":                                      true,
		"test -x /opt/plug/bin/hooks && echo yes":                 true,
		"find /opt/plug -name '*.json'":                           true,
		"jq .hooks /opt/plug/hooks.json":                          true,
		"cp a b":                                                  true,
		"python3 build.py --out /opt/plugin/x":                    true,
		"cp tool /usr/local/bin/tool":                             true,
		"git commit -m 'write /opt/plug down'":                    true,
		"cp /bin/true /opt/plug/bin/hooks":                        false,
		"mv /opt/plug /opt/gone":                                  false,
		"chmod -x /usr/local/bin/hooks":                           false,
		"chmod 000 /opt/plug/bin":                                 false,
		"truncate -s 0 ~/.local/state/hooks/on/s1":                false,
		"ln -sf /bin/true /usr/local/bin/hooks":                   false,
		"rm -rf $HOME/.local/state/hooks":                         false,
		"rm -rf /home/dev/.local":                                 false,
		"dd if=/dev/zero of=/opt/plug/bin/hooks":                  false,
		"install -m 755 x /opt/plug/bin/hooks":                    false,
		"rsync -a out/ /opt/plug/":                                false,
		"patch /opt/plug/hooks.json < x.diff":                     false,
		"echo x > /opt/plug/y":                                    false,
		`python3 -c "print(open('/opt/plug/hooks.json').read())"`: true,
		"git add .claude && git diff .claude/settings.json":       true,
		"prettier --check .claude/settings.json":                  true,
		"ls src/* | xargs unheard-of":                             true,
		"claude config set env.PATH /tmp":                         false,
		"claude config set model opus":                            true,
	} {
		call := effect.Call{Tool: "Bash", Command: command, Cwd: project, Own: own}
		r := Read(call, effect.Repo{}.Known(), nil)
		if got := len(r.Tampers()) == 0; got != passes {
			t.Errorf("%s: passes %v: %s", command, got, describe(r))
		}
	}
}

func TestWritesThroughLinksAndToOwnPaths(t *testing.T) {
	own := []string{"/var/claude/s1.jsonl", "/opt/tools/hooks-1.2"}
	for _, c := range []struct {
		command string
		want    effect.Kind
	}{
		{"echo {} > docs/state.json", effect.WriteState},
		{"cd docs && tee state.json < x", effect.WriteState},
		{"cp x cfg.json", effect.DropRegistration},
		{"echo {} > docs/other.json", ""},
		{"echo '{}' >> /var/claude/s1.jsonl", effect.WriteState},
		{"echo '{}' >> /var/claude/s1/subagents/agent-1.jsonl", effect.WriteState},
		{"rm -rf /var/claude", effect.WriteState},
		{"cp /bin/true /opt/tools/hooks-1.2", effect.WriteState},
		{"echo '{}' >> /var/claude/s2.jsonl", ""},
		{"cat /var/claude/s1.jsonl > /tmp/x", ""},
		{"sed -i s/1/0/ CLAUDE.md", ""},
	} {
		call := effect.Call{Tool: "Bash", Command: c.command, Cwd: project, Own: own}
		call.RealPath = linkedPath
		r := Read(call, effect.Repo{}.Known(), nil)
		if got := slices.ContainsFunc(r.Acts, func(a effect.Act) bool {
			return a.Kind == c.want
		}); got != (c.want != "") || c.want == "" && len(r.Acts) > 0 {
			t.Errorf("%s: want %q, got %s", c.command, c.want, describe(r))
		}
	}
	edit := effect.Call{Tool: "Write", Cwd: project,
		Fields: []effect.Field{{Path: "file_path", Value: project + "/docs/state.json"},
			{Path: "content", Value: "{}"}}}
	edit.RealPath = linkedPath
	if r := Read(edit, effect.Repo{}.Known(), nil); len(r.Tampers()) != 1 {
		t.Errorf("Write through a link: %s", describe(r))
	}
}

// What is harmless stays so when the session's own paths are known, as they are for every call of
// the client.
func TestHarmlessBesideOwnPaths(t *testing.T) {
	files := loadProject(t)
	own := []string{
		"/home/dev/.claude/projects/-home-dev-app/s1.jsonl",
		"/home/dev/.claude/plugins/cache/m/hooks/0.1.0", "~/.claude/plugins/cache/m/hooks/0.1.0",
		"/home/dev/.local/state/hooks", "~/.local/state/hooks", "/usr/local/bin/hooks",
	}
	for _, c := range loadTable(t, "harmless.txt") {
		c.call.Own = own
		if r := Read(c.call, c.repo.Known(), files.ReadFile); len(r.Tampers()) > 0 {
			t.Errorf("harmless.txt:%d: %s\n  got %s", c.line, c.text, describe(r))
		}
	}
}
