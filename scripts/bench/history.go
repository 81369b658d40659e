//go:build linux || darwin

package main

import (
	"bufio"
	_ "embed"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/tidwall/gjson"
	"github.com/tidwall/sjson"

	"hooks/scripts/driver"
)

// line is one history line of the usual size: a plan, two workers, a PR, a gate, the cursors of
// three transcripts.
//
//go:embed line.json
var line string

// history measures people's commands on a run with that many history lines and an open iteration.
func (b *bench) history(lines int) {
	w := b.world("old")
	size := b.old(w, lines)
	rows := b.against(w, driver.Event{})
	for _, command := range []string{
		"statusline", "status", "status --json", "explain", "report-card", "report-card --json",
		"history", "history --json", "history --csv", "cost", "cost --by model",
		"cost --by iteration", "cost --by iteration --json", "cost --by agent", "gate list",
		"loop list",
	} {
		e := driver.Event{Args: strings.Fields(command), Stdin: `{"session_id":"s1"}`}
		rows = append(rows, b.row("hooks "+command, w, e, nil))
	}
	fmt.Printf("%d history lines, %.1f MB\n", lines, float64(size)/1e6)
	b.measure(rows, 2, b.n)
}

// old writes the run and returns the length of its history.
func (b *bench) old(w *driver.World, lines int) (size int) {
	w.Check(os.MkdirAll(w.State(), 0o700))
	write := func(name string, text []byte) {
		w.Check(os.WriteFile(filepath.Join(w.State(), name), text, 0o600))
	}
	set := func(text, path string, value any) string {
		text, err := sjson.Set(text, path, value)
		w.Check(err)
		return text
	}
	f, err := os.Create(filepath.Join(w.State(), "work.history.jsonl"))
	w.Check(err)
	defer f.Close()
	out := bufio.NewWriter(f)
	last := strings.TrimSpace(line)
	begun := time.Date(2026, 11, 20, 8, 0, 0, 0, time.UTC)
	for i := range lines {
		at := begun.Add(time.Duration(i) * 10 * time.Minute)
		for path, value := range map[string]any{
			"seq": i + 1, "iteration": i + 1, "budget_snapshot.seq": i + 1,
			"budget_snapshot.iterations_used": i + 1, "budget_snapshot.minutes_elapsed": 10 * i,
			"started_at": at, "ended_at": at.Add(7 * time.Minute),
		} {
			last = set(last, path, value)
		}
		n, err := fmt.Fprintln(out, last)
		w.Check(err)
		size += n
	}
	w.Check(out.Flush())
	budget := set(gjson.Get(last, "budget_snapshot").Raw, "iterations_used", lines+1)
	budget = set(budget, "owner.pid", w.Client)
	write("work.budget.json", []byte(budget))
	write("work.tick.json", fmt.Appendf(nil, `{"version":1,"run_id":%q,"session_id":"s1",`+
		`"skill":"work","iteration":%d,"started_at":%q,"prompts":["p1"],"transcript":%q,`+
		`"body":true}`,
		gjson.Get(last, "run_id").Str, lines+1, begun.Format(time.RFC3339), w.Transcript()))
	return size
}
