//go:build !linux

package seal

import "github.com/natefinch/atomic"

// over gives a complete file another's name.
func over(tmp, path string) error { return atomic.ReplaceFile(tmp, path) }
