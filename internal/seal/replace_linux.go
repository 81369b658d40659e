package seal

import (
	"os"

	"golang.org/x/sys/unix"
)

// over gives a complete file another's name. Where there is one the two change names: a rename over
// a file makes some file systems write the new one out, which a record does not need.
func over(tmp, path string) error {
	if unix.Renameat2(unix.AT_FDCWD, tmp, unix.AT_FDCWD, path, unix.RENAME_EXCHANGE) == nil {
		return os.Remove(tmp)
	}
	return os.Rename(tmp, path)
}
