// Package e2e drives the real Claude Code client offline, with the hooks plugin installed. It
// checks the files under .sdd/loop, the terminal's screen, and the texts that the model received.
//
// The tests need the build tag e2e, Linux, git, and the client: a program named by HOOKS_CLIENT,
// else the pinned npm package, installed once under the user's cache directory:
//
//	go test -tags e2e ./scripts/e2e/...
//
// HOOKS_UPSTREAM names a checkout of the sdd plugin. TestTheRealSkillsRunWholeIterations plays its
// skills, and is skipped without it.
//
// The client is started with an environment of its own, a temporary HOME, and a scripted model
// server on loopback.
package e2e
