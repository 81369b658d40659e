package shellword

import (
	"net/url"
	"strconv"
	"strings"

	"hooks/internal/guard/effect"

	"github.com/tidwall/gjson"
)

const (
	maxLeaves    = 4096
	maxJSONDepth = 60
)

// JSONLeaves returns the leaves of a JSON object or array: a string's contents, a number, true or
// false as written, and an empty string for null. A path holds keys and array indexes, such as
// "files.0.path". whole is false if there are more than 4,096 leaves or 60 levels of nesting.
// Unknown may take the place of a value. A malformed tail is omitted.
func JSONLeaves(text string) (leaves []effect.Field, whole bool) {
	const number = "-" + Unknown // the parser accepts it in place of a value
	decoded := func(v gjson.Result) string {
		if v.Type == gjson.Number {
			return strings.ReplaceAll(v.Raw, number, Unknown)
		}
		return strings.ReplaceAll(v.String(), number, Unknown)
	}
	whole = true
	var read func(path string, depth int, v gjson.Result)
	read = func(path string, depth int, v gjson.Result) {
		switch {
		case v.IsObject() || v.IsArray():
			whole = whole && depth < maxJSONDepth
			index := 0
			v.ForEach(func(key, item gjson.Result) bool {
				name := decoded(key)
				if v.IsArray() {
					name = strconv.Itoa(index)
					index++
				}
				if whole {
					read(strings.TrimPrefix(path+"."+name, "."), depth+1, item)
				}
				return whole
			})
		case depth == 0:
		case len(leaves) == maxLeaves:
			whole = false
		default:
			leaves = append(leaves, effect.Field{Path: path, Value: decoded(v)})
		}
	}
	text = strings.TrimPrefix(text, "\ufeff")
	read("", 0, gjson.Parse(strings.ReplaceAll(text, Unknown, number)))
	return leaves, whole
}

// FormLeaves returns the fields of form text (a=b&c=d). It returns nil if the text has no "=", or
// if its first 40 bytes contain "{", "[", "<" or a newline.
func FormLeaves(text string) []effect.Field {
	if !strings.Contains(text, "=") || strings.ContainsAny(Clip(text, 40), "{[<\n") {
		return nil
	}
	var out []effect.Field
	for part := range strings.SplitSeq(text, "&") {
		k, v, _ := strings.Cut(part, "=")
		v = Percent20(strings.ReplaceAll(v, "+", " "))
		out = append(out, effect.Field{Path: Percent20(k), Value: v})
	}
	return out
}

// Percent20 decodes %xx escapes. It returns s unchanged if one of them is malformed.
func Percent20(s string) string {
	if text, err := url.PathUnescape(s); err == nil {
		return text
	}
	return s
}

// Unescape decodes the backslash escapes of $'…'. It returns Unknown if an escape is not valid in
// Go or decodes to NUL.
func Unescape(s string) string {
	inGo := strings.NewReplacer(`\\`, `\\`, `\"`, `\"`, `"`, `\"`, `\'`, "'", "\n", `\n`)
	text, err := strconv.Unquote(`"` + inGo.Replace(s) + `"`)
	if err != nil || strings.Contains(text, "\x00") { // a shell ends the string at NUL
		return Unknown
	}
	return text
}
