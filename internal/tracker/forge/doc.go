// Package forge asks a project's tracker about its issues and PRs: GitHub through gh, GitLab
// through glab, Gitea and Forgejo through tea, and any other through a configured command. It
// relies on the logins and hosts of these programs and contains no network code.
//
// A call is bounded in time and output and never prompts. Every error is a Failure. An incomplete
// list is marked as such, because absence from it proves nothing.
package forge
