package doctor

import "golang.org/x/sys/unix"

// filesystem returns the kind of file system that a folder lies on, and its free bytes.
func filesystem(path string) (kind string, free uint64, ok bool) {
	var st unix.Statfs_t
	if err := unix.Statfs(path, &st); err != nil {
		return "", 0, false
	}
	return unix.ByteSliceToString(st.Fstypename[:]), st.Bavail * uint64(st.Bsize), true
}
