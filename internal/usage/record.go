package usage

import (
	"cmp"
	"strings"
	"unicode/utf8"

	"github.com/tidwall/gjson"

	"hooks/internal/loop"
)

// record is what matters of one transcript line. Its strings are parts of the line.
type record struct {
	kind      string // top-level type
	subtype   string
	sidechain bool
	meta      bool   // of a user line: nobody submitted it
	at        string // timestamp
	request   string
	copied    bool   // of an assistant line: another session made the request
	prompt    string // of a user line: promptId
	origin    string // of a user line: turnOrigin
	fired     string // of a scheduled task: its prompt
	uuid      string
	cwd       string
	branch    string // gitBranch
	message   gjson.Result
	result    gjson.Result // toolUseResult
}

// read parses a line. It is not ok for what is no JSON object in UTF-8: damaged lines are never half believed.
func read(line []byte) (r record, ok bool) {
	if !utf8.Valid(line) || !gjson.ValidBytes(line) {
		return r, false
	}
	return fields(line)
}

// fields is read for a line that is taken as it is.
func fields(line []byte) (r record, ok bool) {
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

// text is a JSON string's value, and nothing for any other kind.
func text(v gjson.Result) string {
	if v.Type != gjson.String {
		return ""
	}
	return v.Str
}

// instant returns a timestamp if it has the one form that sorts as text: 2026-11-20T12:23:04.798Z.
func instant(s string) string {
	if len(s) != 24 || s[4] != '-' || s[10] != 'T' || s[23] != 'Z' {
		return ""
	}
	return s
}

// spent is the usage of an assistant line.
type spent struct {
	id    string // message id
	model string
	request
	// advisors are the requests to other models that this one caused. None of its own numbers holds them.
	advisors []spent
}

// spent reads an assistant's message. There is none without usage or from the client itself (`<synthetic>`); bad is
// true for numbers that no request can have. A message without a model is priced as an unknown one.
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
	s.model = named(s.model)
	bad = s.read(use)
	return s, !bad, bad
}

// read reads a usage object. Its iterations are the samplings that its sums are made of, and what advisors used.
func (s *spent) read(use gjson.Result) (bad bool) {
	s.Tokens, bad = tokens(use)
	var iterations gjson.Result
	use.ForEach(func(key, v gjson.Result) bool {
		switch key.String() {
		case "speed":
			s.Fast = text(v) == "fast"
		case "inference_geo":
			s.US = text(v) == "us"
		case "iterations":
			iterations = v
		}
		return true
	})
	iterations.ForEach(func(_, one gjson.Result) bool {
		n, wrong := tokens(one)
		switch text(one.Get("type")) {
		case "message":
			s.Parts = append(s.Parts, n)
		case "advisor_message":
			bad = bad || wrong
			n.WebSearches = 0
			s.advisors = append(s.advisors, spent{model: named(text(one.Get("model"))), request: request{Tokens: n, US: s.US}})
		}
		return true
	})
	return bad
}

// named is a model's name; one that is not told is priced as an unknown one.
func named(model string) string { return cmp.Or(model, "unknown") }

// tokens reads the kinds of a usage object. Cache writes without a split, or the rest that a split leaves, are of five
// minutes.
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

// most is the greater number of each kind.
func most(a, b loop.Tokens) loop.Tokens {
	return loop.Tokens{
		Input: max(a.Input, b.Input), Output: max(a.Output, b.Output), CacheRead: max(a.CacheRead, b.CacheRead),
		CacheWrite5m: max(a.CacheWrite5m, b.CacheWrite5m), CacheWrite1h: max(a.CacheWrite1h, b.CacheWrite1h),
		WebSearches: max(a.WebSearches, b.WebSearches), Dollars: max(a.Dollars, b.Dollars),
	}
}

// minus is what a has more than b, kind by kind.
func minus(a, b loop.Tokens) loop.Tokens {
	return loop.Tokens{
		Input: a.Input - b.Input, Output: a.Output - b.Output, CacheRead: a.CacheRead - b.CacheRead,
		CacheWrite5m: a.CacheWrite5m - b.CacheWrite5m, CacheWrite1h: a.CacheWrite1h - b.CacheWrite1h,
		WebSearches: a.WebSearches - b.WebSearches, Dollars: a.Dollars - b.Dollars,
	}
}

// texts calls f with the string content of a message, or with each of its text blocks.
func texts(message gjson.Result, f func(string)) {
	content := message.Get("content")
	if content.Type == gjson.String {
		f(content.Str)
		return
	}
	if !content.IsArray() {
		return
	}
	content.ForEach(func(_, block gjson.Result) bool {
		if block.Get("type").Str == "text" {
			f(text(block.Get("text")))
		}
		return true
	})
}

// interrupted says whether a user line is the client's mark of a person's Esc or Ctrl-C.
func (r record) interrupted() (yes bool) {
	texts(r.message, func(s string) { yes = yes || strings.HasPrefix(s, interruptText) })
	return yes
}
