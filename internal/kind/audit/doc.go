// Package audit is the kind of loop that carries out a plan and audits each of its sections. It
// computes values from values; it uses no clock, files or processes.
//
// run.go has the kind's row, its state and its phases; gates.go has its question and the rule for
// calls; findings.go handles auditors' reports. sections.go reads the plan, and prompt.go writes
// the prompts.
package audit
