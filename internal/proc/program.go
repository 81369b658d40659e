package proc

import (
	"bytes"
	"encoding/binary"
	"io"
	"os"

	"hooks/internal/loop"
)

// Self identifies the running program, but for its version. What the system does not report is
// empty.
func Self() loop.Program {
	path, err := os.Executable()
	if err != nil {
		return loop.Program{}
	}
	p, _ := Identify(path)
	return p
}

// Identify distinguishes a binary from every other without running it; Version is not known that
// way.
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

// buildID finds the linker's build id in the first bytes of a binary: a note in ELF files, a marked
// text in others.
func buildID(head []byte) string {
	if bytes.HasPrefix(head, []byte("\x7fELF")) {
		return elfNote(head)
	}
	_, rest, ok := bytes.Cut(head, []byte("\xff Go build ID: \""))
	id, _, closed := bytes.Cut(rest, []byte("\"\n \xff"))
	if !ok || !closed {
		return ""
	}
	return string(id)
}

// elfNote reads the note of the name "Go" and the type 4: length of its name, length of its text,
// type, name, text.
func elfNote(head []byte) string {
	var order binary.ByteOrder = binary.LittleEndian
	if len(head) > 5 && head[5] == 2 {
		order = binary.BigEndian
	}
	for at := 12; at < len(head); {
		i := bytes.Index(head[at:], []byte("Go\x00\x00"))
		if i < 0 {
			return ""
		}
		at += i
		size := int(order.Uint32(head[at-8:]))
		named := order.Uint32(head[at-12:]) == 4 && order.Uint32(head[at-4:]) == 4
		if named && size < 1024 && at+4+size <= len(head) {
			return string(head[at+4 : at+4+size])
		}
		at += 4
	}
	return ""
}
