package usage

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"testing"
	"unicode/utf8"

	"hooks/internal/loop"
)

// twin is a second, dumb implementation of the sums: whole files, encoding/json, everything
// remembered.
func twin(t testing.TB, table Table, agents []string, main string) map[string]loop.Tokens {
	t.Helper()
	var d dumb
	d.requests, d.owner = map[string]*dumbRequest{}, map[string]string{}
	for _, path := range append(agents, main) {
		b, err := os.ReadFile(path)
		if err != nil && !os.IsNotExist(err) {
			t.Fatal(err)
		}
		whole := b[:bytes.LastIndexByte(b, '\n')+1]
		for line := range bytes.SplitSeq(whole, []byte("\n")) {
			d.line(line, path, path == main)
		}
	}
	sums := map[string]loop.Tokens{}
	for _, r := range d.requests {
		r.tokens.Dollars = r.dollars(table)
		sums[r.model] = sums[r.model].Add(r.tokens)
	}
	return sums
}

type dumb struct {
	requests map[string]*dumbRequest
	owner    map[string]string // message id → subagent file
}

type dumbRequest struct {
	model, path string
	tokens      loop.Tokens
	fast, us    bool
}

func (d *dumb) line(line []byte, path string, main bool) {
	var rec struct {
		Type        string `json:"type"`
		IsSidechain bool   `json:"isSidechain"`
		RequestID   string `json:"requestId"`
		Message     *struct {
			ID, Model string
			Usage     *struct {
				Input      int64  `json:"input_tokens"`
				Output     int64  `json:"output_tokens"`
				CacheRead  int64  `json:"cache_read_input_tokens"`
				CacheWrite int64  `json:"cache_creation_input_tokens"`
				Speed      string `json:"speed"`
				Geo        string `json:"inference_geo"`
				Split      struct {
					Five int64 `json:"ephemeral_5m_input_tokens"`
					Hour int64 `json:"ephemeral_1h_input_tokens"`
				} `json:"cache_creation"`
				Tools struct {
					Web int64 `json:"web_search_requests"`
				} `json:"server_tool_use"`
			}
		}
	}
	if len(line) > maxLine || !utf8.Valid(line) || json.Unmarshal(line, &rec) != nil ||
		rec.Type != "assistant" {
		return
	}
	if rec.Message == nil || rec.Message.Usage == nil || rec.Message.Model == "<synthetic>" {
		return
	}
	u, id := rec.Message.Usage, rec.Message.ID
	key := id + " " + rec.RequestID
	if owner, ok := d.owner[id]; main && rec.IsSidechain && ok && owner != path {
		return
	}
	r := d.requests[key]
	if r == nil {
		r = &dumbRequest{model: rec.Message.Model, path: path}
		d.requests[key] = r
		if !main {
			d.owner[id] = path
		}
	}
	if r.path != path {
		return
	}
	r.fast, r.us = u.Speed == "fast", u.Geo == "us"
	r.tokens = loop.Tokens{
		Input: max(r.tokens.Input, u.Input), Output: max(r.tokens.Output, u.Output),
		CacheRead:    max(r.tokens.CacheRead, u.CacheRead),
		CacheWrite5m: max(r.tokens.CacheWrite5m, u.Split.Five, u.CacheWrite-u.Split.Hour),
		CacheWrite1h: max(r.tokens.CacheWrite1h, u.Split.Hour),
		WebSearches:  max(r.tokens.WebSearches, u.Tools.Web),
		Messages:     1,
	}
}

// dollars prices a request in thousandths of a dollar per million tokens, by the formula of the
// reference.
func (r *dumbRequest) dollars(table Table) loop.USD {
	row, _ := table.Find(r.model)
	n := r.tokens
	v := int64(row.Input)*n.Input + int64(row.Output)*n.Output + int64(row.CacheRead)*n.CacheRead +
		int64(row.CacheWrite5m)*n.CacheWrite5m + int64(row.CacheWrite1h)*n.CacheWrite1h
	if strings.Contains(r.model, "haiku-5-5") &&
		n.Input+n.CacheRead+n.CacheWrite5m+n.CacheWrite1h > 100_000 {
		v *= 5
	}
	if r.fast {
		v *= row.Fast
	}
	if r.us {
		v = v * 11 / 10
	}
	return loop.USD(v) + loop.USD(n.WebSearches)*loop.Cent
}

// said1 is one assistant line as the client writes it.
type said1 struct {
	id, request, model, text, at string
	in, out, read, write         int64
	five, hour, web              int64
	speed, geo                   string
	sidechain                    bool
	iterations                   string // JSON; none by default
}

func (s said1) String() string {
	if s.model == "" {
		s.model = "claude-opus-5-5"
	}
	if s.request == "" {
		s.request = "req_" + s.id
	}
	if s.at == "" {
		s.at = "2026-11-20T12:00:00.000Z"
	}
	if s.speed == "" {
		s.speed = "standard"
	}
	if s.iterations == "" {
		s.iterations = "[]"
	}
	text, _ := json.Marshal(s.text)
	return fmt.Sprintf(
		`{"parentUuid":"p","isSidechain":%t,"message":{"id":%q,"type":"message","role":"assistant","model":%q,"content":[{"type":"text","text":%s}],"stop_reason":"end_turn","usage":{"input_tokens":%d,"cache_creation_input_tokens":%d,"cache_read_input_tokens":%d,"output_tokens":%d,"server_tool_use":{"web_search_requests":%d,"web_fetch_requests":0},"service_tier":"standard","cache_creation":{"ephemeral_1h_input_tokens":%d,"ephemeral_5m_input_tokens":%d},"inference_geo":%q,"iterations":%s,"speed":%q}},"requestId":%q,"type":"assistant","uuid":"u","timestamp":%q,"sessionId":"s"}`,
		s.sidechain, s.id, s.model, text, s.in, s.write, s.read, s.out, s.web, s.hour, s.five,
		s.geo, s.iterations, s.speed, s.request, s.at)
}
