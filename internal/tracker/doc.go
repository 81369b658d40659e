// Package tracker reads facts from git: worktrees, remote heads, the project, and the repository's
// settings. It also has the names of the forges' own clients.
//
// The repository is not trusted, because its config may name programs to run. Child git processes
// have those settings disabled, their own standard streams, a deadline and a bound on their output.
// Project, Root and LinkedWorktree start none: they are needed even if no loop is active.
package tracker
