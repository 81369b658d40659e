package report

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/tidwall/gjson"

	"hooks/internal/hint"
	"hooks/internal/loop"
	"hooks/schemas"
)

// MaxFacts bounds a skill's report, in bytes.
const MaxFacts = 1 << 20

// Facts parses a skill's report strictly by its schema. It refuses unknown fields and values by
// name, because a misspelled field would otherwise be a missing fact. Every error has a hint.
func Facts(raw []byte) (r loop.Report, err error) {
	if len(raw) > MaxFacts {
		return r, hint.New("report in parts: lists merge by number", "the report is over %d bytes",
			MaxFacts)
	}
	raw = bytes.TrimPrefix(raw, []byte("\ufeff")) // byte order mark, which some editors write
	if err = json.Unmarshal(raw, new(json.RawMessage)); err != nil {
		err = fmt.Errorf("the report is not one JSON object: %w", err)
	} else {
		text, _ := schemas.Get("report") // cannot fail, because it is embedded
		f := form{gjson.ParseBytes(text)}
		err = f.check("", gjson.ParseBytes(raw), f.schema)
	}
	if err == nil {
		err = json.Unmarshal(raw, &r)
	}
	if err != nil {
		return loop.Report{}, hint.New("see `hooks schema report`", "%w", err)
	}
	return r, nil
}

// form checks a value against the part of JSON Schema that the report's schema uses. A field counts
// as missing if it is null, or if it is "" and the schema lists the allowed words.
type form struct{ schema gjson.Result }

// check returns the first error of a value, with the path of its field.
func (f form) check(at string, v, s gjson.Result) error {
	if ref := s.Get("$ref").Str; ref != "" {
		s = f.schema.Get("$defs." + strings.TrimPrefix(ref, "#/$defs/"))
	}
	kind := s.Get("type").Str
	inWords := map[string]string{"boolean": "true or false", "string": "a text", "array": "a list",
		"integer": "a whole number", "object": "an object with fields"}
	what := cmp.Or(s.Get("title").Str, inWords[kind])
	if at == "" {
		at, what = "the report", "one JSON object"
	}
	number, err := strconv.Atoi(v.Raw)
	fits := map[string]bool{"boolean": v.IsBool(), "string": v.Type == gjson.String,
		"integer": err == nil, "array": v.IsArray(), "object": v.IsObject()}
	items, least, most := v.Array(), s.Get("minItems").Int(), s.Get("maxItems")
	if !fits[kind] || kind == "array" && int64(len(items)) < least ||
		most.Exists() && int64(len(items)) > most.Int() {
		return fmt.Errorf("%s is %s, not %s", at, v.Raw, what)
	}
	switch kind {
	case "object":
		return f.fields(at, v, s)
	case "string":
		return checkText(at, v.Str, s)
	case "array":
		for i, item := range items {
			if err := f.check(fmt.Sprintf("%s[%d]", at, i), item, s.Get("items")); err != nil {
				return err
			}
		}
	case "integer":
		if least := s.Get("minimum").Int(); int64(number) < least {
			return fmt.Errorf("%s is %d, but numbers start at %d", at, number, least)
		}
	}
	return nil
}

// fields checks the fields of an object. An unknown, missing or repeated field is an error.
func (f form) fields(at string, v, s gjson.Result) (err error) {
	within := strings.TrimPrefix(at+".", "the report.")
	properties, seen := s.Get("properties").Map(), map[string]bool{}
	v.ForEach(func(key, value gjson.Result) bool {
		name := key.String()
		property, known := properties[name]
		switch {
		case !known:
			err = fmt.Errorf("unknown field %q", within+name)
		case seen[name]:
			err = fmt.Errorf("%s is given twice", within+name)
		case value.Type != gjson.Null && !(value.Str == "" && property.Get("enum").Exists()):
			seen[name] = true
			err = f.check(within+name, value, property)
		}
		return err == nil
	})
	for _, name := range s.Get("required").Array() {
		if err == nil && !seen[name.Str] {
			err = fmt.Errorf("%s is missing", within+name.Str)
		}
	}
	return err
}

func checkText(at, text string, s gjson.Result) error {
	var allowed []string
	for _, word := range s.Get("enum").Array() {
		if allowed = append(allowed, word.Str); word.Str == text {
			return nil
		}
	}
	n, most := utf8.RuneCountInString(text), s.Get("maxLength").Int()
	switch {
	case len(allowed) > 0:
		return fmt.Errorf("%s is %q, not one of %s", at, text, strings.Join(allowed, ", "))
	case s.Get("minLength").Int() > 0 && strings.TrimSpace(text) == "":
		return fmt.Errorf("%s is empty", at)
	case most > 0 && int64(n) > most:
		return fmt.Errorf("%s has %d characters, over %d", at, n, most)
	}
	return nil
}
