package doctor

import (
	"os"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"hooks/internal/report"
)

func TestAHealthyMachineHasNoProblem(t *testing.T) {
	for name, install := range map[string]func(*world){
		"by settings": func(*world) {},
		"by a plugin": func(w *world) {
			w.write("home/.claude/settings.json",
				"{}")
			w.plugin(`{"sdd@acme":true}`)
		},
		"the same words twice":  func(w *world) { w.register("p/.claude/settings.json", built) },
		"a plugin switched off": func(w *world) { w.plugin(`{"sdd@acme":false}`) },
		"the program's own link": func(w *world) {
			w.register("home/.claude/settings.json",
				w.linked())
		},
	} {
		t.Run(name, func(t *testing.T) {
			w := healthy(t)
			install(w)
			w.tool("claude", `echo "2.1.329 (Claude Code)"`)
			m := w.machine()
			var problems []report.Check
			for _, n := range m.walk(table()) {
				if k := n.Check; len(k.Problems) > 0 {
					problems = append(problems, k)
				}
			}
			if d := cmp.Diff([]report.Check(nil), problems); d != "" {
				t.Error(d)
			}
			if _, err := os.Stat(w.path("p/.sdd")); err == nil {
				t.Error("the doctor left something in the project")
			}
		})
	}
}

// linked is a symbolic link to the program under another name.
func (w *world) linked() string {
	w.Helper()
	w.must(os.Symlink(built, w.path("bin/sdd-hooks")))
	return w.path("bin/sdd-hooks")
}

// What a check writes after its time is no one's; what breaks in it breaks nothing else.
func TestAChecksOwnFailureIsItsOwn(t *testing.T) {
	m := healthy(t).machine()
	wait := make(chan struct{})
	defer close(wait)
	results := []*notes{
		m.examine(check{name: "panics", look: func(*machine, *notes) { panic("boom") }},
			time.Second),
		m.examine(check{name: "hangs", look: func(*machine, *notes) { <-wait }}, time.Millisecond),
		m.examine(check{name: "works", look: func(_ *machine, n *notes) { n.note("fine") }},
			time.Minute),
	}
	for i, want := range []string{"the check itself broke: boom", "did not end within 1ms", ""} {
		k := results[i].Check
		if want == "" && k.Status == report.Fine {
			continue
		}
		if k.Status != report.Broken || !strings.Contains(k.Problems[0].Text, want) ||
			k.Problems[0].Way == "" {
			t.Errorf("%s: %+v", k.Name, k)
		}
	}
}
