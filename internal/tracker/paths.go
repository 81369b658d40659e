package tracker

import (
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
)

// RealPath resolves the symbolic links of a path as far as it exists. The result is absolute.
func RealPath(path string) string { return new(Paths).Real(path) }

// Paths resolves many paths at one moment and looks each folder up once.
type Paths struct{ known map[string]string }

// Real is RealPath.
func (p *Paths) Real(path string) string {
	if abs, err := filepath.Abs(path); err == nil {
		path = abs
	}
	return p.real(path)
}

// real takes an absolute path without dots.
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

// follow resolves the last part of a path.
func follow(path string) string {
	info, err := os.Lstat(path)
	plain := err == nil && info.Mode()&(fs.ModeSymlink|fs.ModeIrregular) == 0
	if err != nil || plain && runtime.GOOS != "windows" { // which has many names for one file
		return path
	}
	if target, err := filepath.EvalSymlinks(path); err == nil {
		return target
	}
	return path
}
