package plain

import (
	"path"
	"slices"
	"strings"

	"hooks/internal/guard/effect"
	"hooks/internal/guard/paths"
	"hooks/internal/guard/shellword"
)

// KindAt classifies a write to the path in a word like paths.Of, but also checks the loop's own
// paths and follows symbolic links, because a repository may contain a link to a guarded file.
func (f *Frame) KindAt(w shellword.Word) effect.Kind {
	full := f.Resolve(w.Text)
	kind := paths.Of(full)
	switch {
	case kind != "" || shellword.HasUnknown(full) || full == "":
		return kind
	case paths.Own(f.M.Call.Own, full), paths.Own(f.M.Call.Own, f.real(full)):
		return effect.WriteState
	}
	return paths.Of(f.real(full))
}

// real resolves the symbolic links in full. It returns full if they cannot be resolved.
func (f *Frame) real(full string) string {
	resolve := f.M.Call.RealPath
	if resolve == nil || full == "" || full[0] == '~' || shellword.HasUnknown(full) ||
		!f.M.Burn(20) {
		return full
	}
	return resolve(full)
}

// Covers reports whether the directory may contain the loop's files, so that removing or moving it
// would affect them.
func (f *Frame) Covers(w shellword.Word) bool {
	full := f.Resolve(w.Text)
	if full == "" || shellword.Blank(full) {
		return false
	}
	dir, last := path.Split(strings.ToLower(full))
	below := strings.TrimSuffix(full, "/") + "/"
	within := func(p string) bool { return strings.HasPrefix(p, below) }
	return paths.Matches(last, ".sdd") ||
		path.Base(dir) == ".sdd" && strings.Trim(last, shellword.Unknown) == "" ||
		slices.ContainsFunc(f.M.Call.Own, within) ||
		f.M.Call.Cwd != "" && within(f.M.Call.Cwd+"/")
}

// Writes records a write to a path if the loop guards the path.
func (f *Frame) Writes(w shellword.Word, how string) {
	if w.Text == "" {
		return
	}
	if kind := f.KindAt(w); kind != "" {
		f.fileAct(kind, w.Text, how)
	}
}

// fileAct records an act on a file; how is the command as written.
func (f *Frame) fileAct(kind effect.Kind, ref, how string) {
	full := f.Resolve(ref)
	if shellword.HasUnknown(full) || strings.ContainsAny(full, "*?[{") {
		full = ""
	}
	command := shellword.Clip(shellword.Ellipsis(how), 300)
	f.Act(effect.Act{Kind: kind, Ref: ref, Path: full, Command: command}, nil)
}

// Takes records the removal or move of a path if the loop guards the path. If whole is set, a
// directory that contains guarded files counts too.
func (f *Frame) Takes(w shellword.Word, how string, whole bool) {
	if f.KindAt(w) != "" {
		f.Writes(w, how)
		return
	}
	switch full := f.Resolve(w.Text); {
	case !whole:
	case f.Covers(w):
		f.fileAct(effect.WriteState, w.Text, how)
	case path.Base(full) == "loops" && strings.Contains(full, "/changes/"):
		f.fileAct(effect.WriteLedger, w.Text, how)
	case path.Base(full) == ".claude", strings.HasSuffix(full, ".claude/plugins"),
		strings.HasSuffix(full, ".claude/hooks"):
		f.fileAct(effect.DropRegistration, w.Text, how)
	}
}
