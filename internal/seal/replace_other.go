//go:build !linux

package seal

import "github.com/natefinch/atomic"

// replaceFile atomically renames tmp to path.
func replaceFile(tmp, path string) error { return atomic.ReplaceFile(tmp, path) }
