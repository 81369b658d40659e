//go:build !unix

package safefile

import "io/fs"

// ID returns 0, 0, because the system does not report inode numbers.
func ID(fs.FileInfo) (device, inode uint64) { return 0, 0 }
