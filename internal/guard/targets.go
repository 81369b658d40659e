package guard

import (
	"path"
	"strings"
)

// absolute is a path as written, seen from a directory.
func absolute(p, cwd string) string {
	for _, v := range []string{"${PWD}", "$PWD", "${CLAUDE_PROJECT_DIR}", "$CLAUDE_PROJECT_DIR"} {
		p = strings.ReplaceAll(p, v, cwd)
	}
	f := frame{cwd: cwd}
	return f.resolve(strings.Trim(p, `"'`))
}

// linked follows names that this call linked to a directory.
func (f *frame) linked(full string) string {
	for dir := full; len(dir) > 1 && dir != "."; dir = path.Dir(dir) {
		if v, ok := f.m.fs[dir]; ok && v.link != "" {
			return v.link + full[len(dir):]
		}
	}
	return full
}

// kindAt judges a word as a path to be written.
func (f *frame) kindAt(w word) guardedKind {
	full := f.linked(f.resolve(w.text))
	pat := ""
	if w.pat != "" {
		pat = f.resolvePat(w.pat)
	}
	if kind := kindOfPath(full, pat); kind != ordinary {
		return kind
	}
	return f.onDisk(full)
}

// onDisk judges a path by where its links lead, as those of a checked-out repository may, and by the loop's own paths.
func (f *frame) onDisk(full string) guardedKind {
	if unknown(full) || full == "" {
		return ordinary
	}
	for _, own := range f.m.call.Own {
		if full == own || strings.HasPrefix(full, strings.TrimSuffix(own, ".jsonl")+"/") {
			return stateKind
		}
	}
	links, ok := f.m.files.(Links)
	if !ok || f.m.reads >= maxReads || full[0] == '~' {
		return ordinary
	}
	f.m.reads++
	return kindOfPath(links.RealPath(full), "")
}

// resolvePat is resolve for a pattern: its backslashes are escapes.
func (f *frame) resolvePat(pat string) string {
	if pat[0] == '/' || pat[0] == '~' || f.cwd == "" {
		return path.Clean(pat)
	}
	return path.Clean(f.cwd + "/" + pat)
}

// guarded tells whether a path is of the loop's own or a registration.
func (f *frame) guarded(p string) bool {
	return p != "" && len(p) < 4096 && f.kindAt(lit(p)) != ordinary
}

// covers tells whether removing or moving the directory takes the loop's files with it.
func (f *frame) covers(w word) bool {
	full := f.linked(f.resolve(w.text))
	if w.pat != "" {
		full = f.resolvePat(w.pat)
	}
	if full == "" || blank(full) {
		return false
	}
	parts := strings.Split(strings.ToLower(full), "/")
	last := parts[len(parts)-1]
	if partMatches(last, ".sdd") || len(parts) > 1 && parts[len(parts)-2] == ".sdd" && strings.Trim(last, hole) == "" {
		return true
	}
	for _, own := range f.m.call.Own {
		if strings.HasPrefix(own, strings.TrimSuffix(full, "/")+"/") {
			return true
		}
	}
	root := f.m.call.Cwd
	return root != "" && (root == full || strings.HasPrefix(root, strings.TrimSuffix(full, "/")+"/"))
}

// writes records that a word's path is written, when it is one that the loop guards.
func (f *frame) writes(w word, how string) {
	if w.text == "" {
		return
	}
	switch f.kindAt(w) {
	case stateKind:
		f.act(Act{Kind: WriteState, Ref: w.text, Command: clip(strings.ReplaceAll(how, hole, "…"), 300)}, nil)
	case registration:
		f.act(Act{Kind: DropRegistration, Ref: w.text, Command: clip(strings.ReplaceAll(how, hole, "…"), 300)}, nil)
	default:
		if blank(w.text) && strings.Contains(f.m.call.commandText(), ".claude/projects") { // a transcript that was looked for
			f.stateAct(nil, how)
		}
		if has("CLAUDE.md AGENTS.md", programName(w.text)) {
			f.act(Act{Kind: WriteConfig, Ref: f.resolve(w.text), Command: clip(strings.ReplaceAll(how, hole, "…"), 300)}, nil)
		}
	}
}

// pathAct is writes for a path that stands in a program's text.
func (f *frame) pathAct(p, how string) {
	if f.kindAt(lit(p)) == registration {
		f.act(Act{Kind: DropRegistration, Ref: p, Command: how}, nil)
		return
	}
	f.act(Act{Kind: WriteState, Ref: p, Command: how}, nil)
}

// takes records that a path is removed or moved away, with what is in it.
func (f *frame) takes(w word, how string, whole bool) {
	if f.kindAt(w) != ordinary {
		f.writes(w, how)
		return
	}
	if whole && f.covers(w) {
		f.act(Act{Kind: WriteState, Ref: w.text, Command: clip(how, 300)}, nil)
	}
}

func (f *frame) stateAct(args []word, how string) {
	f.act(Act{Kind: WriteState, Ref: ".sdd/loop", Command: clip(how, 300)}, args)
}
