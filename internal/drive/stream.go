package drive

import (
	"bytes"
	"strings"
	"time"

	"github.com/tidwall/gjson"
)

// maxLine bounds a line that is read, in bytes. A longer one is skipped, but it is a sign of life.
const maxLine = 64 << 20

// lines cuts a stream into lines and keeps only the one that is not complete yet.
type lines struct {
	take func(line []byte) // empty for a line that was skipped
	part []byte
	long bool // part is over maxLine
}

func (l *lines) Write(p []byte) (int, error) {
	n := len(p)
	for {
		piece, rest, complete := bytes.Cut(p, []byte{'\n'})
		if l.long = l.long || len(l.part)+len(piece) > maxLine; l.long {
			l.part = nil
		} else {
			l.part = append(l.part, piece...)
		}
		if !complete {
			return n, nil
		}
		l.end()
		p = rest
	}
}

// end takes the last line, which may lack its line feed.
func (l *lines) end() {
	if len(l.part) > 0 || l.long {
		l.take(l.part)
	}
	if l.part = l.part[:0]; cap(l.part) > 1<<20 {
		l.part = nil
	}
	l.long = false
}

// Result is the line with which the client ends a turn (M5).
type Result struct {
	Subtype string
	Reason  string // terminal_reason; empty when no turn ran
	IsError bool
	Turns   int
	Status  int    // of the API's last answer, 0 if that was no error
	Text    string // the model's last words, or the error
}

// heard is the part of a stream that the driver keeps. Of the end it has what the stream shows.
type heard struct {
	End
	last  string        // the worker's last line of text, or the tool that it uses
	pause time.Duration // for which the client has said that it will be silent
}

// read takes one line of stream-json. Lines that it does not know change nothing.
func (h *heard) read(line []byte) {
	h.pause = 0
	kind := gjson.GetBytes(line, "type").Str
	if kind == "" || !gjson.ValidBytes(line) {
		return // cut short by a kill, or skipped
	}
	switch j := gjson.ParseBytes(line); kind {
	case "system":
		h.system(j)
	case "assistant":
		for _, block := range j.Get("message.content").Array() {
			h.block(block)
		}
	case "user":
		text := j.Get("message.content.0.text").Str
		h.Aborted = h.Aborted || strings.HasPrefix(text, "[Request interrupted by user")
	case "rate_limit_event":
		info := j.Get("rate_limit_info")
		if at := info.Get("resetsAt").Int(); at > 0 && info.Get("status").Str == "rejected" {
			h.Reset = time.Unix(at, 0)
		}
	case "result":
		h.Result = resultOf(j)
	}
}

func (h *heard) system(j gjson.Result) {
	switch j.Get("subtype").Str {
	case "init":
		h.Session = strings.Clone(j.Get("session_id").Str)
	case "api_retry":
		delay := min(j.Get("retry_delay_ms").Float(), float64(maxReset/time.Millisecond))
		h.pause = time.Duration(max(delay, 0)) * time.Millisecond
		h.last = "API error " + j.Get("error_status").String() + ", retry " +
			j.Get("attempt").String() + " of " + j.Get("max_retries").String()
	}
}

func (h *heard) block(block gjson.Result) {
	switch block.Get("type").Str {
	case "text":
		text := strings.TrimSpace(block.Get("text").Str)
		if line := text[strings.LastIndexByte(text, '\n')+1:]; line != "" {
			h.last = head(line)
		}
	case "tool_use":
		h.last = "uses " + head(block.Get("name").Str)
	}
}

func resultOf(j gjson.Result) *Result {
	r := &Result{Subtype: j.Get("subtype").Str, Reason: j.Get("terminal_reason").Str,
		IsError: j.Get("is_error").Bool(), Turns: int(j.Get("num_turns").Int()),
		Status: int(j.Get("api_error_status").Int()), Text: head(j.Get("result").Str)}
	if r.Text == "" {
		r.Text = head(j.Get("errors.0").Str)
	}
	return r
}

// maxText bounds a text that is kept, in bytes.
const maxText = 4 << 10

// head returns the beginning of a text, copied so that the line it came from is freed.
func head(text string) string {
	return strings.ToValidUTF8(strings.Clone(text[:min(len(text), maxText)]), "")
}
