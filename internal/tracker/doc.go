// Package tracker turns what git says into facts: worktrees, remote heads, the project, the repository's settings.
//
// The repository is not trusted: its config may name programs to run. Child git runs with those switched off, its
// own standard streams, a deadline and a bound on its output; everything needed on the path of a tool call is read
// from files, without any child.
package tracker
