package event

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/tidwall/gjson"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// golden compares got with a file under testdata/golden, or writes the file with -update.
func golden(t *testing.T, name, got string) {
	t.Helper()
	path := filepath.Join("testdata", "golden", name)
	if *update {
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), got); diff != "" {
		t.Errorf("%s (-want +got, rewrite with -update):\n%s", path, diff)
	}
}

func payloads(t *testing.T) []string {
	t.Helper()
	files, err := filepath.Glob("testdata/payloads/*.json")
	if err != nil || len(files) < 29 {
		t.Fatalf("%d recorded payloads, want at least 29 (%v)", len(files), err)
	}
	return files
}

func wordOf(name string) string {
	for _, w := range Words {
		if w.Name == name {
			return w.Word
		}
	}
	return ""
}

// Every recorded payload decodes under the word of its event, is refused under every other, and
// never otherwise.
func TestRecordedPayloads(t *testing.T) {
	seen := map[string]bool{}
	for _, file := range payloads(t) {
		raw, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		name := gjson.GetBytes(raw, "hook_event_name").String()
		for _, w := range Words {
			e, err := Read(w.Word, strings.NewReader(string(raw)))
			if (err == nil) != (w.Name == name) {
				t.Errorf("%s read as %s: error %v", file, w.Word, err)
			}
			if err == nil {
				seen[name] = true
				golden(t, strings.TrimSuffix(filepath.Base(file), ".json")+".txt", dump(e))
			}
		}
		if wordOf(name) == "" && name != "Notification" && name != "SubagentStart" {
			t.Errorf("%s: no word for %s", file, name)
		}
	}
	if len(seen) < 8 {
		t.Errorf("only %d events seen", len(seen))
	}
}

// dump writes an event as people read it, one field a line, fields without a value left out.
func dump(e Event) string {
	var b strings.Builder
	line := func(name string, v any) {
		if s := fmt.Sprintf("%q", fmt.Sprint(v)); s != `""` && s != `"false"` && s != `"[]"` {
			fmt.Fprintf(&b, "%s: %s\n", name, s)
		}
	}
	dumpScalars(e, line)
	for _, x := range e.Background {
		line("Background", fmt.Sprintf("%+v", x))
	}
	for _, x := range e.Crons {
		line("Crons", fmt.Sprintf("%+v", x))
	}
	name, args := e.Skill()
	line("Skill", name)
	line("Skill args", args)
	command, shell := e.ShellCommand()
	line("ShellCommand", command)
	line("is a shell command", shell)
	line("forged", e.Forged())
	if a := e.Answers(); a.List != nil || a.AFK {
		line("Answers", fmt.Sprintf("%+v", a.List))
		line("AFK", a.AFK)
	}
	fields, whole := e.Fields()
	for _, f := range fields {
		line("  "+f.Path, f.Value)
	}
	line("not whole", !whole)
	return b.String()
}

func dumpScalars(e Event, line func(string, any)) {
	line("Name", e.Name)
	line("SessionID", e.SessionID)
	line("Transcript", e.Transcript)
	line("Cwd", e.Cwd)
	line("PromptID", e.PromptID)
	line("PermissionMode", e.PermissionMode)
	line("AgentID", e.AgentID)
	line("AgentType", e.AgentType)
	line("Tool", e.Tool)
	line("ToolUseID", e.ToolUseID)
	line("Response", strings.Join(strings.Fields(e.Response.Raw), " "))
	line("Error", e.Error)
	line("Prompt", e.Prompt)
	line("Source", e.Source)
	line("Command", e.Command)
	line("Args", e.Args)
	line("StopFirst", e.StopActive != nil && !*e.StopActive)
	line("LastMessage", e.LastMessage)
	line("AgentTranscript", e.AgentTranscript)
	line("Reason", e.Reason)
	line("Failure", e.Failure)
}
