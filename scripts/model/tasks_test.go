package model

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/tidwall/gjson"
	"pgregory.net/rapid"
)

// The task loop on a plain model of rows T of the requirements: workers that claim, commit, break
// the check or say nothing, outages, crashes and a person's answers come in any order.

// tasks is the model.
type tasks struct {
	total, max int
	index, try int
	over       string // cause of its end, "" while it runs
	open, sent bool
	judged     string // verdict on the open attempt, "" before
	holds      int
	outages    int
	idle       int
	lines      int
	done       []string // verdicts of the tasks before index
}

// unmodelled ends a history.
const unmodelled = "unmodelled"

// taskWorld is a model and its project, a repository.
type taskWorld struct {
	*conducted
	tasks
	base, began string // commits at which the task and its open attempt began
	token       string // of the open attempt
}

func TestTaskLoopDoesWhatTheModelSays(t *testing.T) {
	playTasks(t, &inside{}, 5)
}

func TestBinaryPlaysTasksAsTheModelSays(t *testing.T) {
	playTasks(t, binary(t), 1)
}

func playTasks(t *testing.T, prog program, checks int) {
	bound(t, checks)
	pool, dir, n := &clients{t: t}, t.TempDir(), 0
	rapid.Check(t, func(t *rapid.T) {
		n++
		w := &taskWorld{conducted: conduct(t, prog, folder(t, dir, n), pool, "go")}
		defer w.done()
		w.starts(t)
		for range between(t, "events", 5, 40) {
			if w.over != "" && w.over != "task_blocked" {
				return
			}
			w.next(t)
			w.check()
		}
	})
}

// done shadows the list of verdicts.
func (w *taskWorld) done() { w.world.done() }

// starts makes the project, and a person starts the loop and approves.
func (w *taskWorld) starts(t *rapid.T) {
	w.total, w.max, w.try = between(t, "tasks", 1, 3), between(t, "max", 2, 4), 1
	text := "# Goal\n\n## Tasks\n\n" + strings.Repeat("- [ ] Write one\n", w.total)
	w.put("spec.md", text)
	w.git("init", "-q", "-b", "main", "--template=")
	w.commit()
	w.command(fmt.Sprintf(`spec.md --check="test ! -e red" --max-task-iterations %d`, w.max))
	w.dialog(func(string) string { return "approve" })
	w.opens()
}

// opens is the beginning of an attempt.
func (w *taskWorld) opens() {
	w.open, w.sent, w.judged, w.holds = true, false, "", 0
	w.began, w.wasDirty = w.head(), w.dirty
	if w.base == "" {
		w.base = w.began
	}
}

// next plays one event that can happen now.
func (w *taskWorld) next(t *rapid.T) {
	switch {
	case w.over != "":
		w.resumes()
	case between(t, "crash", 0, 19) == 0:
		w.crashes()
	case w.open && !w.sent:
		w.sends()
	case w.open && between(t, "outage", 0, 14) == 0:
		w.fails()
	case w.open && w.judged == "" && between(t, "early", 0, 9) > 0:
		w.ends(t)
	case w.open:
		w.stops(t)
	default:
		w.Fatalf("nothing to play\n%s", w.story())
	}
}

// sends is the conductor's call. Its prompt is replaced by the task, with a token of its own (T85).
func (w *taskWorld) sends() {
	prompt := w.worker()
	if prompt == "" { // the check has not run without the work; the Stop runs it
		w.stop()
		prompt = w.worker()
	}
	if !strings.HasPrefix(prompt, fmt.Sprintf("Task %d of %d", w.index+1, w.total)) {
		w.Fatalf("the worker of task %d gets %q\n%s", w.index+1, prompt, w.story())
	}
	for attempt, text := range map[int]string{3: "Two approaches have failed.",
		w.max - 1: "This is your last attempt before the task is blocked."} {
		if attempt > 1 && (attempt == w.try) != strings.Contains(prompt, text) &&
			!(attempt == 3 && w.try == w.max-1) {
			w.Fatalf("attempt %d has %q: %q\n%s", w.try, text, prompt, w.story())
		}
	}
	_, rest, _ := strings.Cut(prompt, "the two words TASK_COMPLETE ")
	token, _, _ := strings.Cut(rest, " ")
	if token == w.token || !strings.HasPrefix(token, fmt.Sprintf("%d.%d-", w.index+1, w.try)) {
		w.Fatalf("the token of attempt %d.%d is %q after %q\n%s", w.index+1, w.try, token, w.token,
			w.story())
	}
	w.token, w.sent = token, true
}

