// Package tasks is the kind of loop that works through the tasks of a spec. Values in, values out:
// no clock, no files, no processes.
//
// run.go has its row and its state, order.go which task comes next, gates.go its questions, and
// proof.go what a claim is worth. The other files read and write texts. One task passes these in
// order:
//
//   - spec.go reads the front matter of a spec (mode, issue, title) and its first sentence.
//   - list.go reads the list of tasks, from a file of its own or from a section of the spec.
//   - prompt.go writes the prompt of one attempt, and of the attempt that opens the PR.
//   - claim.go reads whether the worker's last message claims that the task is done or blocked.
//   - weakened.go names the tests that an attempt deleted or switched off.
//   - pinned.go names the changed files that decide how the check command ends.
//   - progress.go writes .sdd-progress.md and finds flags; restore.go puts removed lines back.
//   - view.go writes .sdd-state.json, the view of the run for people and other tools.
//
// A claim is only a claim: the caller still checks the commit, the work tree and the check command.
// Tasks are counted from 0 in files and from 1 in sentences, as in the specification.
package tasks
