// Package replay takes a past session through the rules: its prompts become iterations, admitted,
// opened and closed by the same functions that decide on a living loop. It is pure: values in,
// values out. What a tool call would meet is judged by the caller, who tells it here.
//
// A past session cannot be changed. What the rules would have refused happened all the same, so it
// is told but not counted to the run; a question that no one was asked is taken as answered with
// its safest option.
package replay
