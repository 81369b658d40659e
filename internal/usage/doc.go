// Package usage turns a session's transcripts into tokens and dollars. It also finds facts in them
// that no hook event brings: interruptions, answers, the beginnings of prompts.
//
// A transcript only grows, so a count begins at the end of the last one: its cost depends on the
// new bytes, not on the file. Memory is constant. Most bytes are only searched; a line that may
// matter is then parsed, and its top-level type decides, because `api-request` lines hold copies of
// everything.
//
// One request has several lines and is counted once, by message id and request id, with the
// greatest number of each kind (CONTRACT). Its advisors are requests of their own; what a fork of a
// session copied is not counted. Money is whole pico-dollars, so sums are exact (R58, R59).
// Requests of the client outside of the conversation, as to compact it, are in no line and are not
// counted.
package usage
