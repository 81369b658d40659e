package shell

// Truth is what is known of an exit status.
type Truth int

const (
	Maybe Truth = iota
	Yes
	No
)

func not(t Truth) Truth {
	switch t {
	case Yes:
		return No
	case No:
		return Yes
	}
	return Maybe
}

// TruthOf is what is known for certain.
func TruthOf(b bool) Truth {
	if b {
		return Yes
	}
	return No
}

func both(a, b Truth) Truth {
	switch {
	case a == No || b == No:
		return No
	case a == Yes && b == Yes:
		return Yes
	}
	return Maybe
}
