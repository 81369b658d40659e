package tracker

import (
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
)

// RealPath resolves the symbolic links of a path as far as the path exists. The result is absolute.
func RealPath(path string) string { return new(Paths).Real(path) }

// Paths resolves paths and caches the result for each directory.
type Paths struct{ known map[string]string }

// Real is like RealPath, but uses the cache.
func (p *Paths) Real(path string) string {
	if abs, err := filepath.Abs(path); err == nil {
		path = abs
	}
	return p.real(path)
}

// real resolves an absolute, clean path.
func (p *Paths) real(path string) string {
	if real, known := p.known[path]; known {
		return real
	}
	parent, real := filepath.Dir(path), path
	if parent != path {
		real = follow(filepath.Join(p.real(parent), filepath.Base(path)))
	}
	if p.known == nil {
		p.known = map[string]string{}
	}
	p.known[path] = real
	return real
}

// follow resolves the last element of a path.
func follow(path string) string {
	info, err := os.Lstat(path)
	plain := err == nil && info.Mode()&(fs.ModeSymlink|fs.ModeIrregular) == 0
	if err != nil || plain && runtime.GOOS != "windows" { // Windows has several names for one file
		return path
	}
	if target, err := filepath.EvalSymlinks(path); err == nil {
		return target
	}
	return path
}
