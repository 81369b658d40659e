// Package clienthooks decides whether a change to one of the client's own files leaves the hooks
// that the client runs, and what they do, as they were. It reads text and paths only; the caller
// reads the files.
package clienthooks
