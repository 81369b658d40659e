package guard

import (
	"path"
	"strconv"
	"strings"
)

// resolve is a path as the shell's place makes it: absolute where the place is known. "~" stays.
func (f *frame) resolve(p string) string {
	if p == "" {
		return ""
	}
	p = strings.ReplaceAll(p, `\`, "/")
	if p[0] == '/' || p[0] == '~' || strings.HasPrefix(p, hole) || f.cwd == "" || drive(p) {
		return path.Clean(p)
	}
	return path.Clean(f.cwd + "/" + p)
}

func drive(p string) bool { return len(p) > 2 && p[1] == ':' && p[2] == '/' }

// origin says where a file's text comes from.
type origin int

const (
	nowhere origin = iota // cannot be read: most likely not there
	disk                  // a file of the project
	fresh                 // written by this very call
)

// open gives a file's text. A fresh file that holds unknown text gives a hole.
func (f *frame) open(p string) (string, origin) {
	switch p {
	case "", "/dev/null":
		return "", nowhere
	case "-", "/dev/stdin", "/dev/fd/0", "/proc/self/fd/0":
		if f.stdin == nil {
			return "", nowhere
		}
		return f.stdin.text, fresh
	}
	full := f.resolve(p)
	if !f.m.spend(1) { // links may lead in a circle
		return "", nowhere
	}
	if v, ok := f.m.fs[full]; ok {
		if v.gone {
			return "", nowhere
		}
		if v.link != "" && v.link != full {
			return f.open(v.link)
		}
		return v.text, fresh
	}
	if f.m.files == nil || f.m.reads >= maxReads || unknown(full) {
		return "", nowhere
	}
	f.m.reads++
	text, ok := f.m.files.ReadFile(full)
	if !ok || len(text) > 4*maxText {
		return "", nowhere
	}
	f.m.spend(len(text) / 256)
	return text, disk
}

// fileText is a file's text for a reader of data: a hole when it is not known.
func (f *frame) fileText(p string) string {
	if p == "/dev/null" {
		return ""
	}
	text, from := f.open(p)
	if from == nowhere || len(text) > maxText {
		return hole
	}
	return text
}

// writeFile notes what the call leaves in a file, so that running the file later on can be read.
func (f *frame) writeFile(p, text string, add bool) {
	full := f.resolve(p)
	if strings.HasPrefix(full, "/dev/tcp/") || strings.HasPrefix(full, "/dev/udp/") {
		f.m.world.Socket(f, text)
		return
	}
	v, ok := f.m.fs[full]
	if ok && v.sink != nil {
		v.sink(text)
		return
	}
	if add {
		if !ok {
			v.text = ""
			if old, from := f.open(p); from == disk {
				v.text = old
			}
		}
		text = v.text + text
	}
	if len(f.m.fs) < 500 {
		f.m.fs[full] = vfile{text: clipHole(text)}
	}
}

// copyFile notes cp, mv, ln and install of one file to one place.
func (f *frame) copyFile(from, to string) {
	if unknown(from) || unknown(to) {
		return
	}
	src, dst := f.resolve(from), f.resolve(to)
	if v, ok := f.m.fs[src]; ok {
		f.m.fs[dst] = v
		return
	}
	if len(f.m.fs) < 500 {
		f.m.fs[dst] = vfile{link: src}
	}
}

// runFile runs a file of shell text in a shell of its own.
func (f *frame) runFile(p string, args []word, label string) (ran bool) {
	text, from := f.open(p)
	if from == nowhere {
		return false
	}
	defer f.through(label)()
	g := f.child()
	g.args, g.name = texts(args), p
	g.script(text, from, p)
	return true
}

// inFile notes that what follows stands in a program's file.
func (f *frame) inFile(p string, from origin) {
	f.disk, f.file = f.disk || from == disk, true
	f.via = append(f.via, p)
}

// script runs a file's text by its first line: shell text, or a program of another language.
func (f *frame) script(text string, from origin, p string) {
	if len(text) > maxText {
		if from == fresh {
			f.opaque(p, "a file too long to be read")
		}
		return
	}
	f.disk = f.disk || from == disk
	if blank(text) {
		f.opaque(p, "a file whose text is only known when it runs")
		return
	}
	if lang := shebang(text); lang != "" && !isShell(lang) {
		f.m.world.Script(f, lang, text)
		return
	}
	if strings.HasPrefix(text, "\x7fELF") || strings.IndexByte(clip(text, 512), 0) >= 0 {
		return
	}
	if lang := languageOf(p); lang != "" && !strings.HasPrefix(text, "#!") {
		f.m.world.Script(f, lang, text)
		return
	}
	f.run(text)
}

// shebang is the interpreter named by a #! line.
func shebang(text string) string {
	if !strings.HasPrefix(text, "#!") {
		return ""
	}
	line, _, _ := strings.Cut(text[2:], "\n")
	words := strings.Fields(line)
	for i, w := range words {
		name := path.Base(w)
		if name == "env" || strings.HasPrefix(w, "-") || i > 0 && strings.Contains(w, "=") {
			continue
		}
		return name
	}
	return ""
}

// languageOf tells the language of a program by its file's name.
func languageOf(p string) string {
	switch path.Ext(p) {
	case ".py":
		return "python"
	case ".js", ".mjs", ".cjs", ".ts", ".mts", ".tsx":
		return "node"
	case ".rb":
		return "ruby"
	case ".pl", ".pm":
		return "perl"
	case ".php":
		return "php"
	case ".lua":
		return "lua"
	case ".go":
		return "go"
	}
	return ""
}

// gone notes that a file of this call was taken away.
func (f *frame) gone(w word) {
	if w.known() && w.pat == "" {
		if _, ok := f.m.fs[f.resolve(w.text)]; ok {
			f.m.fs[f.resolve(w.text)] = vfile{gone: true}
		}
	}
}

// blur notes that a file of this call was changed in a way that is not followed.
func (f *frame) blur(p string) {
	if v, ok := f.m.fs[f.resolve(p)]; ok && v.text != "" {
		f.writeFile(p, hole, false)
	}
}

// tempFile is the name of a new file.
func (f *frame) tempFile() string {
	f.m.fds++
	return "/tmp/tmp." + strconv.Itoa(f.m.fds)
}
