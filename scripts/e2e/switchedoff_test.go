//go:build e2e && linux

package e2e

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

const keepsHooks = "this session needs its hooks until the loop ends"

// switchesOff are ways past the reading of a command to switch the hooks off in mid-run: a program
// that makes the file's name, and a commit that has the file.
var switchesOff = map[string]Call{
	"Bash": bash(`python3 -c "open('.clau'+'de/settings.local.json','w')` +
		`.write('{\"disable'+'AllHooks\":true}')"`),
	"git checkout": bash("git checkout --quiet off -- ."),
}

// Settings that switch the hooks off in the middle of a run are refused: every later call meets the
// hooks, the iteration is closed, and the person reads about it once (client contract, third round:
// ConfigChange; design §7).
func TestTheHooksStayOnWhenARunSwitchesThemOff(t *testing.T) {
	for name, off := range switchesOff {
		for _, settings := range []bool{false, true} {
			t.Run(name+", "+registeredIn(settings), func(t *testing.T) {
				calls := []Call{off, busy(3 * time.Second), bash(landing)}
				w := newWorld(t, Worker{Work: func(int) []Call { return calls }}.Say)
				w.Env = []string{"IS_SANDBOX=1"}
				local := filepath.Join(w.Project, ".claude", "settings.local.json")
				w.git(w.Project, "switch", "--quiet", "-c", "off")
				w.write(local, `{"disableAllHooks":true}`, 0o600)
				w.git(w.Project, "add", "--force", ".")
				w.git(w.Project, "commit", "--quiet", "-m", "off")
				w.git(w.Project, "switch", "--quiet", "main")
				w.write(filepath.Join(w.Project, ".claude", "keep"), "", 0o600)
				if settings {
					w.Plugins = w.Plugins[1:]
					w.register()
				}
				r := w.Headless("/sdd:review --loop --pr 142", "--permission-mode",
					"bypassPermissions", "--allow-dangerously-skip-permissions")
				if text, err := os.ReadFile(local); err != nil ||
					!strings.Contains(string(text), "disableAllHooks") {
					t.Fatalf("the file was not changed: %v", err)
				}
				if list := w.Merges(); len(list) != 0 {
					t.Errorf("merged: %v", list)
				}
				if lines := w.History("review"); len(lines) != 1 {
					t.Errorf("the lines are %+v", lines)
				}
				said := strings.Join(r.Said, "\n")
				if strings.Count(said, keepsHooks) != 1 {
					t.Errorf("the person was told:\n%s", said)
				}
			})
		}
	}
}
