package app

import (
	"errors"
	"io/fs"
	"os"
	"strings"

	"github.com/tidwall/gjson"

	"hooks/internal/config"
	"hooks/internal/safefile"
)

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
