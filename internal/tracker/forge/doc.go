// Package forge asks a project's tracker for the facts of its issues and PRs: GitHub through gh,
// GitLab through glab, Gitea and Forgejo through tea, any other through a configured command. It
// uses their logins and hosts and links no network code.
//
// A call is bounded in time and output and never prompts. Every error is one typed Failure. A list
// that is not whole is marked as such; then absence from it proves nothing.
package forge
