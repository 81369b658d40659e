package doctor

import "golang.org/x/sys/unix"

// filesystem tells what a folder lies on and how many bytes are free there.
func filesystem(path string) (kind string, free uint64, ok bool) {
	var st unix.Statfs_t
	if err := unix.Statfs(path, &st); err != nil {
		return "", 0, false
	}
	return unix.ByteSliceToString(st.Fstypename[:]), st.Bavail * uint64(st.Bsize), true
}
