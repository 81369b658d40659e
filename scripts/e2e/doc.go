// Package e2e drives the real Claude Code client offline, with the hooks plugin installed. It
// checks the files under .sdd/loop, the terminal screen, and the messages that the model received.
//
// The tests need the build tag e2e, Linux, git, and the client. HOOKS_CLIENT may name the client's
// program; otherwise a pinned npm package is installed once under the user's cache directory:
//
//	go test -tags e2e ./scripts/e2e/...
//
// HOOKS_UPSTREAM names a checkout of the sdd plugin. TestTheRealSkillsRunWholeIterations runs its
// skills, and is skipped if the variable is not set.
//
// The client gets its own environment, a temporary HOME, and a scripted model server on loopback.
package e2e
