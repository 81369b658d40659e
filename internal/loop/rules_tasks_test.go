package loop

import (
	"cmp"
	"strings"

	"hooks/internal/attempt"
)

// list is what the next fresh task loop has to do: its fields, as in {"max_tries":3}, over defaults
// with two tasks.
func (w *world) list(args string) {
	w.tasks = payload("task")
	decode(w, `{"spec":"spec.md","try":1,"max_tries":5,"mode":"quick","drive":"stop",`+
		`"phase":"execution","list":[{"title":"A"},{"title":"B"}],"gates_passed":[1,2]}`, w.tasks)
	decode(w, args, w.tasks)
	w.skill = "task"
	w.entry.Attempt.Head, w.entry.Attempt.Branch = "h0", "main"
	w.known.Evidence = attempt.Evidence{Head: "h0", Branch: "main"}
}

// claim is the worker's last message: "done", "none", "blocked WHY", "flagged WHY", or
// "lost LINE" for one with which a line of the progress file is gone.
func (w *world) claim(args string) {
	what, why, _ := strings.Cut(args, " ")
	c := attempt.Claim{Done: what == "done", Blocked: what == "blocked"}
	switch what {
	case "blocked":
		c.Why = why
	case "flagged":
		c.Progress = "## Blocked / Flagged\n" + why
	case "lost":
		c.Done, c.Wrote = true, "## Completed Tasks\n"+why
	}
	w.known.Claim = c
}

// calls is a tool call of the main thread. One that sends a worker between two attempts begins the
// next one, as the program does it.
func (w *world) calls(e Call) {
	run := w.state.Run
	if e.Sends != nil && w.state.Tick == nil && run.Feeds(w.prompt) {
		w.enterAgain("task", Request{Fed: true})
	}
	if e.Sends != nil && w.state.Tick == nil {
		return
	}
	e.Turn, e.ID, e.Input = w.turn(), cmp.Or(e.ID, "t"+e.Tool), "{}"
	w.step(e)
}
