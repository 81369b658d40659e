// Package tasks reads and writes the texts of a task loop. Values in, values out: no clock, no
// files, no processes.
//
// One task passes these files in order:
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
