//go:build unix

package seal

import (
	"fmt"
	"io/fs"
	"syscall"
)

// folderID identifies a folder on this machine, whatever its path; "" if that is not known.
func folderID(info fs.FileInfo) string {
	if st, ok := info.Sys().(*syscall.Stat_t); ok {
		return fmt.Sprintf("%d:%d", st.Dev, st.Ino)
	}
	return ""
}
