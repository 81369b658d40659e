//go:build linux || darwin

package main

import (
	"encoding/json"
	"fmt"
	"strings"

	"hooks/scripts/driver"
)

// audit measures the close of an audit in a loop of 24 sections with 200 open findings, beside that
// of an empty one.
func (b *bench) audit() {
	rows := b.against(events(b.world("idle"))[0])
	for _, n := range []int{0, 200} {
		w := b.world(fmt.Sprint("audit", n))
		b.reachAudit(w, n)
		at := w.Save()
		stop := w.Stop("stop_hook_active", false)
		rows = append(rows, b.row(fmt.Sprintf("stop, end of an audit, %d findings", n), w, stop,
			func() { w.Restore(at) }))
	}
	b.measure(rows, 10, b.n)
}

// reachAudit opens an audit whose verdict is in: the Stop that follows closes it.
func (b *bench) reachAudit(w *driver.World, findings int) {
	w.Repository("audit", "plan.md", strings.Repeat("<!-- section -->\n# One\ntext\n", 24))
	play(w, w.Enter("plan.md"), w.Agent(w.Call()))
	play(w, w.WorkerEnds("done"), w.Stop("stop_hook_active", false), w.Agent(w.Call()))
	type found map[string]any
	report := map[string]any{"verdict": "clean"}
	if findings > 0 {
		list := make([]found, findings)
		for i := range list {
			list[i] = found{"file": fmt.Sprintf("internal/a%d/file.go", i), "line": i + 1,
				"severity": "bug", "description": strings.Repeat("wrong ", 40),
				"scenario": strings.Repeat("further ", 20)}
		}
		report = map[string]any{"verdict": "dirty", "findings": list}
	}
	text, err := json.Marshal(report)
	b.Check(err)
	play(w, w.Audits(string(text)), w.WorkerEnds("done"))
}
