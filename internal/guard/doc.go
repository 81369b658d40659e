// Package guard reads one tool call and returns what it would do to a forge, to protected branches
// and to the loop's own files. It is pure, with the packages below it: values in, values out; no
// clock, disk, environment, network or child process. A command's files are read through Files,
// which the caller bounds.
//
// A call becomes a reading in one direction. Each package knows only those after it:
//
//	guard       the tools of the client: Bash, PowerShell, Write and Edit, MCP by its shape
//	program     programs by name: hooks and claude, what writes files, what starts another program
//	forges      gh, glab, tea, hub, git, curl: what their command lines and requests land
//	plain       shell text: its simple commands and the words that are written
//	paths       which paths the loop guards
//	shellword   words with unknown parts, patterns, flags, JSON text
//	effect      a call (Call, Repo, Files) and its reading (Act, Opaque, Reading)
//
// What is plainly written is judged here, before it runs. Nothing is executed in the mind: what a
// script, a recipe or another language computes is Opaque at most, and the brake judges it as it
// starts. All frames of a reading share one Machine: the acts, and the work left.
package guard
