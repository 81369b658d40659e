// Package tasks implements the task loop, which works through the tasks of a spec. Its functions
// are pure: they use no clock, files or processes.
//
// run.go has the kind's row and its state, enter.go begins or continues a run, order.go picks the
// next task and adds a person's tasks, gates.go defines its gates, and proof.go decides whether a
// claim is accepted. The other files read and write texts. A task goes through these in order:
//
//   - list.go reads the list of tasks, from a separate file or from a section of the spec, and the
//     spec's front matter (mode, issue) and first sentence.
//   - prompt.go writes the prompt of one attempt, and of the attempt that opens the PR.
//   - progress.go writes .sdd-progress.md, finds flags and restores removed lines.
//   - view.go writes .sdd-state.json, the view of the run for people and other tools.
//
// A claim is not a proof: Judge also requires a commit, a clean work tree and a green check. Tasks
// are counted from 0 in files and from 1 in sentences, as in the specification.
package tasks
