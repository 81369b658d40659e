//go:build !unix

package usage

import "io/fs"

// inode is 0, because the system does not identify a file by its FileInfo. A replaced file is then
// recognised by its size and by the text before the cursor.
func inode(fs.FileInfo) uint64 { return 0 }
