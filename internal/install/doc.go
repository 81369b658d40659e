// Package install knows the client's settings files: which there are, what they register, and how
// this program is registered in one and taken out again. An edit keeps every byte that is not the
// program's own, in its order and layout. The file is replaced as a whole, durably, by one process
// at a time, and no change that another program makes meanwhile is lost.
package install
