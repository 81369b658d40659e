package app

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/tidwall/gjson"

	"hooks/internal/clienthooks"
	"hooks/internal/config"
	"hooks/internal/event"
	"hooks/internal/guard"
	"hooks/internal/guard/paths"
	"hooks/internal/hint"
	"hooks/internal/install"
	"hooks/internal/safefile"
	"hooks/internal/seal"
)

// rewires names the file by which a call of a file tool would change the hooks that the client
// runs, or what they do. A copy that this session's client does not read, as in a worktree, is a
// file like any other.
func (h *handler) rewires() string {
	path, ok := h.fileTool()
	if !ok || path == "" || h.replayRepo != nil { // what the file held then is not known
		return ""
	}
	path = h.absolute(path)
	if h.keepsHooks(path) {
		return ""
	}
	return path
}

// keepsHooks reports whether a file tool's call leaves the client's hooks as they are, whatever the
// file is to the client: under the name that is given, and where a link leads.
func (h *handler) keepsHooks(path string) bool {
	if !h.registers(path) {
		return !h.isOwn(path)
	}
	before, after, known := h.leaves(path)
	return known && !slices.ContainsFunc(h.kinds(path), func(kind clienthooks.Kind) bool {
		return !clienthooks.Same(kind, before, after)
	})
}

// tampers are the acts on the loop's own files, gates and registration, without those on files that
// only look like a registration and those that were looked at.
func (h *handler) tampers(r guard.Reading) []guard.Act {
	file, edits := h.fileTool()
	return slices.DeleteFunc(r.Tampers(), func(a guard.Act) bool {
		path := h.absolute(a.Path)
		switch {
		case h.replayRepo != nil || a.Path == "" || !filepath.IsAbs(path):
			return false
		case edits:
			return path == h.absolute(file) && path == h.strayConfig()
		}
		return a.Kind == guard.DropRegistration &&
			!h.registers(path) && !h.holdsHooks(path) && !h.holdsOwn(path)
	})
}

func (h *handler) isOwn(path string) bool {
	own := h.own()
	return paths.Own(own, path) || paths.Own(own, h.paths.Real(path))
}

// holdsOwn reports whether a path is one of this program's own, or a folder with one in it.
func (h *handler) holdsOwn(path string) bool {
	below := func(own string) bool { return strings.HasPrefix(own, path+"/") }
	return h.isOwn(path) || slices.ContainsFunc(h.own(), below)
}

func (h *handler) absolute(path string) string {
	if path == "" {
		return ""
	}
	return filepath.Clean(h.below(h.ev.Cwd).absolute(path))
}

// kinds are what a file is to the client, as it is written and as it lies on disk.
func (h *handler) kinds(path string) []clienthooks.Kind {
	p := h.clientPlaces()
	real := h.paths.Real(path)
	return []clienthooks.Kind{p.Of(filepath.ToSlash(path)), p.Of(filepath.ToSlash(real))}
}

// registers reports whether the client may read hooks from a file.
func (h *handler) registers(path string) bool {
	return slices.ContainsFunc(h.kinds(path), func(kind clienthooks.Kind) bool {
		return kind != clienthooks.Foreign
	})
}

func (h *handler) holdsHooks(dir string) bool {
	p := h.clientPlaces()
	return p.Holds(filepath.ToSlash(dir)) || p.Holds(filepath.ToSlash(h.paths.Real(dir)))
}

// fileTool reports whether the call is one of the client's own tools that write a file, and names
// the file as given.
func (h *handler) fileTool() (path string, ok bool) {
	switch h.ev.Tool {
	case "Write", "Edit", "MultiEdit":
		return h.ev.Text("file_path"), true
	case "NotebookEdit":
		return h.ev.Text("notebook_path"), true
	}
	return "", false
}

// leaves applies the call's edit in memory: the file's text as it is, and as a file tool would
// leave it.
func (h *handler) leaves(path string) (before, after string, known bool) {
	before, known = safefile.Read(path, config.MaxFile)
	if _, err := os.Lstat(path); !known && !errors.Is(err, fs.ErrNotExist) {
		return "", "", false
	}
	switch h.ev.Tool {
	case "Write":
		return before, h.ev.Text("content"), true
	case "Edit":
		after, known = edited(before, h.ev.Input)
		return before, after, known
	case "MultiEdit":
		after = before
		edits := h.ev.Input.Get("edits").Array()
		for _, edit := range edits {
			if after, known = edited(after, edit); !known {
				return before, "", false
			}
		}
		return before, after, len(edits) > 0
	}
	return before, "", false
}

// edited is a text after one replacement. The client matches line ends and quotes more loosely than
// this does, so a text that is not found is not known to stay as it is.
func edited(text string, edit gjson.Result) (string, bool) {
	text = strings.ReplaceAll(text, "\r\n", "\n")
	old, replacement := edit.Get("old_string").String(), edit.Get("new_string").String()
	switch {
	case old == "":
		return replacement, text == ""
	case !strings.Contains(text, old):
		return "", false
	case edit.Get("replace_all").Bool():
		return strings.ReplaceAll(text, old, replacement), true
	}
	return strings.Replace(text, old, replacement, 1), true
}

// settingsChanged refuses a change of the client's settings that takes these hooks away while a
// loop is on: the session then keeps the ones it has. The client shows no one the reason, so the
// first one is kept for the next reply that a person sees.
func (h *handler) settingsChanged() event.Reply {
	if !h.sealed {
		return event.Nothing()
	}
	program, _ := os.Executable()
	s := install.ReadSettings(h.project, "", program, h.Env)
	lost := s.Unhooks(program, h.Env("CLAUDE_PLUGIN_ROOT"), h.Env)
	if lost == "" {
		return event.Nothing()
	}
	if h.openState() == nil { // else it is not reported, and the change is refused all the same
		h.inRecord(func(r *seal.Record) bool {
			first := r.Rewired == ""
			if first {
				r.Rewired = lost
			}
			return first
		})
	}
	return event.Block(rewired(lost))
}

func rewired(lost string) string {
	return hint.Text(hint.New("undo it, or end the loop first: `hooks loop stop`",
		"%s; this session keeps its hooks while a loop is on", lost))
}

// sayRewired adds to a reply that a person sees what a change of the settings would have done, once
// in a session.
func (h *handler) sayRewired(reply event.Reply) event.Reply {
	shown := h.ev.Name == event.Stop || h.ev.Name == event.UserPromptSubmit ||
		h.ev.Name == event.UserPromptExpansion
	if !shown || h.files == nil || h.witness == nil || h.witness.Rewired == "" || h.witness.Told {
		return reply
	}
	if h.inRecord(func(r *seal.Record) bool {
		first := !r.Told
		r.Told = true
		return first
	}) {
		reply = reply.Say(rewired(h.witness.Rewired))
	}
	return reply
}

// inRecord changes the session's sealed record, and reports whether it was changed and saved.
func (h *handler) inRecord(change func(*seal.Record) bool) (saved bool) {
	err := h.withStateLock(func() error {
		r, err := h.seals.Find(h.ev.SessionID)
		if err != nil || r == nil || !change(r) {
			return err
		}
		saved = true
		return h.seals.Save(r)
	})
	return saved && err == nil
}
