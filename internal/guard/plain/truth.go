package plain

// Truth is an answer that may be unknown.
type Truth int

// The answers.
const (
	Maybe Truth = iota
	Yes
	No
)

// TruthOf is Yes or No.
func TruthOf(b bool) Truth {
	if b {
		return Yes
	}
	return No
}
