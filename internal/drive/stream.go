package drive

import (
	"bufio"
	"io"
	"strings"
	"time"

	"github.com/tidwall/gjson"
)

// maxLine bounds a stream line, in bytes. After a longer line, the rest of the stream is discarded.
const maxLine = 64 << 20

// Result is the stream's result line, which ends the client's turn (M5).
type Result struct {
	Subtype string
	Reason  string // terminal_reason; empty when no turn ran
	IsError bool
	Turns   int
	Status  int    // HTTP status of the API's last error; 0 if there was none
	Text    string // the model's last message, or the error
}

// streamReader extracts the facts that the driver needs from the stream.
type streamReader struct {
	End
	last  string        // the worker's last line of text, or its current tool
	pause time.Duration // announced wait before a retry
}

// follow reads a stream to its end, and sends a sign of life for each line.
func (h *streamReader) follow(stream io.Reader, alive chan<- sign) {
	lines := bufio.NewScanner(stream)
	lines.Buffer(nil, maxLine)
	for lines.Scan() {
		h.read(lines.Bytes())
		alive <- sign{h.last, h.pause}
	}
	_, _ = io.Copy(io.Discard, stream)
}

// read records the facts in one line of stream-json. It ignores unknown lines.
func (h *streamReader) read(line []byte) {
	h.pause = 0
	kind := gjson.GetBytes(line, "type").Str
	if kind == "" || !gjson.ValidBytes(line) {
		return // unknown, or cut short by a kill
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

func (h *streamReader) system(j gjson.Result) {
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

func (h *streamReader) block(block gjson.Result) {
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

// maxText is the maximum length of a stored message, in bytes.
const maxText = 4 << 10

// head returns a copy of the beginning of text, so that the line it came from can be freed.
func head(text string) string {
	return strings.ToValidUTF8(strings.Clone(text[:min(len(text), maxText)]), "")
}
