package shell

import (
	"strings"

	"hooks/internal/guard/word"

	"mvdan.cc/sh/v3/syntax"
)

// redirected runs a statement with its redirections: here-documents and files feed it, files take what it prints.
func (f *Frame) redirected(s *syntax.Stmt) string {
	saved := f.Stdin
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
	if f.Stdin != saved && s.Cmd != nil && !isExec(s.Cmd) {
		f.Stdin = saved
	}
	for _, sink := range sinks {
		text := out
		if sink.stderr {
			text = word.Hole
		}
		if s.Cmd == nil {
			text = ""
		}
		f.WriteFile(sink.path, text, sink.append)
	}
	if s.Cmd == nil && f.Stdin != saved && f.Stdin != nil {
		out = f.Stdin.Text // $(< file)
		f.Stdin = saved
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
func (f *Frame) redirect(r *syntax.Redirect) (to redirect, kept bool) {
	fd := ""
	if r.N != nil {
		fd = r.N.Value
	}
	switch r.Op {
	case syntax.Hdoc, syntax.DashHdoc:
		f.Stdin = &Stream{Text: f.hereDoc(r)}
	case syntax.WordHdoc:
		f.Stdin = &Stream{Text: f.Whole(r.Word).Text + "\n"}
	case syntax.RdrIn, syntax.DplIn:
		f.openInput(r, fd)
	case syntax.DplOut:
		return f.duplicate(r, fd)
	default:
		w := f.Whole(r.Word)
		return f.output(w, fd, r.Op == syntax.AppOut || r.Op == syntax.AppAll)
	}
	return redirect{}, true
}

func (f *Frame) openInput(r *syntax.Redirect, fd string) {
	w := f.Whole(r.Word)
	if fd != "" && fd != "0" || r.Op == syntax.DplIn {
		return
	}
	f.Stdin = &Stream{Text: f.FileText(w.Text)}
}

// duplicate is >&2, >&- and the old spelling >&file.
func (f *Frame) duplicate(r *syntax.Redirect, fd string) (redirect, bool) {
	w := f.Whole(r.Word)
	if w.Text == "-" || strings.Trim(w.Text, "0123456789-"+word.Hole) == "" {
		return redirect{}, fd == "2" || w.Text == "1"
	}
	return f.output(w, fd, false)
}

func (f *Frame) output(w word.Word, fd string, add bool) (redirect, bool) {
	stdout := fd == "" || fd == "1" || strings.HasPrefix(fd, "{")
	switch w.Text {
	case "/dev/null":
		return redirect{}, !stdout
	case "/dev/stdout", "/dev/fd/1", "/proc/self/fd/1", "-":
		return redirect{}, true
	case "/dev/stderr", "/dev/tty", "/dev/fd/2":
		return redirect{}, !stdout
	}
	f.Writes(w, "> "+w.Show())
	return redirect{path: w.Text, append: add, stderr: !stdout}, !stdout
}

// hereDoc is the text of a here-document; a quoted delimiter keeps it as written.
func (f *Frame) hereDoc(r *syntax.Redirect) string {
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
	f.M.Spend(len(text) / 64)
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
