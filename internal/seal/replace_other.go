//go:build !linux

package seal

import "github.com/natefinch/atomic"

// over atomically renames tmp over path.
func over(tmp, path string) error { return atomic.ReplaceFile(tmp, path) }
