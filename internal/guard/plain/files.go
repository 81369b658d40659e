package plain

import (
	"path"
	"strings"

	"hooks/internal/guard/effect"
	"hooks/internal/guard/shellword"
)

// Resolve returns p relative to the shell's working directory: absolute if that directory is known.
// It keeps "~".
func (f *Frame) Resolve(p string) string {
	if p == "" {
		return ""
	}
	p = strings.ReplaceAll(p, `\`, "/")
	drive := len(p) > 2 && p[1] == ':' && p[2] == '/'
	if p[0] == '/' || p[0] == '~' || strings.HasPrefix(p, shellword.Unknown) || f.Cwd == "" ||
		drive {
		return path.Clean(p)
	}
	return path.Clean(f.Cwd + "/" + p)
}

// Open gives the text of a file of the project, of a long one its beginning. ok is false if it
// cannot be read.
func (f *Frame) Open(p string) (text string, ok bool) {
	full := f.Resolve(p)
	if full == "" || f.M.Files == nil || shellword.HasUnknown(full) || !f.M.Burn(1) {
		return "", false
	}
	if text, ok = f.M.disk[full]; ok {
		return text, text != ""
	}
	if f.M.reads >= maxReads {
		return "", false
	}
	f.M.reads++
	if text, ok = f.M.Files.ReadFile(full); !ok {
		text = ""
	}
	f.M.disk[full] = text
	f.M.Burn(len(text) / 256)
	return text, ok
}

// FileText returns the text of a file or of standard input for a reader of data, unknown text if it
// cannot be read.
func (f *Frame) FileText(p string) string {
	switch p {
	case "/dev/null":
		return ""
	case "-", "/dev/stdin", "/dev/fd/0", "/proc/self/fd/0":
		if f.Stdin == nil {
			return ""
		}
		return f.Stdin.Text
	}
	text, ok := f.Open(p)
	if !ok || len(text) > effect.MaxFile {
		return shellword.Unknown
	}
	return text
}
