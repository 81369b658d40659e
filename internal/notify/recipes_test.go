//go:build !windows

package notify

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
)

// chat is a small stand-in of ntfy, Slack and Telegram. Its person answers each question as soon as
// it has come, and somebody else before them.
type chat struct {
	mu    sync.Mutex
	asked []string          // the questions as the person reads them
	said  map[string]string // by ntfy topic
	other string            // who answers first, where the service knows who
}

func (c *chat) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	c.mu.Lock()
	defer c.mu.Unlock()
	body, _ := io.ReadAll(r.Body)
	var in struct {
		Message, Text, Title string
		Actions              []struct{ Label, URL, Body string }
		ReplyMarkup          struct {
			InlineKeyboard [][]struct {
				CallbackData string `json:"callback_data"`
			} `json:"inline_keyboard"`
		} `json:"reply_markup"`
	}
	_ = json.Unmarshal(body, &in)
	path, poll := r.URL.Path, len(c.asked) > 0
	switch {
	case path == "/" && len(in.Actions) > 1: // ntfy: the person presses the second button
		c.asked = append(c.asked, in.Title+" "+in.Message)
		_, topic, _ := strings.Cut(in.Actions[1].URL, r.Host+"/")
		c.said[topic] = in.Actions[1].Body
	case strings.HasSuffix(path, "/raw"):
		topic := strings.TrimSuffix(strings.TrimPrefix(path, "/"), "/raw")
		fmt.Fprintf(w, "\n%s\n", c.said[topic])
	case r.Header.Get("Authorization") != "Bearer xoxb-1" && strings.HasPrefix(path, "/slack/"):
		http.Error(w, "no", http.StatusUnauthorized)
	case path == "/slack/conversations.open":
		fmt.Fprint(w, `{"ok":true,"channel":{"id":"D7"}}`)
	case path == "/slack/chat.postMessage":
		c.asked = append(c.asked, in.Text)
		fmt.Fprint(w, `{"ok":true,"ts":"17.1"}`)
	case path == "/slack/conversations.replies" && poll:
		fmt.Fprintf(w, `{"ok":true,"messages":[{"user":"UBOT","ts":"17.1","text":"?"},`+
			`{"user":%q,"ts":"17.2","text":"stop"},`+
			`{"user":"U1","ts":"17.3","text":"raise"}]}`, c.other)
	case path == "/bot9:x/sendMessage":
		c.asked = append(c.asked, in.Text)
		c.said[""] = in.ReplyMarkup.InlineKeyboard[0][1].CallbackData
		fmt.Fprint(w, `{"ok":true,"result":{"message_id":5}}`)
	case path == "/bot9:x/getUpdates" && r.URL.Query().Get("offset") == "0":
		fmt.Fprint(w, `{"ok":true,"result":[{"update_id":40,"callback_query":{"from":{"id":77},`+
			`"message":{"message_id":5},"data":"stop"}}]}`)
	case path == "/bot9:x/getUpdates" && r.URL.Query().Get("offset") == "41":
		fmt.Fprintf(w, `{"ok":true,"result":[{"update_id":41,"callback_query":{"from":{"id":42},`+
			`"message":{"message_id":5},"data":%q}}]}`, c.said[""])
	default:
		http.Error(w, "unknown", http.StatusNotFound)
	}
}

// The recipes of docs/ask.md carry a question to a stand-in of their service, and print the answer
// of the one person that they were told of.
func TestAskRecipes(t *testing.T) {
	for _, program := range []string{"sh", "curl", "jq", "od"} {
		if _, err := exec.LookPath(program); err != nil {
			t.Skip(err)
		}
	}
	text, err := os.ReadFile("../../docs/ask.md")
	if err != nil {
		t.Fatal(err)
	}
	recipes := strings.Split(string(text), "```sh\n")[1:]
	if len(recipes) != 3 {
		t.Fatalf("%d recipes, want 3", len(recipes))
	}
	const question = `{"project":"/home/a/app","run":"r1","gate":"budget-escalation",` +
		`"question":"Approaching dollars ($8.00/$10.00). Continue, raise \"it\", or stop?",` +
		`"options":[{"label":"continue","description":"a"},{"label":"raise","description":"b"},` +
		`{"label":"stop","description":"c"}],"pr":0,"url":"","deadline":"2026-11-21T12:00:00Z"}`
	for _, recipe := range recipes {
		script, _, _ := strings.Cut(recipe, "```")
		name, _, _ := strings.Cut(strings.Split(script, "\n")[1], ":")
		t.Run(strings.TrimPrefix(name, "# "), func(t *testing.T) {
			service := &chat{said: map[string]string{}, other: "U2"}
			server := httptest.NewServer(service)
			defer server.Close()
			home := t.TempDir()
			for file, content := range map[string]string{"ntfy-topic": "secret", "slack-user": "U1",
				"slack-header": "Authorization: Bearer xoxb-1", "telegram-token": "9:x",
				"telegram-chat": "42"} {
				path := filepath.Join(home, ".config", "hooks", file)
				_ = os.MkdirAll(filepath.Dir(path), 0o700)
				if err := os.WriteFile(path, []byte(content+"\n"), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			path := filepath.Join(home, "ask.sh")
			if err := os.WriteFile(path, []byte(script), 0o700); err != nil {
				t.Fatal(err)
			}
			cmd := exec.CommandContext(t.Context(), "sh", path)
			cmd.Env = []string{"HOME=" + home, "PATH=" + os.Getenv("PATH"), "ASK_POLL=0.1",
				"NTFY_HOST=" + server.URL, "SLACK_API=" + server.URL + "/slack",
				"TELEGRAM_API=" + server.URL}
			cmd.Stdin = strings.NewReader(question + "\n")
			var stderr strings.Builder
			cmd.Stderr = &stderr
			out, err := cmd.Output()
			if err != nil || string(out) != "raise\n" {
				t.Errorf("it printed %q: %v\n%s", out, err, stderr.String())
			}
			service.mu.Lock()
			defer service.mu.Unlock()
			if len(service.asked) != 1 ||
				!strings.Contains(service.asked[0], `raise "it", or stop?`) {
				t.Errorf("the person read %q", service.asked)
			}
		})
	}
}
