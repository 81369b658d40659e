package driver

import (
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/tidwall/gjson"

	"hooks/internal/play"
)

// Loops is the part of a ledger for task and audit loops.
type Loops struct {
	Green    map[string]bool   // whether the check passes at each worker's commit
	Claimed  map[string]bool   // attempts claimed as done by a worker, such as "1.2"
	Nonces   map[string]string // iteration of each claim nonce
	Progress map[string]bool   // lines in the copy of the progress file
	Findings map[string]bool   // whether an auditor resolved each finding, by id
	Looked   map[string]bool   // commits with a reported verdict
	Unqueued bool              // a reply said that the Sync queue could not be written
}

// See adds an unresolved finding if its id is new.
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

// repo returns the main repository of an audit loop's worktree.
func (w *World) repo() string { return filepath.Join(w.Dir, "repo") }

// Repository prepares the project for a task loop, or for an audit loop in a linked worktree. files
// alternates file names and contents. Repository also puts git, sh and cat on PATH.
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

// Head returns the project's HEAD.
func (w *World) Head() string { return w.git(w.Project(), "rev-parse", "HEAD") }

// Commit commits a new file, as a worker does. The check fails only if a file named "red" exists.
func (w *World) Commit() {
	name := filepath.Join(w.Project(), fmt.Sprintf("%s.txt", w.Call()))
	w.Check(os.WriteFile(name, []byte("work\n"), 0o600))
	w.commit(w.Project())
	_, err := os.Stat(filepath.Join(w.Project(), "red"))
	w.Ledger.Loops.Green[w.Head()] = err != nil
}

// Token returns the open attempt's claim token, or "" if no attempt is open.
func (w *World) Token() string { return w.attempt("token") }

// attempt returns a field of the open attempt, or "" if no attempt is open.
func (w *World) attempt(field string) string {
	text, _ := os.ReadFile(filepath.Join(w.State(), w.Skill+".tick.json"))
	return gjson.GetBytes(text, "attempt."+field).String()
}

// WorkerEnds returns the event when the open attempt's worker ends. It writes the worker's
// transcript, which begins with the prompt, and replaces TOKEN in message with the attempt's token.
func (w *World) WorkerEnds(message string) Event {
	token := w.Token()
	if strings.Contains(message, "TASK_COMPLETE TOKEN") {
		attempt, _, _ := strings.Cut(token, "-")
		w.Ledger.Loops.Claimed[attempt] = true
	}
	path := w.WorkerTranscript("w1")
	w.Check(os.MkdirAll(filepath.Dir(path), 0o700))
	line := play.Object("type", "user", "message.role", "user",
		"message.content", "the claim is TASK_COMPLETE "+token+" on a line of its own")
	w.Check(os.WriteFile(path, []byte(line+"\n"), 0o600))
	w.sent()
	return w.Hook("subagent-stop", "agent_id", "w1",
		"agent_type", "general-purpose", "agent_transcript_path", path,
		"last_assistant_message", strings.ReplaceAll(message, "TOKEN", token))
}

// sent writes the client's metadata file for the open attempt's worker.
func (w *World) sent() {
	path := strings.TrimSuffix(w.WorkerTranscript("w1"), ".jsonl") + ".meta.json"
	w.Check(os.MkdirAll(filepath.Dir(path), 0o700))
	w.Check(os.WriteFile(path, []byte(play.Object("toolUseId", w.attempt("call"))), 0o600))
}

// Inside returns the event before a worker's shell call.
func (w *World) Inside(command string) Event {
	return w.before("Bash", w.Call(), "tool_input.command", command, "agent_id", "w1",
		"agent_type", "general-purpose")
}

// Looks returns the event after an auditor has read all changes.
func (w *World) Looks() Event {
	w.sent()
	return w.after("Bash", w.Call(), "tool_input.command", "git log -p", "agent_id", "w1",
		"agent_type", "general-purpose",
		"tool_response.stdout", w.git(w.Project(), "log", "-p", "--format="))
}

// Audits returns the event before an auditor's shell call that reports on the current commit.
func (w *World) Audits(facts string) Event {
	w.Ledger.Loops.Looked[w.Head()] = true
	for _, id := range gjson.Get(facts, "resolved").Array() {
		w.Ledger.Loops.Findings[id.String()] = true
	}
	w.sent()
	return w.Inside("hooks report <<< '" + facts + "'")
}
