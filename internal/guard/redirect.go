package guard

import (
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// redirected runs a statement with its redirections: here-documents and files feed it, files take what it prints.
func (f *frame) redirected(s *syntax.Stmt) string {
	saved := f.stdin
	var sinks []redirect
	lost := false
	for _, r := range s.Redirs {
		sink, kept := f.redirect(r)
		if sink.path != "" {
			sinks = append(sinks, sink)
		}
		lost = lost || !kept
	}
	out := f.command(s.Cmd)
	if f.stdin != saved && s.Cmd != nil && !isExec(s.Cmd) {
		f.stdin = saved
	}
	for _, sink := range sinks {
		text := out
		if sink.stderr {
			text = hole
		}
		if s.Cmd == nil {
			text = ""
		}
		f.writeFile(sink.path, text, sink.append)
	}
	if s.Cmd == nil && f.stdin != saved && f.stdin != nil {
		out = f.stdin.text // $(< file)
		f.stdin = saved
	}
	if lost {
		return ""
	}
	return out
}

// redirect is where one redirection sends a command's output.
type redirect struct {
	path   string
	append bool
	stderr bool
}

// isExec tells an exec that only redirects: what it opens stays open.
func isExec(c syntax.Command) bool {
	call, ok := c.(*syntax.CallExpr)
	return ok && len(call.Args) == 1 && call.Args[0].Lit() == "exec"
}

// redirect applies one redirection; kept tells whether standard output still goes where it went.
func (f *frame) redirect(r *syntax.Redirect) (to redirect, kept bool) {
	fd := ""
	if r.N != nil {
		fd = r.N.Value
	}
	switch r.Op {
	case syntax.Hdoc, syntax.DashHdoc:
		f.stdin = &stream{text: f.hereDoc(r)}
	case syntax.WordHdoc:
		f.stdin = &stream{text: f.whole(r.Word).text + "\n"}
	case syntax.RdrIn, syntax.DplIn:
		f.openInput(r, fd)
	case syntax.DplOut:
		return f.duplicate(r, fd)
	default:
		w := f.whole(r.Word)
		return f.output(w, fd, r.Op == syntax.AppOut || r.Op == syntax.AppAll)
	}
	return redirect{}, true
}

func (f *frame) openInput(r *syntax.Redirect, fd string) {
	w := f.whole(r.Word)
	if fd != "" && fd != "0" || r.Op == syntax.DplIn {
		return
	}
	f.stdin = &stream{text: f.fileText(w.text)}
}

// duplicate is >&2, >&- and the old spelling >&file.
func (f *frame) duplicate(r *syntax.Redirect, fd string) (redirect, bool) {
	w := f.whole(r.Word)
	if w.text == "-" || strings.Trim(w.text, "0123456789-"+hole) == "" {
		return redirect{}, fd == "2" || w.text == "1"
	}
	return f.output(w, fd, false)
}

func (f *frame) output(w word, fd string, add bool) (redirect, bool) {
	stdout := fd == "" || fd == "1" || strings.HasPrefix(fd, "{")
	switch w.text {
	case "/dev/null":
		return redirect{}, !stdout
	case "/dev/stdout", "/dev/fd/1", "/proc/self/fd/1", "-":
		return redirect{}, true
	case "/dev/stderr", "/dev/tty", "/dev/fd/2":
		return redirect{}, !stdout
	}
	f.writes(w, "> "+w.show())
	return redirect{path: w.text, append: add, stderr: !stdout}, !stdout
}

// hereDoc is the text of a here-document; a quoted delimiter keeps it as written.
func (f *frame) hereDoc(r *syntax.Redirect) string {
	if r.Hdoc == nil {
		return ""
	}
	b := &builder{f: f}
	literal := quotedDelimiter(r.Word)
	for _, p := range r.Hdoc.Parts {
		l, ok := p.(*syntax.Lit)
		switch {
		case ok && literal:
			b.quote(l.Value)
		case ok:
			b.quote(dblQuoted(l.Value, "$`\\"))
		default:
			f.quotedPart(b, p)
		}
	}
	text := b.text.String()
	if r.Op == syntax.DashHdoc {
		text = untab(text)
	}
	f.m.spend(len(text) / 64)
	return text
}

func quotedDelimiter(w *syntax.Word) bool {
	for _, p := range w.Parts {
		l, ok := p.(*syntax.Lit)
		if !ok || strings.Contains(l.Value, `\`) {
			return true
		}
	}
	return false
}

func untab(text string) string {
	lines := strings.Split(text, "\n")
	for i, l := range lines {
		lines[i] = strings.TrimLeft(l, "\t")
	}
	return strings.Join(lines, "\n")
}
