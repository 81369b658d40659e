// Package guard reads one tool call and says what it would do to a forge, to protected branches and to the loop's own
// files. It is pure, with the rooms below it: values in, values out; no clock, disk, environment, network or child
// process. What a command runs from disk it reads through Files, which the caller bounds.
//
// A call becomes a reading in one direction; each room knows only those after it:
//
//	guard       the tools of the client: Bash, PowerShell, Write and Edit, MCP by its shape; what only looks (ReadOnly)
//	program     programs by name: wrappers (sudo, xargs, ssh), text tools, make and npm, what writes files, the client
//	powershell  PowerShell text
//	code        snippets of other languages: Python, Node, Perl, Ruby, awk
//	forges      gh, glab, tea and others, git, curl and kin: what their command lines and requests land
//	shell       one abstract shell: it walks bash text as bash would run it, with values that may be unknown
//	place       which paths the loop guards
//	word        words with unknown parts, patterns, flags, JSON text
//	act         what a call is (Call, Repo, Files) and what is said of it (Act, Opaque, Reading)
//
// The shell starts programs through its World, which package program is; a program that runs text (bash -c, make, a
// file written a line before) hands it to a shell again. One Machine is shared by all shells of a reading: the acts, the
// work left, and what the call changed on the way. What stays unknown and could be a merge is Opaque, never guessed;
// what only mentions a merge is nothing.
package guard
