package shell

import (
	"strings"

	"hooks/internal/guard/shellword"

	"mvdan.cc/sh/v3/syntax"
)

// redirected runs a statement with its redirections: here-documents and files feed it, files take
// what it prints.
func (f *Frame) redirected(s *syntax.Stmt) string {
	saved := f.Stdin
	var files []redirect
	lost := false
	for _, r := range s.Redirs {
		to := f.redirect(r)
		if lost = lost || to.stdout; to.path != "" {
			files = append(files, to)
		}
	}
	out := f.command(s.Cmd)
	for _, to := range files {
		text := out
		if !to.stdout {
			text = shellword.Unknown
		}
		f.WriteFile(to.path, text, to.append)
	}
	if s.Cmd == nil && f.Stdin != saved { // $(< file)
		out = f.Stdin.Text
	}
	if s.Cmd == nil || !isExec(s.Cmd) {
		f.Stdin = saved
	}
	if lost {
		return ""
	}
	return out
}

// isExec reports whether a command is an exec that only redirects: what it opens stays open.
func isExec(c syntax.Command) bool {
	call, ok := c.(*syntax.CallExpr)
	return ok && len(call.Args) == 1 && call.Args[0].Lit() == "exec"
}

// redirect is where one redirection sends a command's output.
type redirect struct {
	path   string // "" for no file
	append bool
	stdout bool // standard output goes there, and nowhere else
}

// redirect applies one redirection.
func (f *Frame) redirect(r *syntax.Redirect) redirect {
	if r.Op == syntax.Hdoc || r.Op == syntax.DashHdoc {
		f.Stdin = &Stream{Text: f.hereDoc(r)}
		return redirect{}
	}
	fd := ""
	if r.N != nil {
		fd = r.N.Value
	}
	w := f.Whole(r.Word)
	switch r.Op {
	case syntax.WordHdoc:
		f.Stdin = &Stream{Text: w.Text + "\n"}
		return redirect{}
	case syntax.RdrIn:
		if fd == "" || fd == "0" {
			f.Stdin = &Stream{Text: f.FileText(w.Text)}
		}
		return redirect{}
	case syntax.DplIn:
		return redirect{}
	case syntax.DplOut: // >&2, >&- and the old spelling >&file
		if strings.Trim(w.Text, "0123456789-"+shellword.Unknown) == "" {
			return redirect{stdout: fd != "2" && w.Text != "1"}
		}
	}
	stdout := fd == "" || fd == "1" || strings.HasPrefix(fd, "{")
	switch w.Text {
	case "/dev/null", "/dev/stderr", "/dev/tty", "/dev/fd/2":
		return redirect{stdout: stdout}
	case "/dev/stdout", "/dev/fd/1", "/proc/self/fd/1", "-":
		return redirect{}
	}
	f.Writes(w, "> "+w.Show())
	add := r.Op == syntax.AppOut || r.Op == syntax.AppAll
	return redirect{path: w.Text, append: add, stdout: stdout}
}

// hereDoc is the text of a here-document; a quoted delimiter keeps it as written.
func (f *Frame) hereDoc(r *syntax.Redirect) string {
	if r.Hdoc == nil {
		return ""
	}
	b := &builder{f: f}
	end := r.Word.Lit() // "" for a quoted one
	literal := end == "" || strings.Contains(end, `\`)
	for _, p := range r.Hdoc.Parts {
		if l, ok := p.(*syntax.Lit); ok && literal {
			b.quote(l.Value)
			continue
		}
		f.quotedPart(b, p, "$`\\")
	}
	text := b.text.String()
	if r.Op == syntax.DashHdoc {
		lines := strings.Split(text, "\n")
		for i, l := range lines {
			lines[i] = strings.TrimLeft(l, "\t")
		}
		text = strings.Join(lines, "\n")
	}
	f.M.Burn(len(text) / 64)
	return text
}
