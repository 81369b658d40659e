package driver

import (
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/tidwall/gjson"
)

// Loops is the part of a ledger about task and audit loops.
type Loops struct {
	Green    map[string]bool   // commits of workers at which the check is green
	Claimed  map[string]bool   // attempts of which a worker claimed that they are done, as "1.2"
	Nonces   map[string]string // of claims, with the iteration in which each was seen
	Progress map[string]bool   // lines of the progress file's copy
	Findings map[string]bool   // ids that were seen, with whether an auditor called them resolved
	Looked   map[string]bool   // commits about which a verdict was reported
	Unqueued bool              // a reply said that the Sync queue could not be written
}

// See adds a finding that no one has called resolved so far.
func (l Loops) See(id string) {
	if _, known := l.Findings[id]; !known {
		l.Findings[id] = false
	}
}

func newLoops() Loops {
	return Loops{Green: map[string]bool{}, Claimed: map[string]bool{}, Nonces: map[string]string{},
		Progress: map[string]bool{}, Findings: map[string]bool{}, Looked: map[string]bool{}}
}

func (l Loops) clone() Loops {
	l.Green, l.Claimed, l.Nonces = maps.Clone(l.Green), maps.Clone(l.Claimed), maps.Clone(l.Nonces)
	l.Progress, l.Findings = maps.Clone(l.Progress), maps.Clone(l.Findings)
	l.Looked = maps.Clone(l.Looked)
	return l
}

// repo is where an audit loop's worktree has its repository.
func (w *World) repo() string { return filepath.Join(w.Dir, "repo") }

// Repository makes the project one for a task or an audit loop, which runs in a linked worktree.
// The files are pairs of a name and a text. git, sh and cat are found.
func (w *World) Repository(skill string, files ...string) {
	w.Skill = skill
	for _, tool := range []string{"git", "sh", "cat"} {
		path, err := exec.LookPath(tool)
		if err == nil {
			err = os.Symlink(path, filepath.Join(w.Dir, "bin", tool))
		}
		w.Check(err)
	}
	root := w.Project()
	if skill == "audit" {
		root = w.repo()
		w.Check(os.Remove(w.Project()))
	}
	w.Check(os.MkdirAll(root, 0o755))
	w.git(root, "init", "-q", "-b", "main", "--template=")
	for i := 0; i < len(files); i += 2 {
		w.Check(os.WriteFile(filepath.Join(root, files[i]), []byte(files[i+1]), 0o600))
	}
	w.commit(root)
	if skill == "audit" {
		w.git(root, "worktree", "add", "-q", w.Project(), "-b", "audit")
	}
}

func (w *World) git(dir string, args ...string) string {
	cmd := exec.Command("git", append([]string{"-C", dir, "-c", "user.name=a",
		"-c", "user.email=a@b", "-c", "gc.auto=0"}, args...)...)
	cmd.Env = append(w.Environ(), "GIT_AUTHOR_DATE=2026-11-22T12:00:00Z")
	out, err := cmd.CombinedOutput()
	if err != nil {
		w.Errorf("git %s: %v: %s", strings.Join(args, " "), err, out)
	}
	return strings.TrimSpace(string(out))
}

func (w *World) commit(dir string) {
	w.git(dir, "add", "-A")
	w.git(dir, "commit", "-q", "-m", "work")
}

// Head is the project's commit.
func (w *World) Head() string { return w.git(w.Project(), "rev-parse", "HEAD") }

// Commit is a worker's commit of a file of its own. The check is green while no file is named
// "red".
func (w *World) Commit() {
	name := filepath.Join(w.Project(), fmt.Sprintf("%s.txt", w.Call()))
	w.Check(os.WriteFile(name, []byte("work\n"), 0o600))
	w.commit(w.Project())
	_, err := os.Stat(filepath.Join(w.Project(), "red"))
	w.Ledger.Loops.Green[w.Head()] = err != nil
}

// Token is the claim of the open attempt, "" without one.
func (w *World) Token() string { return w.attempt("token") }

// attempt is a field of the open attempt, "" without one.
func (w *World) attempt(field string) string {
	text, _ := os.ReadFile(filepath.Join(w.State(), w.Skill+".tick.json"))
	return gjson.GetBytes(text, "attempt."+field).String()
}

// WorkerEnds is the end of the worker of the open attempt. Its transcript begins with the prompt.
// TOKEN in the message is the attempt's.
func (w *World) WorkerEnds(message string) Event {
	token := w.Token()
	if strings.Contains(message, "TASK_COMPLETE TOKEN") {
		attempt, _, _ := strings.Cut(token, "-")
		w.Ledger.Loops.Claimed[attempt] = true
	}
	path := w.WorkerTranscript("w1")
	w.Check(os.MkdirAll(filepath.Dir(path), 0o700))
	line := object("type", "user", "message.role", "user",
		"message.content", "the claim is TASK_COMPLETE "+token+" on a line of its own")
	w.Check(os.WriteFile(path, []byte(line+"\n"), 0o600))
	w.sent()
	return w.Hook("subagent-stop", "SubagentStop", "agent_id", "w1",
		"agent_type", "general-purpose", "agent_transcript_path", path,
		"last_assistant_message", strings.ReplaceAll(message, "TOKEN", token))
}

// sent writes the client's note on the worker of the open attempt.
func (w *World) sent() {
	path := strings.TrimSuffix(w.WorkerTranscript("w1"), ".jsonl") + ".meta.json"
	w.Check(os.MkdirAll(filepath.Dir(path), 0o700))
	w.Check(os.WriteFile(path, []byte(object("toolUseId", w.attempt("call"))), 0o600))
}

// Inside is a worker's shell call before it runs.
func (w *World) Inside(command string) Event {
	return w.before("Bash", w.Call(), "tool_input.command", command, "agent_id", "w1",
		"agent_type", "general-purpose")
}

// Looks is an auditor's look at all changes, after it.
func (w *World) Looks() Event {
	w.sent()
	return w.after("Bash", w.Call(), "tool_input.command", "git log -p", "agent_id", "w1",
		"agent_type", "general-purpose",
		"tool_response.stdout", w.git(w.Project(), "log", "-p", "--format="))
}

// Audits is the call by which an auditor reports about the commit as it is.
func (w *World) Audits(facts string) Event {
	w.Ledger.Loops.Looked[w.Head()] = true
	for _, id := range gjson.Get(facts, "resolved").Array() {
		w.Ledger.Loops.Findings[id.String()] = true
	}
	w.sent()
	return w.Inside("hooks report <<< '" + facts + "'")
}
