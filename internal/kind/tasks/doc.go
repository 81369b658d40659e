// Package tasks implements the task loop, which works through the tasks in a spec. Its functions
// are pure: they use no clock, files or processes.
//
// run.go holds the kind and its state, enter.go begins or continues a run, order.go picks the next
// task and adds a person's tasks, gates.go defines the gates, and proof.go decides whether to
// accept a claim. The other files read and write text. A task passes through them in this order:
//
//   - list.go reads the task list, from its own file or from a section of the spec, and the spec's
//     front matter (mode, issue) and first sentence.
//   - prompt.go writes the prompts for attempts, including the one that opens the PR.
//   - progress.go writes .sdd-progress.md, finds flags and restores removed lines.
//   - view.go writes .sdd-state.json, which shows the run to people and other tools.
//
// A claim is not proof: Judge also requires a commit, a clean work tree and a green check. Tasks
// are counted from 0 in files and from 1 in sentences, as in the specification.
package tasks
