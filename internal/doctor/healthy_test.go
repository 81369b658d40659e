package doctor

import (
	"os"
	"strings"
	"testing"

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

// What breaks in a check breaks nothing else.
func TestAChecksOwnFailureIsItsOwn(t *testing.T) {
	m := healthy(t).machine()
	results := m.walk([]check{
		{name: "panics", look: func(*machine, *notes) { panic("boom") }},
		{name: "works", look: func(_ *machine, n *notes) { n.note("fine") }},
	})
	broken, works := results[0].Check, results[1].Check
	if broken.Status != report.Broken || broken.Problems[0].Way == "" ||
		!strings.Contains(broken.Problems[0].Text, "the check itself failed: boom") {
		t.Errorf("%+v", broken)
	}
	if works.Status != report.Fine {
		t.Errorf("%+v", works)
	}
}
