package app

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/tidwall/gjson"

	"hooks/internal/event"
	"hooks/internal/kind/backlog"
	"hooks/internal/loop"
	"hooks/internal/seal"
	"hooks/internal/store"
)

// TestAPlainCommandLooksAtNoLink: whether a command meets the brake is asked about text that cannot
// be read, not about every call.
func TestAPlainCommandLooksAtNoLink(t *testing.T) {
	for command, looks := range map[string]bool{"ls -l": false, `sh -c "$X"`: true} {
		home := filepath.Join(t.TempDir(), "state")
		h := &handler{
			App: &App{Env: func(string) string { return "" }}, project: t.TempDir(),
			seal: sealRecord{Dir: seal.At(home)}, ev: event.Event{
				Tool: "Bash", SessionID: "s1",
				Input: gjson.Parse(fmt.Sprintf(`{"command":%q}`, command)),
			},
		}
		run := &loop.Budget{Skill: backlog.Work, SessionID: "s1"}
		h.reading(&store.State{Skill: backlog.Work,
			Budget: run, Tick: &loop.Tick{SessionID: "s1", Braked: true},
		})
		_, err := os.Stat(filepath.Join(h.seal.Path(), "brake"))
		if looked := err == nil; looked != looks {
			t.Errorf("%s: the links are looked at: %v, want %v", command, looked, looks)
		}
	}
}
