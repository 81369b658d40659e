package proc

import (
	"bytes"
	"encoding/binary"
	"io"
	"os"

	"hooks/internal/loop"
)

// Self identifies the running program, without its version. Facts that the system does not report
// are empty.
func Self() loop.Program {
	path, err := os.Executable()
	if err != nil {
		return loop.Program{}
	}
	p, _ := Identify(path)
	return p
}

// Identify returns a binary's path, size and build id without running it. Version stays empty.
func Identify(path string) (loop.Program, error) {
	p := loop.Program{Path: path}
	f, err := os.Open(path)
	if err != nil {
		return p, err
	}
	defer f.Close()
	if info, err := f.Stat(); err == nil {
		p.Size = info.Size()
	}
	head := make([]byte, 64<<10)
	n, _ := io.ReadFull(f, head)
	p.Build = buildID(head[:n])
	return p, nil
}

// buildID returns the linker's build id from the first bytes of a binary: a note with the name
// "Go" and type 4 in ELF files, a marked text in others.
func buildID(head []byte) string {
	if bytes.HasPrefix(head, []byte("\x7fELF")) {
		before, rest, ok := bytes.Cut(head, []byte("\x04\x00\x00\x00Go\x00\x00"))
		if !ok || len(before) < 4 {
			return ""
		}
		size := binary.LittleEndian.Uint32(before[len(before)-4:])
		return string(rest[:min(size, uint32(len(rest)))])
	}
	_, rest, ok := bytes.Cut(head, []byte("\xff Go build ID: \""))
	id, _, closed := bytes.Cut(rest, []byte("\"\n \xff"))
	if !ok || !closed {
		return ""
	}
	return string(id)
}
