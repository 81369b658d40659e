// Package tracker reads facts from git: worktrees, remote heads, the project, the repository's
// settings. It also knows the names of the forges' own clients.
//
// The repository is not trusted: its config may name programs to run. Child git runs with those
// switched off, its own standard streams, a deadline and a bound on its output. Everything that is
// needed before a tool call is read from files, without a child process.
package tracker
