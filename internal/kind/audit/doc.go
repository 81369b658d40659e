// Package audit is the kind of loop that carries out a plan and audits each of its sections. Values
// in, values out: no clock, no files, no processes.
//
// run.go has its row, its state and its phases, gates.go its question and the rule for calls, and
// findings.go what auditors report. sections.go reads the plan, prompt.go writes the prompts.
package audit
