//go:build unix

package safefile

import (
	"io/fs"
	"syscall"
)

// ID returns the device and inode of a file or folder, which identify it on this machine whatever
// its path. Both are 0 if unknown.
func ID(info fs.FileInfo) (device, inode uint64) {
	if st, ok := info.Sys().(*syscall.Stat_t); ok {
		return uint64(st.Dev), uint64(st.Ino)
	}
	return 0, 0
}
