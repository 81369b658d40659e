// Package drive plays the client to the real program: a project, transcripts, client processes and events, and it
// keeps a ledger of what really happened, against which it checks what lies on disk.
package drive
