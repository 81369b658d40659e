package install

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/tidwall/gjson"

	"hooks/internal/hint"
)

// check returns an error if text cannot be edited. The text must be empty or a single JSON object.
// In its "hooks" object, the members for this program's events must be lists. All are optional.
func check(text string) error {
	if err := valid(text); err != nil {
		return err
	}
	_, text = cutBOM(text)
	hooks := rootOf(text).member("hooks")
	if hooks.Exists() && !hooks.IsObject() {
		return badAt(text, hooks.Index, `"hooks" must be an object, but is `+kind(hooks))
	}
	events := look(hooks)
	for _, e := range entries("hooks") {
		if groups := events.member(e.event); groups.Exists() && !groups.IsArray() {
			return badAt(text, groups.Index,
				fmt.Sprintf("the groups of %q must be a list, but are %s", e.event, kind(groups)))
		}
	}
	return nil
}

// valid returns an error if text is neither empty nor a single JSON object. The error includes the
// line and column.
func valid(text string) error {
	_, text = cutBOM(text)
	if blank(text) {
		return nil
	}
	syntax := (*json.SyntaxError)(nil)
	if err := json.Unmarshal([]byte(text), new(json.RawMessage)); errors.As(err, &syntax) {
		return badAt(text, max(int(syntax.Offset)-1, 0), strings.TrimPrefix(err.Error(), "json: "))
	}
	if root := rootOf(text); !root.IsObject() {
		return badAt(text, root.Index, "the settings must be an object, but are "+kind(root.Result))
	}
	return nil
}

// badAt returns an error that includes the line and column of offset at in text.
func badAt(text string, at int, why string) error {
	line, column := place(text, at)
	return hint.New("repair the file, which must be JSON in UTF-8 without comments, then repeat "+
		"the command; nothing was changed", "line %d, column %d: %s", line, column, why)
}

// place returns the line and column of offset at. Both count from 1; columns are in characters.
func place(text string, at int) (line, column int) {
	before := text[:min(at, len(text))]
	return strings.Count(before, "\n") + 1, utf8.RuneCountInString(afterNewline(before)) + 1
}

func kind(v gjson.Result) string {
	switch {
	case v.IsObject():
		return "an object"
	case v.IsArray():
		return "a list"
	}
	return v.Raw
}
