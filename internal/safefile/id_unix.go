//go:build unix

package safefile

import (
	"io/fs"
	"syscall"
)

// ID identifies a file or a folder on this machine, whatever its path: by its device and its inode.
// Both are 0 if that is not known.
func ID(info fs.FileInfo) (device, inode uint64) {
	if st, ok := info.Sys().(*syscall.Stat_t); ok {
		return uint64(st.Dev), uint64(st.Ino)
	}
	return 0, 0
}
