package doctor

import (
	"bufio"
	"fmt"
	"io"
	"iter"
	"path/filepath"
	"strings"

	"hooks/internal/regular"
)

// mostRead bounds what is read of one file, in bytes.
const mostRead = 16 << 20

// read is a regular file's text; what is longer than mostRead is left out.
func read(path string) (string, error) {
	f, _, err := regular.Open(path)
	if err != nil {
		return "", err
	}
	defer f.Close()
	text, err := io.ReadAll(io.LimitReader(f, mostRead))
	return string(text), err
}

// shown is a path as people read it: relative to the project or to their home.
func (m *machine) shown(path string) string {
	if rel, err := filepath.Rel(m.project, path); err == nil && filepath.IsLocal(rel) {
		return filepath.ToSlash(rel)
	}
	if rel, err := filepath.Rel(m.home(), path); err == nil && m.home() != "" && filepath.IsLocal(rel) {
		return "~/" + filepath.ToSlash(rel)
	}
	return path
}

// count is a number of things, as in "1 line" and "2 lines".
func count(n int, thing string) string {
	if n == 1 {
		return "1 " + thing
	}
	if strings.HasSuffix(thing, "s") {
		thing += "e"
	}
	return fmt.Sprintf("%d %ss", n, thing)
}

func join(list []string) string { return strings.Join(list, ", ") }

// bounded gives the lines of a file, without their ends, up to a number of bytes; a line over 8 MiB ends it.
func bounded(f io.Reader, limit int64) iter.Seq[[]byte] {
	return func(yield func([]byte) bool) {
		in := bufio.NewScanner(io.LimitReader(f, limit))
		in.Buffer(make([]byte, 64<<10), 8<<20)
		for in.Scan() {
			if !yield(in.Bytes()) {
				return
			}
		}
	}
}
