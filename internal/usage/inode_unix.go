//go:build unix

package usage

import (
	"io/fs"
	"syscall"
)

// inode tells a file from another one that took its name. 0 where the system does not say.
func inode(fi fs.FileInfo) uint64 {
	if st, ok := fi.Sys().(*syscall.Stat_t); ok {
		return uint64(st.Ino)
	}
	return 0
}
