// Package install registers the program in a settings file of the client and takes it out again. The edit is text in,
// text out: what is not the program's own keeps every byte, its order and its layout. The file layer replaces the file
// whole, durably, one process at a time, and nobody else's change in between is lost.
package install
