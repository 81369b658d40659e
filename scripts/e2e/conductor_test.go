//go:build e2e && linux

package e2e

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// Conductor is the scripted model of a task loop: its main thread makes the calls that it is
// ordered to make, and its workers do their tasks. It is read-only once it runs.
type Conductor struct {
	// Work is the answer of a worker of task n; nil does the task at once. Held is how often it was
	// held before.
	Work func(n int, w Work) Turn
	// Phase is the answer of the worker of a phase of an audit loop.
	Phase func(p Phase) Turn
	// Waits delays the main thread's answer after its call, nil for not at all.
	Waits chan struct{}
}

// Work is how far a worker is.
type Work struct {
	Token string
	Held  int // how often its claim was refused
	Done  int // tool calls since it last spoke
	Try   int
}

// claim ends the attempt. The canary is in no prompt.
func (w Work) claim(n int) Turn { return Turn{Text: canary(n) + "\n\nTASK_COMPLETE " + w.Token} }

// canary is what the worker of task n says, and no one else.
func canary(n int) string { return fmt.Sprintf("The canary of task %d sings.", n) }

// commits makes one commit with a file of the task's own and then claims it.
func commits(n int, w Work) Turn {
	if w.Done == 0 {
		return Turn{Calls: []Call{commit(fmt.Sprintf("touch task-%d-%d", n, w.Try))}}
	}
	return w.claim(n)
}

func commit(command string) Call {
	return bash(command + " && git add -A && git -c user.name=w -c user.email=w@example.com " +
		"commit --quiet -m work")
}

var (
	taskPattern  = regexp.MustCompile(`\bTask (\d+) of \d+: `)
	tokenPattern = regexp.MustCompile(`TASK_COMPLETE (\d+\.(\d+)-[0-9a-f]{8})`)
	orderPattern = regexp.MustCompile(`Make exactly one Agent call now: subagent_type "([^"]+)", ` +
		`description "([^"]+)", prompt "go"`)
)

// task is the task whose worker sent the request; 0 for the main thread. The PR's is one more than
// the list has.
func (r Request) task() (n int, token string) {
	if r.main() {
		return 0, ""
	}
	first := r.first()
	if m := taskPattern.FindStringSubmatch(first); m != nil {
		n, _ = strconv.Atoi(m[1])
	}
	if m := tokenPattern.FindStringSubmatch(first); m != nil {
		token = m[1]
		if n == 0 {
			n, _ = strconv.Atoi(token[:strings.Index(token, ".")])
		}
	}
	return n, token
}

// first is all that a conversation began with.
func (r Request) first() string {
	var parts []string
	for _, m := range r.Messages {
		if m.Role == "assistant" {
			break
		}
		parts = append(parts, m.Text())
	}
	return strings.Join(parts, "\n")
}

// main reports whether the main thread sent the request.
func (r Request) main() bool {
	return strings.Contains(r.All(), "Conduct the task loop") ||
		strings.Contains(r.All(), "Conduct the audit loop")
}

// Say is the script.
func (c Conductor) Say(r Request) Turn {
	prompt, done := r.Prompt(), len(r.Calls())
	if p, ok := r.phase(); ok && c.Phase != nil {
		return c.Phase(p)
	}
	if n, token := r.task(); n > 0 {
		w := Work{Token: token, Done: done}
		w.Try, _ = strconv.Atoi(tokenPattern.FindStringSubmatch(r.first())[2])
		for _, m := range r.Messages {
			if m.Role == "user" && strings.Contains(m.Text(), "is not done: ") {
				w.Held++
			}
		}
		if c.Work != nil {
			return c.Work(n, w)
		}
		return commits(n, w)
	}
	order := r.order()
	switch m := orderPattern.FindStringSubmatch(order); {
	case strings.Contains(prompt, "Call AskUserQuestion") && done < 2:
		return Turn{Calls: askInOwnWords()[done : done+1]}
	case m != nil && !called(r, "Agent"):
		return Turn{Calls: []Call{{"Agent", map[string]any{"subagent_type": m[1],
			"description": m[2], "prompt": "go"}}}}
	}
	return Turn{Text: "one task less", Hold: c.Waits}
}

// order is all that the main thread was told since it last spoke to a person.
func (r Request) order() string {
	from, _ := r.lastPrompt()
	var parts []string
	for _, m := range r.Messages[from:] {
		parts = append(parts, m.Text())
	}
	return strings.Join(parts, "\n")
}

func called(r Request, tool string) bool {
	for _, name := range r.Calls() {
		if name == tool {
			return true
		}
	}
	return false
}

