package shellword

import (
	"net/url"
	"strings"

	"hooks/internal/guard/effect"

	"github.com/tidwall/gjson"
)

const (
	maxLeaves    = 20_000
	maxJSONDepth = 60
)

// JSONLeaves returns the leaves of JSON text. whole is false if there are more than 20,000 leaves
// or they are nested 60 or more levels deep. Unknown parts are values; a malformed tail is
// omitted.
func JSONLeaves(text string) (leaves []effect.Field, whole bool) {
	const number = "-" + Unknown // the parser accepts it in place of a value
	text = strings.ReplaceAll(strings.TrimPrefix(text, "\ufeff"), Unknown, number)
	whole = true
	var read func(path string, depth int, v gjson.Result)
	read = func(path string, depth int, v gjson.Result) {
		switch {
		case v.IsObject() || v.IsArray():
			whole = whole && depth < maxJSONDepth
			v.ForEach(func(key, item gjson.Result) bool {
				at := path
				if v.IsObject() {
					at = strings.TrimPrefix(path+"."+jsonText(key), ".")
				}
				if whole {
					read(strings.ReplaceAll(at, number, Unknown), depth+1, item)
				}
				return whole
			})
		case depth == 0:
		case len(leaves) == maxLeaves:
			whole = false
		default:
			value := strings.ReplaceAll(jsonText(v), number, Unknown)
			leaves = append(leaves, effect.Field{Path: path, Value: value})
		}
	}
	read("", 0, gjson.Parse(text))
	return leaves, whole
}

// jsonText returns the decoded text of a string, and the source text of any other value.
func jsonText(v gjson.Result) string {
	if v.Type == gjson.String {
		return v.Str
	}
	return v.Raw
}

// FormLeaves returns the fields of form text (a=b&c=d), or nil if text is JSON or has several
// lines.
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

// Unescape decodes the common backslash escapes of $'…'. It returns Unknown if s contains any
// other escape.
func Unescape(s string) string {
	escapes := []string{`\\`, `\`, `\n`, "\n", `\t`, "\t", `\r`, "\r", `\'`, "'", `\"`, `"`}
	known := strings.NewReplacer(escapes...).Replace(s)
	for i := 1; i < len(escapes); i += 2 {
		escapes[i] = ""
	}
	if strings.Contains(strings.NewReplacer(escapes...).Replace(s), `\`) {
		return Unknown
	}
	return known
}
