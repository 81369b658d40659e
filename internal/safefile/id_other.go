//go:build !unix

package safefile

import "io/fs"

// ID is not known here.
func ID(fs.FileInfo) (device, inode uint64) { return 0, 0 }
