// Package install reads the client's settings files and adds this program to one of them or removes
// it. Edits preserve every byte outside the registration. A file is replaced atomically and
// durably, but not if another program has changed it in the meantime.
package install

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/rogpeppe/go-internal/diff"
	"github.com/tidwall/gjson"

	"hooks/internal/hint"
	"hooks/internal/term"
)

// Result describes the change to a settings file.
type Result struct {
	Path    string // absolute
	Backup  string // backup from before the registration, or ""
	Diff    string // unified diff, safe to print; "" if nothing changed
	Removed bool   // the file was removed because it had no other content
	Off     bool   // the file disables all hooks
	Program string // binary started by the entries; set by Install
	Events  int    // number of events with an entry; set by Install
}

// Install registers the program in the settings file, which it creates if missing. It is
// idempotent. If dry is set, it writes nothing.
func Install(path, program string, dry bool) (r Result, err error) {
	r, err = edit(path, dry, func(t texts) (texts, error) {
		text := textOf(t.now)
		for _, w := range WrongTypes(text) {
			if !w.Choice {
				return t, hint.New("correct that value, then repeat the command; nothing was "+
					"changed", "%s, so the client skips the whole file", w.Text)
			}
		}
		_, bare := cutBOM(text)
		if len(programs(bare)) == 0 {
			t.before = t.now // a backup from an earlier registration is outdated
		}
		text = add(text, program, t.before)
		t.now = &text
		return t, nil
	})
	r.Program, r.Events = program, len(entries(program))
	return r, err
}

// Uninstall removes the program from the settings file. It deletes the file if nothing else is in
// it and it did not exist before the registration. If the registration was the only change,
// Uninstall restores the original text exactly.
func Uninstall(path string, dry bool) (Result, error) {
	return edit(path, dry, func(t texts) (texts, error) {
		if t.now == nil {
			return t, nil
		}
		text := remove(*t.now, t.before)
		switch {
		case text == *t.now:
			return t, nil
		case t.before == nil && empty(text):
			return texts{}, nil
		}
		return texts{now: &text}, nil
	})
}

// edit changes a settings file. If dry is set, it writes nothing.
func edit(path string, dry bool, change func(texts) (texts, error)) (Result, error) {
	s, err := open(path)
	if err == nil && s.now != nil {
		err = check(*s.now)
	}
	if err != nil {
		return Result{}, fmt.Errorf("edit %s: %w", path, err)
	}
	next, err := change(s.texts)
	if err == nil && !dry && !equal(s.now, next.now) {
		err = s.save(next)
	}
	if err != nil {
		return Result{}, fmt.Errorf("edit %s: %w", path, err)
	}
	return s.result(next), nil
}

func (s *edited) result(next texts) Result {
	r := Result{Path: s.path, Removed: s.now != nil && next.now == nil}
	if next.before != nil {
		r.Backup = s.backup()
	}
	old, text := textOf(s.now), textOf(next.now)
	_, bare := cutBOM(text)
	r.Off = gjson.Get(bare, "disableAllHooks").Bool()
	if crowded(old) || crowded(text) {
		old, text = indented(old), indented(text)
	}
	// A repository's settings file is untrusted.
	r.Diff = term.Text(string(diff.Diff(s.path, []byte(old), s.path, []byte(text))))
	return r
}

// maxKeys is the maximum number of keys on a line of a diff. A person would miss the change in a
// longer line, so the diff then shows one value per line.
const maxKeys = 4

func crowded(text string) bool {
	return slices.ContainsFunc(strings.Split(text, "\n"), func(line string) bool {
		return strings.Count(line, `":`) > maxKeys
	})
}

// indented returns text with one value per line, for a readable diff. The file itself keeps its
// layout.
func indented(text string) string {
	var b bytes.Buffer
	if json.Indent(&b, []byte(text), "", "  ") != nil {
		return text
	}
	return strings.TrimSpace(b.String()) + "\n"
}

// textOf returns the contents of a file, or "" if the file does not exist.
func textOf(file *string) string {
	if file == nil {
		return ""
	}
	return *file
}

// Installed describes a registration to a person. It includes the diff if whole or dry is set.
func (r Result) Installed(dry, whole bool) string {
	text := fmt.Sprintf("installed in %s: %d events start %s", r.Path, r.Events, r.Program)
	if r.Diff == "" {
		text = fmt.Sprintf("already installed in %s; nothing was changed", r.Path)
	} else if r.Backup != "" {
		text += "\neverything else in the file is unchanged; the former text is kept in " + r.Backup
	}
	if r.Off {
		text += "\nnote: " + r.Path +
			" turns all hooks off; remove \"disableAllHooks\" to turn them on"
	}
	return r.describe(text, dry, whole)
}

// Uninstalled describes a removal to a person. Like Installed, it may include the diff.
func (r Result) Uninstalled(dry, whole bool) string {
	text := fmt.Sprintf("uninstalled from %s; everything else in the file is unchanged", r.Path)
	if r.Diff == "" {
		text = fmt.Sprintf("not installed in %s; nothing was changed", r.Path)
	} else if r.Removed {
		text = fmt.Sprintf("uninstalled by removing %s, which had no other content", r.Path)
	}
	return r.describe(text, dry, whole)
}

func (r Result) describe(text string, dry, whole bool) string {
	if dry && r.Diff != "" {
		text = "would be " + text + "\nnothing was changed: this was a dry run"
	}
	if (dry || whole) && r.Diff != "" {
		text = r.Diff + "\n" + text
	}
	return text + "\n"
}
