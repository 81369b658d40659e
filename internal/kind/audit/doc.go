// Package audit implements the audit loop, which carries out a plan and audits each of its
// sections. Its functions are pure: they use no clock, files or processes.
//
// run.go holds the kind, its state and its phases; enter.go begins or continues a run; gates.go
// defines the gate and the rules for calls; findings.go handles auditors' reports. sections.go
// reads the plan, and prompt.go writes the prompts.
package audit
