package shell

import (
	"fmt"
	"path"
	"strconv"
	"strings"

	"hooks/internal/guard/effect"
	"hooks/internal/guard/shellword"
)

// Resolve is a path as the shell's place makes it: absolute where the place is known. "~" stays.
func (f *Frame) Resolve(p string) string {
	if p == "" {
		return ""
	}
	p = strings.ReplaceAll(p, `\`, "/")
	if p[0] == '/' || p[0] == '~' || strings.HasPrefix(p, shellword.Unknown) || f.Cwd == "" ||
		drive(p) {
		return path.Clean(p)
	}
	return path.Clean(f.Cwd + "/" + p)
}

func drive(p string) bool { return len(p) > 2 && p[1] == ':' && p[2] == '/' }

// Origin is where a file's text comes from.
type Origin int

const (
	Nowhere Origin = iota // cannot be read: most likely not there
	Disk                  // a file of the project
	Fresh                 // written by this very call
)

// Open gives a file's text. A fresh file that holds unknown text gives a hole; of one longer than
// act.MaxFile the beginning is given, longer than that too.
func (f *Frame) Open(p string) (string, Origin) { return f.open(p, maxReads) }

// open is Open as long as fewer than so many files were read.
func (f *Frame) open(p string, most int) (string, Origin) {
	switch p {
	case "", "/dev/null":
		return "", Nowhere
	case "-", "/dev/stdin", "/dev/fd/0", "/proc/self/fd/0":
		if f.Stdin == nil {
			return "", Nowhere
		}
		return f.Stdin.Text, Fresh
	}
	full := f.Resolve(p)
	if !f.M.Burn(1) { // links may lead in a circle
		return "", Nowhere
	}
	if v, ok := f.M.fs[full]; ok {
		if v.link != "" && v.link != full {
			return f.open(v.link, most)
		}
		return v.text, Fresh
	}
	if f.M.Files == nil || shellword.HasUnknown(full) {
		return "", Nowhere
	}
	text, ok := f.M.onDisk(full, most)
	if !ok {
		return "", Nowhere
	}
	f.M.Burn(len(text) / 256)
	return text, Disk
}

// onDisk reads a file of the project, each once.
func (m *Machine) onDisk(full string, most int) (text string, ok bool) {
	if text, ok = m.disk[full]; ok {
		return text, text != ""
	}
	if m.reads >= most {
		m.unread = m.unread || most == maxReads
		return "", false
	}
	m.reads++
	if text, ok = m.Files.ReadFile(full); !ok {
		text = ""
	}
	m.disk[full] = text
	return text, ok
}

// Wrote returns the text that this call left in a file, "" if it wrote none.
func (f *Frame) Wrote(p string) string { return f.M.fs[f.Resolve(p)].text }

// FileText returns a file's text for a reader of data, unknown text if it cannot be read.
func (f *Frame) FileText(p string) string {
	if p == "/dev/null" {
		return ""
	}
	text, from := f.open(p, maxReads/2) // data leaves some reads for programs
	if from == Nowhere || from == Disk && len(text) > effect.MaxFile {
		return shellword.Unknown
	}
	return text
}

// Unread reports whether a program's text cannot be had because a bound was hit, which shuts the
// call.
func (f *Frame) Unread(text string, from Origin) bool {
	switch {
	case from == Nowhere && f.M.unread && !f.M.InHook:
		f.M.Shut(fmt.Sprintf("more than %d files to read", maxReads))
	case from == Disk && len(text) > effect.MaxFile && !binary(text):
		f.M.Shut(fmt.Sprintf("a program longer than %d bytes", effect.MaxFile))
	default:
		return false
	}
	return true
}

func binary(text string) bool {
	return strings.HasPrefix(text, "\x7fELF") ||
		strings.IndexByte(shellword.Clip(text, 512), 0) >= 0
}

// WriteFile notes what the call leaves in a file, so that running the file later on can be read.
func (f *Frame) WriteFile(p, text string, add bool) {
	full := f.Resolve(p)
	if strings.HasPrefix(full, "/dev/tcp/") || strings.HasPrefix(full, "/dev/udp/") {
		f.M.World.Socket(f, text)
		return
	}
	v, ok := f.M.fs[full]
	if add {
		if !ok {
			v.text = ""
			if old, from := f.Open(p); from == Disk {
				v.text = old
			}
		}
		text = v.text + text
	}
	if f.M.mayWrite(full) {
		f.M.fs[full] = written{text: shellword.ClipHole(text)}
	}
}

// mayWrite reports whether one more file is remembered.
func (m *Machine) mayWrite(full string) bool {
	if _, known := m.fs[full]; !known && len(m.fs) >= maxWritten {
		m.Bounded(fmt.Sprintf("more than %d files written", maxWritten), m.texts()...)
		return false
	}
	return true
}

// CopyFile notes cp, mv, ln and install of one file to one place.
func (f *Frame) CopyFile(from, to string) {
	if shellword.HasUnknown(from) || shellword.HasUnknown(to) {
		return
	}
	src, dst := f.Resolve(from), f.Resolve(to)
	if !f.M.mayWrite(dst) {
		return
	}
	v, ok := f.M.fs[src]
	if !ok {
		v = written{link: src}
	}
	f.M.fs[dst] = v
}

// RunFile runs a file of shell text in a shell of its own.
func (f *Frame) RunFile(p string, args []shellword.Word, label string) (ran bool) {
	text, from := f.Open(p)
	if f.Unread(text, from) || from == Nowhere {
		return false
	}
	defer f.Through(label)()
	g := f.Child()
	g.Args, g.Name = shellword.Texts(args), p
	g.Script(text, from, p)
	return true
}

// InFile marks the text that is walked next as a part of a program's file.
func (f *Frame) InFile(p string, from Origin) {
	f.Disk = f.Disk || from == Disk
	f.via = append(f.via, p)
}

// Script runs a file's text by its first line: shell text, or a program of another language.
func (f *Frame) Script(text string, from Origin, p string) {
	if f.Unread(text, from) || binary(text) {
		return
	}
	f.Disk = f.Disk || from == Disk
	if shellword.Blank(text) {
		f.Opaque(p, "a file whose text is only known when it runs")
		return
	}
	first, _, _ := strings.Cut(text, "\n")
	if lang := interpreter(first); lang != "" && !shellword.IsShell(lang) {
		f.M.World.Script(f, lang, text)
		return
	}
	f.Run(text)
}

// interpreter is the program that a #! line names.
func interpreter(line string) string {
	line, ok := strings.CutPrefix(line, "#!")
	for i, w := range strings.Fields(line) {
		name := path.Base(w)
		if ok && name != "env" && w[0] != '-' && (i == 0 || !strings.Contains(w, "=")) {
			return name
		}
	}
	return ""
}

// TempFile is the name of a new file.
func (f *Frame) TempFile() string {
	f.M.fds++
	return "/tmp/tmp." + strconv.Itoa(f.M.fds)
}
