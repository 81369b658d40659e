// Package guard reads one tool call and returns what it would do to a forge, to protected branches
// and to the loop's own files. It is pure, with the packages below it: values in, values out; no
// clock, disk, environment, network or child process. A command's files are read through Files,
// which the caller bounds.
//
// A call becomes a reading in one direction. Each package knows only those after it:
//
//	guard       the tools of the client: Bash, PowerShell, Write and Edit, MCP by its shape
//	program     programs by name: wrappers (sudo, xargs, ssh), text tools, make and npm, writers
//	powershell  PowerShell text
//	code        snippets of other languages: Python, Node, Perl, Ruby
//	forges      gh, glab, tea and others, git, curl: what their command lines and requests land
//	shell       one abstract shell: it walks bash text with values that may be unknown
//	paths       which paths the loop guards
//	shellword   words with unknown parts, patterns, flags, JSON text
//	effect      a call (Call, Repo, Files) and its reading (Act, Opaque, Reading)
//
// The shell starts programs through its World, which package program is. A program that runs text
// (bash -c, make, a file written a line before) hands it to a shell again. All shells of a reading
// share one Machine: the acts, the work left, and what the call changed on the way. What stays
// unknown and could be a merge is Opaque, never guessed. What only mentions a merge is nothing.
package guard
