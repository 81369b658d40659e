package plain

import (
	"path"
	"strings"

	"hooks/internal/guard/effect"
	"hooks/internal/guard/shellword"
)

// Resolve joins p to the shell's working directory and cleans the path. The result is absolute if
// that directory is known. A leading "~" is kept.
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

// Open returns a file's contents as Files returns them. ok is false if the file cannot be read or
// the work budget is exhausted.
func (f *Frame) Open(p string) (text string, ok bool) {
	full := f.Resolve(p)
	if full == "" || f.M.Files == nil || shellword.HasUnknown(full) || !f.M.Burn(100) {
		return "", false
	}
	text, ok = f.M.Files(full)
	f.M.Burn(len(text) / 256)
	return text, ok
}

// FileText returns the text of file p. For a name of standard input, such as "-", it returns the
// text of the pipe or redirection, or an empty text if the command inherits the call's input. It
// returns Unknown if the file cannot be read or is longer than effect.MaxFile.
func (f *Frame) FileText(p string) string {
	switch p {
	case "/dev/null":
		return ""
	case "-", "/dev/stdin", "/dev/fd/0", "/proc/self/fd/0":
		if f.Stdin == nil {
			return ""
		}
		return *f.Stdin
	}
	text, ok := f.Open(p)
	if !ok || len(text) > effect.MaxFile {
		return shellword.Unknown
	}
	return text
}