// ends is a worker's last message, after what it did.
func (w *taskWorld) ends(t *rapid.T) {
	work := one(t, "work", []string{"nothing", "commit", "commit", "commit", "dirty", "red",
		"green"})
	w.works(work)
	said := one(t, "message", []string{"claim", "claim", "claim", "claim", "silent", "echo",
		"fenced", "old", "blocked"})
	message := map[string]string{
		"claim": "Done.\n\n**TASK_COMPLETE " + w.token + "**", "silent": "All is done!",
		"echo":    "I will not say TASK_COMPLETE " + w.token + " yet",
		"fenced":  "```\nTASK_COMPLETE " + w.token + "\n```",
		"old":     "TASK_COMPLETE 9.9-" + w.token,
		"blocked": "TASK_BLOCKED " + w.token + " no key",
	}[said]
	got := w.workerEnds("TASK_COMPLETE "+w.token, message)
	verdict := "unbroken"
	switch {
	case said == "blocked":
		verdict = "flagged"
	case said != "claim":
		verdict = "unfinished"
	case w.head() == w.base, w.dirty, w.red:
		verdict = "refused"
	}
	held := (verdict == "unfinished" || verdict == "refused") && w.holds < 2 // T61
	if held != (kindOf(got) == "block") {
		w.Fatalf("a worker that %s and says %s is held: %v\n%s", work, said, held, w.story())
	}
	if w.holds++; !held {
		w.judged = verdict
	}
}

// closes is the end of an attempt (T9, T52–T62).
func (w *taskWorld) closes(verdict string) {
	w.open = false
	w.lines++
	if w.outages++; verdict != "outage" {
		w.outages = 0
		if w.idle++; w.head() != w.began || w.dirty != w.wasDirty || verdict == "unbroken" {
			w.idle = 0
		}
	}
	switch verdict {
	case "unbroken":
		w.advances(verdict)
	case "unfinished", "refused":
		w.try++
	}
	w.judge()
}

func (w *taskWorld) advances(verdict string) {
	w.tasks.done = append(w.tasks.done, verdict)
	w.index, w.try, w.base = w.index+1, 1, ""
}

// judge looks whether the run has ended, by the order of the conditions.
func (w *taskWorld) judge() {
	switch {
	case w.index == w.total:
		w.over = "tasks_complete"
	case w.try >= w.max:
		w.over = "task_blocked"
	case w.outages >= 3:
		w.over = "api_unavailable"
	}
}

// verdict is that of an attempt which no worker's end decided.
func (w *taskWorld) verdict(otherwise string) string {
	if w.judged != "" {
		return w.judged
	}
	return otherwise
}

// stops is the Stop of the turn. It closes the attempt and feeds the next, or lets the turn end. A
// flagged task asks a person first (T35).
func (w *taskWorld) stops(t *rapid.T) {
	verdict := w.verdict("unfinished")
	answer := ""
	if verdict == "flagged" {
		if kindOf(w.stop()) != "block" {
			w.Fatalf("a flagged task asks no one\n%s", w.story())
		}
		answer = one(t, "flag", []string{"retry", "skip"})
		w.dialog(func(string) string { return answer })
	}
	got := w.stop()
	switch answer {
	case "retry":
		w.try = 1
	case "skip":
		w.advances("skipped")
	}
	w.closes(verdict)
	w.mayStall()
	if fed := kindOf(got) == "block"; fed != (w.over == "") {
		w.Fatalf("the Stop feeds: %v, the model's cause is %q\n%s", fed, w.over, w.story())
	}
	if w.over == "" {
		w.opens() // the conductor's next call begins it
	}
}

