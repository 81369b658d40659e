//go:build unix

package usage

import (
	"io/fs"
	"syscall"
)

// inode distinguishes a file from another one that took its name. It is 0 if unknown.
func inode(fi fs.FileInfo) uint64 {
	if st, ok := fi.Sys().(*syscall.Stat_t); ok {
		return uint64(st.Ino)
	}
	return 0
}
