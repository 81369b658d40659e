package doctor

import (
	"cmp"

	"golang.org/x/sys/unix"
)

// filesystem returns the kind of file system that a folder lies on, and its free bytes. Only kinds
// that a project is likely to lie on have a name.
func filesystem(path string) (kind string, free uint64, ok bool) {
	var st unix.Statfs_t
	if err := unix.Statfs(path, &st); err != nil {
		return "", 0, false
	}
	name := map[int64]string{
		unix.EXT4_SUPER_MAGIC: "ext4", unix.XFS_SUPER_MAGIC: "xfs", 0x2fc12fc1: "zfs",
		unix.BTRFS_SUPER_MAGIC: "btrfs", unix.F2FS_SUPER_MAGIC: "f2fs", unix.TMPFS_MAGIC: "tmpfs",
		unix.OVERLAYFS_SUPER_MAGIC: "overlayfs", unix.NFS_SUPER_MAGIC: "nfs",
		unix.SMB_SUPER_MAGIC: "smb", unix.SMB2_SUPER_MAGIC: "smb", unix.CIFS_SUPER_MAGIC: "cifs",
		unix.V9FS_MAGIC: "9p", unix.FUSE_SUPER_MAGIC: "fuse", unix.AFS_SUPER_MAGIC: "afs",
		unix.MSDOS_SUPER_MAGIC: "vfat", unix.EXFAT_SUPER_MAGIC: "exfat",
	}[int64(st.Type)]
	return cmp.Or(name, "another file system"), st.Bavail * uint64(st.Bsize), true
}
