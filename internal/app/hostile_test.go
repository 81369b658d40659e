//go:build unix

package app

import (
	"bytes"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/tidwall/sjson"

	"hooks/scripts/driver"
)

// hostilePaths are values that an event's field may hold where a path or a name is expected. WORK
// stands for the folder above the project, in which nothing may change.
var hostilePaths = []string{
	"", ".", "..", "../outside", "../../../../../../../../etc/passwd", "/etc/passwd", "/dev/zero",
	"/dev/tty", "/proc/self/mem", "WORK/pipe",
	"WORK/outside", "WORK/outside/file.jsonl", "WORK/link", "WORK/link/x",
	"WORK/p/.sdd/loop/work.lock", "a\x00b", "WORK/outside\x00.jsonl", "a\nb",
	"WORK/p\n/x", strings.Repeat("a", 5000), strings.Repeat("../", 2000) + "tmp/x",
	strings.Repeat("d/", 300), "CON", "NUL", "COM1.json", "aux.jsonl",
	`C:\Windows\x`, `\\server\share\x`, "//server/share", "file:///etc/passwd", "~/x", "$HOME/x",
	"*", "p/.SDD/LOOP", "\xff\xfe", "work.lock",
	"\u202e\u2066", "-rf", "--help", "%s%n", "{{.}}",
}

// world is a project with an outside, in which a pipe waits for ever and a link leads away.
func world(t *testing.T) (work string) {
	t.Helper()
	driver.InMemory() // otherwise hundreds of runs are synced to the disk
	work, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	for _, dir := range []string{"p", "outside", "home"} {
		if err := os.Mkdir(filepath.Join(work, dir), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	for _, err := range []error{
		syscall.Mkfifo(filepath.Join(work, "pipe"), 0o600),
		os.Symlink("outside", filepath.Join(work, "link")),
		os.WriteFile(filepath.Join(work, "outside/file.jsonl"), []byte("{}\n"), 0o600),
		os.WriteFile(filepath.Join(work, "s1.jsonl"), nil, 0o600),
	} {
		if err != nil {
			t.Fatal(err)
		}
	}
	return work
}

// tree is every name below a folder with its mode, size and, for files, text; the state's own
// folder is left out.
func tree(t *testing.T, root string) map[string]string {
	t.Helper()
	seen := map[string]string{}
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if path == filepath.Join(root, "p/.sdd") || path == filepath.Join(root, "home/.local") {
			return filepath.SkipDir
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		text := ""
		if info.Mode().IsRegular() {
			b, _ := os.ReadFile(path)
			text = string(b)
		}
		seen[strings.TrimPrefix(path, root)] = fmt.Sprint(info.Mode(), text)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return seen
}

// send is one event in a project of this test.
func send(work, word, payload string) Answer {
	env := map[string]string{"CLAUDE_PROJECT_DIR": work + "/p", "HOME": work + "/home",
		"CLAUDE_PID": fmt.Sprint(os.Getpid())}
	a := New(func(k string) string { return env[k] })
	a.Wait = 1
	answer := a.Handle(word, strings.NewReader(payload))
	if answer.After != nil {
		_ = answer.After()
	}
	return answer
}

func payload(work, name string, pairs ...string) string {
	p := "{}"
	for _, kv := range append([]string{"hook_event_name=" + name, "session_id=s1", "prompt_id=p1",
		"cwd=" + work + "/p", "transcript_path=" + work + "/s1.jsonl"}, pairs...) {
		k, v, _ := strings.Cut(kv, "=")
		p, _ = sjson.Set(p, k, v)
	}
	return p
}

// Whatever is in a field, nothing outside of the state's folder is made, changed or removed,
// and no event waits for a pipe or a device: then the test would time out. Without HOOKS_WHOLE each
// field has every third value, beginning with another one.
func TestNoFieldLeadsOutOfTheProject(t *testing.T) {
	fields := map[string][]string{
		"UserPromptExpansion": {"session_id", "prompt_id", "transcript_path", "cwd", "command_args",
			"prompt"},
		"PreToolUse": {"session_id", "prompt_id", "transcript_path", "cwd", "agent_id",
			"tool_use_id", "tool_input.file_path", "tool_input.command"},
		"PostToolUse": {"session_id", "transcript_path", "cwd", "tool_use_id",
			"tool_response.agentId"},
		"SubagentStop": {"session_id", "agent_id", "agent_transcript_path",
			"transcript_path"},
		"Stop":       {"session_id", "prompt_id", "transcript_path", "cwd"},
		"SessionEnd": {"session_id", "transcript_path", "cwd", "reason"},
	}
	words := map[string]string{
		"UserPromptExpansion": "user-prompt-expansion", "PreToolUse": "pre-tool-use",
		"PostToolUse": "post-tool-use", "SubagentStop": "subagent-stop",
		"Stop": "stop", "SessionEnd": "session-end",
	}
	base := map[string][]string{
		"UserPromptExpansion": {"command_name=sdd:work", "command_args=--loop",
			"prompt=/sdd:work --loop"},
		"PreToolUse":   {"tool_name=Write", "tool_use_id=t"},
		"PostToolUse":  {"tool_name=Agent", "tool_use_id=t", "tool_response.status=async_launched"},
		"SubagentStop": {"agent_id=a", "agent_type=x"}, "SessionEnd": {"reason=other"},
	}
	work := world(t)
	before := tree(t, work)
	for name, list := range fields {
		for nth, field := range list {
			for i, value := range hostilePaths {
				if (nth+i)%3 != 0 && os.Getenv("HOOKS_WHOLE") == "" {
					continue
				}
				value = strings.ReplaceAll(value, "WORK", work)
				if closes := name == "Stop" || name == "SessionEnd" ||
					field == "command_args"; closes || i < 3 {
					_, _ = os.RemoveAll(work+"/p/.sdd"), os.RemoveAll(work+"/home/.local")
				}
				send(work, "user-prompt-expansion",
					payload(work, "UserPromptExpansion", base["UserPromptExpansion"]...))
				p, err := sjson.Set(payload(work, name, base[name]...), field, value)
				if err != nil {
					t.Fatal(err)
				}
				reply := send(work, words[name], p)
				if raw := reply.Reply.Encode(name); bytes.Contains(raw, []byte("internal error")) {
					t.Errorf("%s %s=%.80q: %s", name, field, value, raw)
				}
				if diff := cmp.Diff(before, tree(t, work)); diff != "" {
					t.Fatalf("%s %s=%.80q changed something outside of the state (-before "+
						"+after):\n%s", name, field, value, diff)
				}
			}
		}
	}
}

// --budget-file is a person's to point elsewhere, but never at what is not a budget of its own.
func TestBudgetFileReplacesNothing(t *testing.T) {
	for _, value := range hostilePaths {
		work := world(t)
		before := tree(t, work)
		value = strings.ReplaceAll(value, "WORK", work)
		send(work, "user-prompt-expansion",
			payload(work, "UserPromptExpansion", "command_name=sdd:work",
				"command_args=--loop --budget-file="+value))
		after := tree(t, work)
		for path, was := range before {
			if after[path] != was {
				t.Errorf("--budget-file=%.80q: %s was %q, is %q", value, path, was, after[path])
			}
		}
		for path := range after {
			if _, old := before[path]; !old && !strings.HasPrefix(path, "/p") &&
				path != "/outside/x" {
				t.Errorf("--budget-file=%.80q made %s", value, path)
			}
		}
	}
}
