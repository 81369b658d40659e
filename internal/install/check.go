package install

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/tidwall/gjson"
)

// SyntaxError is a place in a settings file that the client cannot read. The file is not changed.
type SyntaxError struct {
	Line, Column int // from 1, in characters
	Text, Way    string
}

func (e *SyntaxError) Error() string {
	return fmt.Sprintf("line %d, column %d: %s", e.Line, e.Column, e.Text)
}

// Hint returns how to repair the file.
func (e *SyntaxError) Hint() string { return e.Way }

// check returns an error if the text cannot be edited. It must be empty, or one JSON object whose
// "hooks" have the documented form.
func check(text string) error {
	if err := valid(text); err != nil {
		return err
	}
	if _, text = cutBOM(text); blank(text) {
		return nil
	}
	return checkHooks(text, rootOf(text))
}

// valid returns an error unless the text is empty or one JSON object. The error names line and
// column.
func valid(text string) error {
	_, text = cutBOM(text)
	if blank(text) {
		return nil
	}
	var at *json.SyntaxError
	if err := json.Unmarshal([]byte(text), new(json.RawMessage)); errors.As(err, &at) {
		return syntax(text, int(at.Offset), err.Error())
	} else if err != nil {
		return err
	}
	if root := rootOf(text); !root.IsObject() {
		return misplaced(text, root.Index, "settings are an object, this is "+kind(root.Result))
	}
	return nil
}

func syntax(text string, read int, why string) error {
	at := max(read-1, 0)
	e := misplaced(text, at, strings.TrimPrefix(why, "json: "))
	if at < len(text) && (text[at] == '/' || text[at] == '#') {
		e.Way = "a settings file has no comments: take it out, then run it again; " +
			"nothing was changed"
	}
	if !utf8.ValidString(text) {
		e.Way = "save the file as UTF-8, then run it again; nothing was changed"
	}
	return e
}

// checkHooks checks the types of the members that an edit changes.
func checkHooks(text string, root node) error {
	hooks := root.member("hooks")
	if !hooks.Exists() {
		return nil
	}
	if !hooks.IsObject() {
		return misplaced(text, hooks.Index, `"hooks" is an object, this is `+kind(hooks))
	}
	events := look(hooks)
	for _, e := range entries("hooks") {
		if groups := events.member(e.event); groups.Exists() && !groups.IsArray() {
			return misplaced(text, groups.Index,
				fmt.Sprintf("the groups of %q are a list, this is %s", e.event, kind(groups)))
		}
	}
	return nil
}

func misplaced(text string, at int, why string) *SyntaxError {
	before := text[:min(at, len(text))]
	return &SyntaxError{
		Line:   strings.Count(before, "\n") + 1,
		Column: utf8.RuneCountInString(afterNewline(before)) + 1,
		Text:   why, Way: "repair the file, then run it again; nothing was changed",
	}
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
