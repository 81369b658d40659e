package usage

import (
	"cmp"
	"iter"
	"strings"
	"unicode/utf8"
	"unsafe"

	"github.com/tidwall/gjson"

	"hooks/internal/loop"
)

// record holds the fields of one transcript line by name. Their strings share the line's memory.
type record map[string]gjson.Result

// read replaces the record's fields with the fields of a line. It returns true only for a JSON
// object in valid UTF-8, because no part of a damaged line can be trusted.
func (r record) read(line []byte) bool {
	clear(r)
	if !utf8.Valid(line) || !gjson.ValidBytes(line) {
		return false
	}
	v := gjson.Parse(view(line))
	v.ForEach(func(key, value gjson.Result) bool {
		r[key.Str] = value
		return true
	})
	return v.IsObject()
}

// text returns the value of a string field, or "" for any other type.
func (r record) text(field string) string { return text(r[field]) }

// is reports whether a field is true.
func (r record) is(field string) bool { return r[field].Type == gjson.True }

// at returns the line's timestamp if it has the sortable form 2026-11-20T12:23:04.798Z, and ""
// otherwise.
func (r record) at() string { return instant(r.text("timestamp")) }

// unsent reports whether the client wrote a user line on its own, so that it is not a prompt.
func (r record) unsent() bool {
	return r.is("isMeta") || r.is("isCompactSummary") || r.is("isVisibleInTranscriptOnly")
}

// text returns the value of a JSON string, or "" for any other type.
func text(v gjson.Result) string {
	if v.Type != gjson.String {
		return ""
	}
	return v.Str
}

func instant(s string) string {
	if len(s) != 24 || s[4] != '-' || s[10] != 'T' || s[23] != 'Z' {
		return ""
	}
	return s
}

// spent holds the usage of an assistant line.
type spent struct {
	id    string // message id
	model string
	request
	// advisors are requests to other models made on behalf of this request. Its usage does not
	// include theirs.
	advisors []spent
}

// spent reads the usage of an assistant's message. ok is false if the message has no usage, is from
// the client itself (`<synthetic>`) or has impossible numbers; in the last case, bad is true. A
// message without a model is priced as an unknown model.
func (r record) spent() (s spent, ok, bad bool) {
	use, model := r["message"].Get("usage"), text(r["message"].Get("model"))
	if !r["message"].IsObject() || !use.IsObject() || model == "<synthetic>" {
		return s, false, false
	}
	s.id, s.model = text(r["message"].Get("id")), cmp.Or(model, "unknown")
	bad = s.read(use)
	return s, !bad, bad
}

// read reads a usage object and the samplings and advisor requests in its iterations. bad is true
// if a number is impossible.
func (s *spent) read(use gjson.Result) (bad bool) {
	s.Tokens, bad = tokens(use)
	s.Tokens.Messages = 1
	s.Fast = text(use.Get("speed")) == "fast"
	s.US = text(use.Get("inference_geo")) == "us"
	use.Get("iterations").ForEach(func(_, one gjson.Result) bool {
		n, wrong := tokens(one)
		switch text(one.Get("type")) {
		case "message":
			s.Parts = append(s.Parts, n)
		case "advisor_message":
			bad = bad || wrong
			n.WebSearches = 0
			model := cmp.Or(text(one.Get("model")), "unknown")
			a := spent{model: model, request: request{Tokens: n, US: s.US}}
			s.advisors = append(s.advisors, a)
		}
		return true
	})
	return bad
}

// tokens reads the counts of a usage object. Cache writes not listed as one-hour writes count as
// five-minute writes.
func tokens(use gjson.Result) (n loop.Tokens, bad bool) {
	number := func(path string) int64 {
		v := use.Get(path)
		switch {
		case v.Type != gjson.Number:
			return 0
		case v.Num < 0 || v.Num > maxTokens:
			bad = true
			return 0
		}
		return int64(v.Num)
	}
	n = loop.Tokens{
		Input: number("input_tokens"), Output: number("output_tokens"),
		CacheRead:    number("cache_read_input_tokens"),
		CacheWrite1h: number("cache_creation.ephemeral_1h_input_tokens"),
		WebSearches:  number("server_tool_use.web_search_requests"),
	}
	n.CacheWrite5m = max(number("cache_creation_input_tokens")-n.CacheWrite1h,
		number("cache_creation.ephemeral_5m_input_tokens"))
	return n, bad
}

// blocks iterates over a message's content blocks of one type, or over all if kind is "".
func blocks(message gjson.Result, kind string) iter.Seq[gjson.Result] {
	return func(yield func(gjson.Result) bool) {
		if content := message.Get("content"); content.IsArray() {
			content.ForEach(func(_, b gjson.Result) bool {
				return kind != "" && text(b.Get("type")) != kind || yield(b)
			})
		}
	}
}

// texts iterates over a message's text blocks, or yields its content if that is a string.
func texts(message gjson.Result) iter.Seq[string] {
	return func(yield func(string) bool) {
		if content := message.Get("content"); content.Type == gjson.String {
			yield(content.Str)
			return
		}
		for b := range blocks(message, "text") {
			if !yield(text(b.Get("text"))) {
				return
			}
		}
	}
}

// plainText joins the text blocks in a message or content block.
func plainText(v gjson.Result) (all string) {
	for s := range texts(v) {
		all += s
	}
	return all
}

// interrupted reports whether a user record marks an interruption by the person (Esc or Ctrl-C).
func (r record) interrupted() bool {
	for s := range texts(r["message"]) {
		if strings.HasPrefix(s, interruptMark) {
			return true
		}
	}
	return false
}

// typed returns the prompt of a user line. The client writes a slash command as two tagged parts.
func (r record) typed() string {
	all := plainText(r["message"])
	name, found := Part(all, "command-name")
	if !found {
		return strings.Clone(all)
	}
	args, _ := Part(all, "command-args")
	return strings.TrimSpace(name + " " + args)
}

// Part returns the part of text between a start tag and its end tag, or up to the end of text if
// the end tag is missing. whole reports whether both tags are present.
func Part(text, tag string) (part string, whole bool) {
	_, rest, found := strings.Cut(text, "<"+tag+">")
	part, _, closed := strings.Cut(rest, "</"+tag+">")
	return part, found && closed
}

// Strings that identify relevant lines.
const (
	usageMark     = `_tokens"`
	interruptMark = "[Request interrupted by user"
	answersMark   = `answers"`
)

// view returns the bytes of a line as a string without copying them. A string that outlives the
// line must be cloned.
func view(b []byte) string { return unsafe.String(unsafe.SliceData(b), len(b)) }