// mayStall takes the program's word where nothing changed in three attempts or more (T91): a task
// has all of its attempts first (T57), so the model does not say at which.
func (w *taskWorld) mayStall() {
	if w.idle >= 3 && w.over == "" && w.budget().Get("stop_cause").Str == "stalled" {
		w.over = "stalled"
	}
}

// fails is an error of the service, which ends the turn and costs no attempt (T59).
func (w *taskWorld) fails() {
	w.says("stop-failure", "StopFailure", "error", "overloaded")
	w.closes(w.verdict("outage"))
	w.mayStall()
	if w.over == "" {
		w.resumes()
	}
}

// crashes: the client dies, and another one takes the run up (T64).
func (w *taskWorld) crashes() {
	w.dies()
	if w.judged == "flagged" {
		w.over = unmodelled // the next entry asks
		return
	}
	if w.open && w.began != "" && w.lineOpen() {
		w.closes(w.verdict("outage"))
	}
	switch w.over {
	case "", "task_blocked":
		w.resumes()
	case "api_unavailable":
		w.over = unmodelled // a person resumes at once
	default: // the entry closes what was left, and begins nothing
		w.command("--resume")
	}
}

// lineOpen reports whether the open attempt has begun on disk: one that was fed begins with the
// conductor's call.
func (w *taskWorld) lineOpen() bool {
	return w.state("task.tick.json") != ""
}

// resumes is a person's --resume. A blocked task gets a new set of attempts (T65).
func (w *taskWorld) resumes() {
	if w.over == "task_blocked" {
		w.over, w.try = "", 1
	}
	got := w.command("--resume")
	if kindOf(got) == "block" {
		w.Fatalf("--resume is refused: %s\n%s", got, w.story())
	}
	w.opens()
}

func (w *taskWorld) budget() gjson.Result { return gjson.Parse(w.state("task.budget.json")) }

// check holds the files against the model.
func (w *taskWorld) check() {
	if w.over == unmodelled {
		return
	}
	b := w.budget()
	read := func(name string) string {
		text, _ := os.ReadFile(filepath.Join(w.project(), name))
		return string(text)
	}
	want := fmt.Sprintf("task %d try %d cause %q", w.index, w.try, w.over)
	got := fmt.Sprintf("task %d try %d cause %q", b.Get("tasks.index").Int(),
		b.Get("tasks.try").Int(), b.Get("stop_cause").Str)
	if b.Get("status").Str == "active" && w.over == "" {
		got = fmt.Sprintf("task %d try %d cause %q", b.Get("tasks.index").Int(),
			b.Get("tasks.try").Int(), "")
	}
	if got != want {
		w.Fatalf("the run is at %s, the model at %s\n%s", got, want, w.story())
	}
	view := read(".sdd-state.json")
	if n := gjson.Get(view, "taskIndex").Int(); int(n) != w.index {
		w.Fatalf("the view is at task %d, the model at %d\n%s", n, w.index, w.story())
	}
	if n := strings.Count(read(".sdd/loop/task.history.jsonl"), `"task":{`); n != w.lines {
		w.Fatalf("the history has %d attempts, the model %d\n%s", n, w.lines, w.story())
	}
	for i, verdict := range w.tasks.done {
		listed := strings.Contains(read(".sdd-progress.md"), fmt.Sprintf("- [x] Task %d: ", i))
		if got := b.Get(fmt.Sprintf("tasks.list.%d.result", i)).Str; got != verdict ||
			listed != (verdict == "unbroken") {
			w.Fatalf("task %d is %s, listed %v, the model has %s\n%s", i, got, listed, verdict,
				w.story())
		}
	}
}