// taskWorld is a world with a spec of n tasks and the plugin's own skills and worker.
func taskWorld(t *testing.T, n int, c Conductor) *World {
	t.Helper()
	w := newWorld(t, c.Say)
	for _, name := range []string{"skills/go/SKILL.md", "skills/start/SKILL.md",
		"agents/worker.md"} {
		w.copy(filepath.Join(repository(), name), filepath.Join(w.Plugins[0], name), 0o644)
	}
	var list strings.Builder
	for i := range n {
		fmt.Fprintf(&list, "- [ ] Write part %d\n", i+1)
	}
	w.write(filepath.Join(w.Project, "docs", "spec.md"), "# Parts\n\nIt has parts.\n\n## Tasks\n\n"+
		list.String(), 0o644)
	w.git(w.Project, "add", ".")
	w.git(w.Project, "commit", "--quiet", "-m", "spec")
	return w
}

// noRemote takes the remote away, so that no PR follows the last task.
func (w *World) noRemote() { w.git(w.Project, "remote", "remove", "origin") }

// approve answers gates in a terminal.
func (w *World) approve(gates ...string) {
	w.t.Helper()
	for _, g := range gates {
		w.hooks("gate", "answer", g, "approve")
	}
}

// TaskLine is what the scenarios read of a task loop's history line.
type TaskLine struct {
	Outcome string `json:"outcome"`
	Task    struct {
		Task, Try int
		Fresh     string
		Judgement struct{ Verdict, Why string }
	}
}

func (w *World) read(path string) string {
	w.t.Helper()
	if !filepath.IsAbs(path) {
		path = filepath.Join(w.Project, path)
	}
	data, err := os.ReadFile(path)
	if err != nil {
		w.t.Error(err)
	}
	return string(data)
}

// TaskHistory is the attempts of the run, as "task.try verdict".
func (w *World) TaskHistory() (list []string) {
	w.t.Helper()
	for raw := range strings.Lines(w.read(".sdd/loop/task.history.jsonl")) {
		var l TaskLine
		if err := json.Unmarshal([]byte(raw), &l); err != nil {
			w.t.Fatal(err)
		}
		if l.Task.Task == 0 {
			continue
		}
		list = append(list, fmt.Sprintf("%d.%d %s", l.Task.Task, l.Task.Try,
			l.Task.Judgement.Verdict))
		if l.Task.Fresh == "" && l.Task.Judgement.Verdict != "outage" {
			w.t.Errorf("attempt %d.%d is not proven fresh: %q", l.Task.Task, l.Task.Try,
				l.Task.Fresh)
		}
	}
	return list
}

// provesFresh checks each worker's first request: it has two messages, is at most two percent
// larger than that of the first worker, and knows no other worker's words (T1, T12, T13). A retry
// is told more.
func (w *World) provesFresh() {
	w.t.Helper()
	first, largest, begun := 0, 0, 0
	for _, r := range w.Model.Requests() {
		n, token := r.task()
		if n == 0 || len(r.Messages[len(r.Messages)-1].Blocks) == 0 || r.spoken() {
			continue
		}
		begun++
		if first == 0 {
			first = r.Size
		}
		largest = max(largest, r.Size)
		most := first + first/50
		if !strings.HasPrefix(token, fmt.Sprintf("%d.1-", n)) {
			most += first / 50
		}
		if r.Size > most {
			w.t.Errorf("the first request of %s has %d bytes, that of the first worker %d", token,
				r.Size, first)
		}
		for other := range 50 {
			if strings.Contains(r.All(), canary(other)) {
				w.t.Errorf("the worker of task %d was told of the chat of task %d", n, other)
			}
		}
	}
	if begun == 0 {
		w.t.Error("no worker began")
	}
	w.t.Logf("%d first requests of workers: the first has %d bytes, the largest %d", begun, first,
		largest)
}

// spoken reports whether the model has spoken in the conversation.
func (r Request) spoken() bool {
	return slices.ContainsFunc(r.Messages, func(m Message) bool { return m.Role == "assistant" })
}

// provesSlim checks the main threads: two requests a task and one before the first, in which the
// check runs without any work, and each task adds at most 2 KB (M12).
func (w *World) provesSlim(tasks int) {
	w.t.Helper()
	last, sizes := map[string]int{}, 0
	for _, r := range w.Model.Requests() {
		if !r.main() {
			continue
		}
		sizes++
		if before := last[r.Session]; before > 0 && r.Size-before > 2<<10 {
			w.t.Errorf("the main thread grew from %d to %d bytes in one request", before, r.Size)
		}
		last[r.Session] = r.Size
	}
	if sizes > 2*tasks+1 {
		w.t.Errorf("%d attempts cost the main thread %d requests", tasks, sizes)
	}
}
