// Package forge asks a project's tracker what is true of its issues and PRs: GitHub through gh, GitLab through glab,
// Gitea through tea, any other through a configured command. Their logins and hosts are theirs; no network code is
// linked here.
//
// A call is bounded in time and output and never prompts. What goes wrong is one typed Failure. An answer that is not
// whole says so, and then nothing follows from what is absent in it.
package forge
