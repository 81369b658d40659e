//go:build e2e && linux

package e2e

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"
)

// hookRecord is the client's record of a hook's output.
type hookRecord struct {
	Type    string
	Content json.RawMessage
}

// records are what hooks left in the transcripts of this home.
func (w *World) records() (list []hookRecord) {
	w.t.Helper()
	files, err := filepath.Glob(filepath.Join(w.Home, ".claude", "projects", "*", "*.jsonl"))
	if err != nil || len(files) == 0 {
		w.t.Fatalf("no transcripts: %v", err)
	}
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			w.t.Fatal(err)
		}
		for _, line := range strings.Split(string(data), "\n") {
			var record struct{ Attachment hookRecord }
			_ = json.Unmarshal([]byte(line), &record) // the last line may be torn by the kill
			if strings.HasPrefix(record.Attachment.Type, "hook_") {
				list = append(list, record.Attachment)
			}
		}
	}
	return list
}

// hookRecords are the kinds of those records. Silent hooks leave none.
func (w *World) hookRecords() (kinds []string) {
	w.t.Helper()
	for _, r := range w.records() {
		kinds = append(kinds, r.Type)
	}
	return kinds
}

// toldPerson is the first line of each text that hooks showed to the person, in order.
func (w *World) toldPerson() (lines []string) {
	w.t.Helper()
	for _, r := range w.records() {
		var text string
		if r.Type == "hook_system_message" && json.Unmarshal(r.Content, &text) == nil {
			first, _, _ := strings.Cut(text, "\n")
			lines = append(lines, first)
		}
	}
	return lines
}

// iterationsBegun counts the times a skill's text reached the model.
func (w *World) iterationsBegun() int {
	seen := map[string]bool{}
	for _, r := range w.Model.Requests() {
		for i, m := range r.Messages {
			if m.Role == "user" && skillPattern.MatchString(m.Text()) {
				seen[r.Session+" "+strconv.Itoa(i)] = true
			}
		}
	}
	return len(seen)
}

// waitResult waits until the model got the result of a tool, with the text in it and no error.
func (w *World) waitResult(t *testing.T, tool, text string) {
	t.Helper()
	found := func() bool {
		for _, r := range w.Model.Requests() {
			if b, ok := r.Result(tool); ok && !b.IsError && strings.Contains(b.Text, text) {
				return true
			}
		}
		return false
	}
	if !patiently(20*time.Second, found) {
		t.Errorf("the model never got a good result of %s with %q", tool, text)
	}
}

// refusals counts the tool calls that a hook refused, by the model's last request.
func (w *World) refusals() (n int) {
	requests := w.Model.Requests()
	for _, m := range requests[len(requests)-1].Messages {
		for _, b := range m.Blocks {
			if b.Type == "tool_result" && b.IsError && strings.Contains(b.Text, "hook error") {
				n++
			}
		}
	}
	return n
}

func (w *World) stat(name string) (os.FileInfo, error) {
	return os.Stat(filepath.Join(w.Project, name))
}

// Merges are the merges that reached the forge, as they were called.
func (w *World) Merges() (calls []string) {
	data, _ := os.ReadFile(w.ghLog())
	for _, l := range strings.Split(string(data), "\n") {
		if strings.HasPrefix(l, "pr merge") {
			calls = append(calls, l)
		}
	}
	return calls
}
