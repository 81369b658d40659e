package seal

import (
	"os"

	"golang.org/x/sys/unix"
)

// replaceFile renames tmp to path. It first tries to exchange the two names: on some file systems,
// a rename over an existing file forces the new one to disk, which a record does not need.
func replaceFile(tmp, path string) error {
	if unix.Renameat2(unix.AT_FDCWD, tmp, unix.AT_FDCWD, path, unix.RENAME_EXCHANGE) == nil {
		return os.Remove(tmp)
	}
	return os.Rename(tmp, path)
}
