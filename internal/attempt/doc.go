// Package attempt has the rules for attempts that the task loop and the audit loop share. It reads
// the claim that ends an attempt, and finds changes that weaken the tests or the check command. Its
// functions are pure: they use no clock, files or processes.
package attempt

// MaxFeedback bounds a person's feedback in a prompt, in bytes.
const MaxFeedback = 1000
