// Package usage turns a session's transcripts into tokens and dollars, and finds in them what hooks
// are not told: interruptions, answers, where a prompt began.
//
// A transcript only grows, so a count begins where the last one ended: its cost follows the new
// bytes, not the file. Memory is constant. Most bytes are only searched; a line that may matter is
// then parsed, and its top-level type decides, because `api-request` lines hold copies of
// everything.
//
// One request stands on several lines and is counted once, by message id and request id, with the
// greatest number of each kind (CONTRACT). Its advisors are requests of their own; what a fork of a
// session copied is none. Money is whole pico-dollars, so sums are exact (R58, R59). What the
// client asks for outside of the conversation, as to compact it, stands in no line and is not
// counted.
package usage
