// Package proc names the process that owns a loop and reports whether a recorded one still runs.
//
// A process id alone is not an identity: the kernel gives it out again. So a recorded process
// carries its start time and its host as well, and what is not certain is loop.Unclear,
// which callers treat as alive (R70).
package proc
