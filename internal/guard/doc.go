// Package guard reads one tool call and returns what it would do to a forge, to protected branches
// and to the loop's own files. It is pure, with the packages below it: values in, values out; no
// clock, disk, environment, network or child process. A command's files are read through Files,
// which the caller bounds.
//
// A call becomes a reading in one direction, by the layers of AGENTS.md: guard (the tools of the
// client), program (programs by name), forges, plain (shell text), paths, shellword, effect.
//
// What is plainly written is judged here, before it runs. Nothing is executed in the mind: what a
// script, a recipe or another language computes is Opaque at most, and the brake judges it as it
// starts. All frames of a reading share one Machine: the acts, and the work left.
package guard
