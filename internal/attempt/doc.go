// Package attempt holds what the attempts at tasks and at phases of an audit share: the claim that
// ends one, and what its changes do to the tests and to the check command. It computes values from
// values; it uses no clock, files or processes.
package attempt

// MaxFeedback bounds a person's feedback in a prompt, in bytes.
const MaxFeedback = 1000
