// Package event is the client's hook protocol: one JSON object in, at most one JSON object out.
//
// The client's end of a pipe may never close and its output rules lose a decision silently, so
// reading stops at the end of the first value and a reply can only be built in forms that the
// firing event accepts. Nothing here decides.
package event
