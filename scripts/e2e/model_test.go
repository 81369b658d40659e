//go:build e2e && linux

package e2e

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
)

// Script is the model: its answer to one request. It is called for conversation turns only, from
// several goroutines, and must decide by the request, never by how many came before, because
// background workers interleave.
type Script func(Request) Turn

// Turn is one answer of the model.
type Turn struct {
	Text  string
	Calls []Call
	Usage Usage
	// Hold delays the answer until it is closed; the client sees a model that is still thinking.
	Hold <-chan struct{}
	// Overloaded refuses the request with status 529.
	Overloaded bool
}

// Call is one tool the model uses.
type Call struct {
	Name  string
	Input any
}

// Usage is the reported cost of the answer, in tokens. The zero value is a small plain answer.
type Usage struct {
	Input, Output, CacheRead, CacheWrite5m, CacheWrite1h int

	WebSearches int
	US          bool // inference_geo is "us"
	// Sampled is a request that was sampled twice, half of everything each time. Advisor is a model
	// that it asked meanwhile, for 1,000 tokens in and 100 out.
	Sampled bool
	Advisor string
}

func (u Usage) orSmall() Usage {
	if u == (Usage{}) {
		return Usage{Input: 10, Output: 5}
	}
	return u
}

func (u Usage) json() map[string]any {
	out := map[string]any{
		"input_tokens": u.Input, "output_tokens": u.Output, "cache_read_input_tokens": u.CacheRead,
		"cache_creation_input_tokens": u.CacheWrite5m + u.CacheWrite1h,
		"cache_creation": map[string]int{"ephemeral_5m_input_tokens": u.CacheWrite5m,
			"ephemeral_1h_input_tokens": u.CacheWrite1h},
		"service_tier": "standard",
		"server_tool_use": map[string]int{"web_search_requests": u.WebSearches,
			"web_fetch_requests": 0},
	}
	if u.US {
		out["inference_geo"] = "us"
	}
	out["iterations"] = u.iterations()
	return out
}

func (u Usage) iterations() []map[string]any {
	list := []map[string]any{}
	if half := (Usage{Input: u.Input / 2, Output: u.Output / 2, CacheRead: u.CacheRead / 2,
		CacheWrite5m: u.CacheWrite5m / 2, CacheWrite1h: u.CacheWrite1h / 2}); u.Sampled {
		rest := Usage{Input: u.Input - half.Input, Output: u.Output - half.Output,
			CacheRead:    u.CacheRead - half.CacheRead,
			CacheWrite5m: u.CacheWrite5m - half.CacheWrite5m,
			CacheWrite1h: u.CacheWrite1h - half.CacheWrite1h}
		list = append(list, half.iteration("message"), rest.iteration("message"))
	}
	if u.Advisor != "" {
		advice := Usage{Input: 1000, Output: 100}.iteration("advisor_message")
		advice["model"] = u.Advisor
		list = append(list, advice)
	}
	return list
}

func (u Usage) iteration(kind string) map[string]any {
	return map[string]any{
		"type": kind, "input_tokens": u.Input, "output_tokens": u.Output,
		"cache_read_input_tokens":     u.CacheRead,
		"cache_creation_input_tokens": u.CacheWrite5m + u.CacheWrite1h,
		"cache_creation": map[string]int{"ephemeral_5m_input_tokens": u.CacheWrite5m,
			"ephemeral_1h_input_tokens": u.CacheWrite1h},
	}
}

// Model is the scripted model server. It keeps every conversation request, so that a test can look
// for a text in them.
type Model struct {
	URL    string
	script Script

	mu       sync.Mutex
	requests []Request
	serial   int
}

func newModel(t *testing.T, script Script) *Model {
	t.Helper()
	m := &Model{script: script}
	server := httptest.NewServer(http.HandlerFunc(m.serve))
	t.Cleanup(func() { server.CloseClientConnections(); server.Close() })
	m.URL = server.URL
	return m
}

// Requests are the conversation requests so far, oldest first.
func (m *Model) Requests() []Request {
	m.mu.Lock()
	defer m.mu.Unlock()
	return append([]Request(nil), m.requests...)
}

