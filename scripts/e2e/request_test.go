//go:build e2e && linux

package e2e

import (
	"encoding/json"
	"fmt"
	"strings"
)

// Request is one conversation request as the model received it.
type Request struct {
	Session  string // of the client that sent it
	Model    string
	Stream   bool
	System   string
	Messages []Message
	Tools    []string
	Size     int // of its body, in bytes
}

// Message is one message of the conversation: its texts, tool calls and tool results in order.
type Message struct {
	Role   string
	Blocks []Block
}

// Block is one content block. Text holds the text of texts and of tool results alike.
type Block struct {
	Type, Text string
	ID, Name   string // of a tool call; ID also of the call a result answers
	Input      string // of a tool call, as JSON
	IsError    bool
}

// Text is the whole text of the message, tool results included.
func (m Message) Text() string {
	var parts []string
	for _, b := range m.Blocks {
		parts = append(parts, b.Text)
	}
	return strings.Join(parts, "\n")
}

// All is every text of the request: the system prompt and all messages.
func (r Request) All() string {
	parts := []string{r.System}
	for _, m := range r.Messages {
		parts = append(parts, m.Text())
	}
	return strings.Join(parts, "\n")
}

// Prompt is the model's last task, with the texts that hooks added: everything since it last spoke,
// up to the last message with more than tool results.
func (r Request) Prompt() string {
	_, text := r.lastPrompt()
	return text
}

// Calls are the names of the tools the model has used since the prompt.
func (r Request) Calls() []string {
	from, _ := r.lastPrompt()
	var names []string
	for _, m := range r.Messages[from:] {
		for _, b := range m.Blocks {
			if b.Type == "tool_use" {
				names = append(names, b.Name)
			}
		}
	}
	return names
}

// lastPrompt finds the last run of messages from outside that asks for something, and where it
// begins.
func (r Request) lastPrompt() (from int, text string) {
	for end := len(r.Messages); end > 0; end = from {
		for from = end - 1; from > 0 && r.Messages[from].Role != "assistant" &&
			r.Messages[from-1].Role != "assistant"; {
			from--
		}
		asks := false
		for _, m := range r.Messages[from:end] {
			asks = asks || m.asks()
		}
		if asks {
			var parts []string
			for _, m := range r.Messages[from:end] {
				parts = append(parts, m.Text())
			}
			return from, strings.Join(parts, "\n")
		}
	}
	return 0, ""
}

// asks reports whether the message has more than tool results and the client's additions to them.
func (m Message) asks() bool {
	for _, b := range m.Blocks {
		added := strings.HasPrefix(b.Text, "<system-reminder>") || b.Text == "Tool loaded."
		if m.Role == "user" && b.Type == "text" && !added {
			return true
		}
	}
	return false
}

// Result is the result of the last call of a tool.
func (r Request) Result(tool string) (last Block, found bool) {
	ids := map[string]bool{}
	for _, m := range r.Messages {
		for _, b := range m.Blocks {
			switch {
			case b.Type == "tool_use" && b.Name == tool:
				ids[b.ID] = true
			case b.Type == "tool_result" && ids[b.ID]:
				last, found = b, true
			}
		}
	}
	return last, found
}

func parseRequest(body []byte) (Request, error) {
	var wire struct {
		Model    string
		Stream   bool
		System   json.RawMessage
		Messages []struct {
			Role    string
			Content json.RawMessage
		}
		Tools []struct{ Name string }
	}
	if err := json.Unmarshal(body, &wire); err != nil {
		return Request{}, fmt.Errorf("parse request: %w", err)
	}
	r := Request{Model: wire.Model, Stream: wire.Stream, Size: len(body)}
	r.System = Message{Blocks: parseBlocks(wire.System)}.Text()
	for _, m := range wire.Messages {
		r.Messages = append(r.Messages, Message{m.Role, parseBlocks(m.Content)})
	}
	for _, t := range wire.Tools {
		r.Tools = append(r.Tools, t.Name)
	}
	return r, nil
}

// parseBlocks reads content in each of its forms: a string, or a list of blocks, or nothing.
func parseBlocks(raw json.RawMessage) []Block {
	var text string
	if json.Unmarshal(raw, &text) == nil {
		return []Block{{Type: "text", Text: text}}
	}
	var wire []struct {
		Type      string
		Text      string
		ID        string
		Name      string
		Input     json.RawMessage
		ToolUseID string `json:"tool_use_id"`
		Content   json.RawMessage
		IsError   bool `json:"is_error"`
	}
	if json.Unmarshal(raw, &wire) != nil {
		return nil
	}
	blocks := make([]Block, 0, len(wire))
	for _, b := range wire {
		block := Block{Type: b.Type, Text: b.Text, ID: b.ID + b.ToolUseID, Name: b.Name,
			Input: string(b.Input), IsError: b.IsError}
		if b.Type == "tool_result" {
			block.Text = Message{Blocks: parseBlocks(b.Content)}.Text()
		}
		blocks = append(blocks, block)
	}
	return blocks
}
