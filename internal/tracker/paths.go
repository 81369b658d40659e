package tracker

import "path/filepath"

// RealPath resolves the symbolic links of a path as far as the path exists. The result is absolute.
func RealPath(path string) string {
	if abs, err := filepath.Abs(path); err == nil {
		path = abs
	}
	real, err := filepath.EvalSymlinks(path)
	if dir := filepath.Dir(path); err != nil && dir != path {
		return filepath.Join(RealPath(dir), filepath.Base(path))
	} else if err != nil {
		return path
	}
	return real
}
