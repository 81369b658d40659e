package proc

import (
	"bytes"
	"encoding/binary"
	"io"
	"os"

	"hooks/internal/loop"
)

// Self returns the path, the size and the build id of the running program, as far as the system
// reports them. Version stays empty.
func Self() (p loop.Program) {
	p.Path, _ = os.Executable()
	f, err := os.Open(p.Path)
	if err != nil {
		return p
	}
	defer f.Close()
	if info, err := f.Stat(); err == nil {
		p.Size = info.Size()
	}
	head := make([]byte, 64<<10)
	n, _ := io.ReadFull(f, head)
	p.Build = buildID(head[:n])
	return p
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