// Told reports whether any request so far had the text, in any message.
func (m *Model) Told(text string) bool {
	for _, r := range m.Requests() {
		if strings.Contains(r.All(), text) {
			return true
		}
	}
	return false
}

func (m *Model) serve(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	switch {
	case strings.HasSuffix(r.URL.Path, "/count_tokens"):
		writeJSON(w, map[string]int{"input_tokens": 100})
	case r.Method == http.MethodPost && strings.HasSuffix(r.URL.Path, "/messages"):
		m.answer(w, r, body)
	default:
		http.NotFound(w, r)
	}
}

func (m *Model) answer(w http.ResponseWriter, r *http.Request, body []byte) {
	req, err := parseRequest(body)
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	req.Session = r.Header.Get("X-Claude-Code-Session-Id")
	turn := Turn{Text: "ok"}
	if len(req.Tools) > 0 {
		m.keep(req)
		turn = m.script(req)
	}
	if turn.Hold != nil {
		select {
		case <-turn.Hold:
		case <-r.Context().Done():
			return
		}
	}
	if turn.Overloaded {
		w.WriteHeader(529)
		writeJSON(w, map[string]any{"type": "error",
			"error": map[string]string{"type": "overloaded_error", "message": "Overloaded"}})
		return
	}
	w.Header().Set("request-id", fmt.Sprintf("req_e2e%05d", m.next()))
	message := m.message(req.Model, turn)
	if req.Stream {
		stream(w, message)
		return
	}
	writeJSON(w, message)
}

func (m *Model) keep(r Request) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.requests = append(m.requests, r)
}

func (m *Model) next() int {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.serial++
	return m.serial
}

func (m *Model) message(model string, turn Turn) map[string]any {
	id, reason := m.next(), "end_turn"
	content := []any{}
	if turn.Text != "" {
		content = append(content, map[string]any{"type": "text", "text": turn.Text})
	}
	for i, c := range turn.Calls {
		reason = "tool_use"
		content = append(content, map[string]any{
			"type": "tool_use", "id": fmt.Sprintf("toolu_e2e%05d%d", id, i), "name": c.Name,
			"input": c.Input,
		})
	}
	return map[string]any{
		"id": fmt.Sprintf("msg_e2e%05d", id), "type": "message", "role": "assistant",
		"model":   model,
		"content": content, "stop_reason": reason, "stop_sequence": nil,
		"usage": turn.Usage.orSmall().json(),
	}
}

// stream sends a message as the server-sent events of the messages API.
func stream(w http.ResponseWriter, message map[string]any) {
	w.Header().Set("Content-Type", "text/event-stream")
	send := func(kind string, fields map[string]any) {
		fields["type"] = kind
		data, _ := json.Marshal(fields)
		fmt.Fprintf(w, "event: %s\ndata: %s\n\n", kind, data)
	}
	start := map[string]any{}
	for k, v := range message {
		start[k] = v
	}
	start["content"], start["stop_reason"] = []any{}, nil
	send("message_start", map[string]any{"message": start})
	for i, block := range message["content"].([]any) {
		streamBlock(send, i, block.(map[string]any))
	}
	send("message_delta", map[string]any{
		"delta": map[string]any{"stop_reason": message["stop_reason"], "stop_sequence": nil},
		"usage": message["usage"],
	})
	send("message_stop", map[string]any{})
	if f, ok := w.(http.Flusher); ok {
		f.Flush()
	}
}

func streamBlock(send func(string, map[string]any), i int, block map[string]any) {
	head := map[string]any{"type": "text", "text": ""}
	delta := map[string]any{"type": "text_delta", "text": block["text"]}
	if block["type"] == "tool_use" {
		input, _ := json.Marshal(block["input"])
		head = map[string]any{"type": "tool_use", "id": block["id"], "name": block["name"],
			"input": map[string]any{}}
		delta = map[string]any{"type": "input_json_delta", "partial_json": string(input)}
	}
	send("content_block_start", map[string]any{"index": i, "content_block": head})
	send("content_block_delta", map[string]any{"index": i, "delta": delta})
	send("content_block_stop", map[string]any{"index": i})
}

func writeJSON(w http.ResponseWriter, v any) {
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(v)
}
