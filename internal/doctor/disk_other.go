//go:build !linux && !darwin

package doctor

// filesystem is unknown on this system; the check still tries to write.
func filesystem(string) (kind string, free uint64, ok bool) { return "", 0, false }
