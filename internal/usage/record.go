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

// record holds the fields used of one transcript line. Its strings share the line's memory.
type record struct {
	kind      string // top-level type
	subtype   string
	sidechain bool
	meta      bool   // user line: not submitted by anyone
	at        string // timestamp
	request   string
	copied    bool   // assistant line: another session made the request
	prompt    string // user line: promptId
	origin    string // user line: turnOrigin
	fired     string // scheduled task: its prompt
	operation string // queue line: operation
	content   string // queue line: the prompt
	uuid      string
	cwd       string
	branch    string // gitBranch
	message   gjson.Result
	result    gjson.Result // toolUseResult
}

// read parses a line. ok is true only for a JSON object in valid UTF-8, because no part of a
// damaged line can be trusted.
func read(line []byte) (r record, ok bool) {
	if !utf8.Valid(line) || !gjson.ValidBytes(line) {
		return r, false
	}
	v := gjson.Parse(view(line))
	v.ForEach(func(key, value gjson.Result) bool {
		switch key.String() {
		case "type":
			r.kind = text(value)
		case "subtype":
			r.subtype = text(value)
		case "isSidechain":
			r.sidechain = value.Type == gjson.True
		case "timestamp":
			r.at = instant(text(value))
		case "requestId":
			r.request = text(value)
		case "requestSessionId":
			r.copied = text(value) != ""
		case "promptId":
			r.prompt = text(value)
		case "turnOrigin":
			r.origin = text(value)
		case "prompt":
			r.fired = text(value)
		case "isMeta", "isCompactSummary", "isVisibleInTranscriptOnly":
			r.meta = r.meta || value.Type == gjson.True
		case "operation":
			r.operation = text(value)
		case "content":
			r.content = text(value)
		case "uuid":
			r.uuid = text(value)
		case "cwd":
			r.cwd = text(value)
		case "gitBranch":
			r.branch = text(value)
		case "message":
			r.message = value
		case "toolUseResult":
			r.result = value
		}
		return true
	})
	return r, v.IsObject()
}

// text returns the value of a JSON string, or "" for any other type.
func text(v gjson.Result) string {
	if v.Type != gjson.String {
		return ""
	}
	return v.Str
}

// instant returns a timestamp if it has the one form that sorts as text, 2026-11-20T12:23:04.798Z,
// and "" otherwise.
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
	// advisors are the requests to other models made for this one. Their usage is not included in
	// its own.
	advisors []spent
}

// spent reads the usage of an assistant's message. ok is false if the message has no usage, is from
// the client itself (`<synthetic>`) or has impossible numbers; bad reports the latter. A message
// without a model is priced as an unknown one.
func (r record) spent() (s spent, ok, bad bool) {
	var use gjson.Result
	r.message.ForEach(func(key, value gjson.Result) bool {
		switch key.String() {
		case "id":
			s.id = text(value)
		case "model":
			s.model = text(value)
		case "usage":
			use = value
		}
		return true
	})
	if !r.message.IsObject() || !use.IsObject() || s.model == "<synthetic>" {
		return s, false, false
	}
	s.model = cmp.Or(s.model, "unknown")
	bad = s.read(use)
	return s, !bad, bad
}

// read reads a usage object and the samplings and advisor requests in its iterations.
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

// tokens reads the counts of a usage object. Cache writes not listed as one-hour count as
// five-minute.
func tokens(use gjson.Result) (n loop.Tokens, bad bool) {
	var flat, five int64
	number := func(to *int64, v gjson.Result) {
		if v.Type == gjson.Number && (v.Num < 0 || v.Num > maxTokens) {
			bad = true
		} else if v.Type == gjson.Number {
			*to = int64(v.Num)
		}
	}
	use.ForEach(func(key, v gjson.Result) bool {
		switch key.String() {
		case "input_tokens":
			number(&n.Input, v)
		case "output_tokens":
			number(&n.Output, v)
		case "cache_read_input_tokens":
			number(&n.CacheRead, v)
		case "cache_creation_input_tokens":
			number(&flat, v)
		case "cache_creation":
			number(&five, v.Get("ephemeral_5m_input_tokens"))
			number(&n.CacheWrite1h, v.Get("ephemeral_1h_input_tokens"))
		case "server_tool_use":
			number(&n.WebSearches, v.Get("web_search_requests"))
		}
		return true
	})
	n.CacheWrite5m = max(flat-n.CacheWrite1h, five)
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

// texts iterates over the string content of a message or its text blocks.
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

// plainText joins the texts of a message or of a content block.
func plainText(v gjson.Result) (all string) {
	for s := range texts(v) {
		all += s
	}
	return all
}

// interrupted reports whether a user line is the client's mark for a person's Esc or Ctrl-C.
func (r record) interrupted() bool {
	for s := range texts(r.message) {
		if strings.HasPrefix(s, interruptMark) {
			return true
		}
	}
	return false
}

// typed returns the prompt of a user line. The client writes a slash command as two tagged parts.
func (r record) typed() string {
	all := plainText(r.message)
	name, found := Part(all, "command-name")
	if !found {
		return strings.Clone(all)
	}
	args, _ := Part(all, "command-args")
	return strings.TrimSpace(name + " " + args)
}

// Part returns the text between a tag's start and end, up to the end of a truncated text. whole
// reports whether both are there.
func Part(text, tag string) (part string, whole bool) {
	_, rest, found := strings.Cut(text, "<"+tag+">")
	part, _, closed := strings.Cut(rest, "</"+tag+">")
	return part, found && closed
}

// Marks that a relevant line contains.
const (
	usageMark     = `_tokens"`
	interruptMark = "[Request interrupted by user"
	answersMark   = `answers"`
)

// view returns the bytes of a line as a string without copying them. A string that outlives the
// line must be cloned.
func view(b []byte) string { return unsafe.String(unsafe.SliceData(b), len(b)) }
