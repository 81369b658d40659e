//go:build linux || darwin

package main

import (
	"bufio"
	_ "embed"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/tidwall/gjson"
	"github.com/tidwall/sjson"

	"hooks/scripts/driver"
)

// line is a history line of typical size, with @N in place of its number. It has a plan, two
// workers, a PR, a gate, and the cursors of three transcripts.
//
//go:embed line.tmpl
var line string

// history measures people's commands on a run with the given number of history lines and an open
// iteration.
func (b *bench) history(lines int) {
	w := b.world("old")
	size := b.old(w, lines)
	rows := b.against(driver.Event{})
	for _, command := range []string{
		"statusline", "status", "status --json", "explain", "report-card", "report-card --json",
		"report-card --html @dir/page.html",
		"history", "history --json", "history --csv", "cost", "cost --by model",
		"cost --by iteration", "cost --by iteration --json", "gate list",
		"loop list",
	} {
		args := strings.Fields(strings.ReplaceAll(command, "@dir", w.Dir))
		e := driver.Event{Args: args, Stdin: `{"session_id":"s1"}`}
		rows = append(rows, b.row("hooks "+command, w, e, nil))
	}
	fmt.Printf("%d history lines, %.1f MB\n", lines, float64(size)/1e6)
	b.measure(rows, 2, b.n)
}

// old writes a run with that many history lines and returns the size of its history in bytes.
func (b *bench) old(w *driver.World, lines int) (size int) {
	w.Check(os.MkdirAll(w.State(), 0o700))
	f, err := os.Create(filepath.Join(w.State(), "work.history.jsonl"))
	w.Check(err)
	defer f.Close()
	out := bufio.NewWriter(f)
	for i := range lines {
		n, _ := out.WriteString(strings.ReplaceAll(line, "@N", fmt.Sprint(i+1)))
		size += n
	}
	w.Check(out.Flush())
	last := gjson.Parse(strings.ReplaceAll(line, "@N", fmt.Sprint(lines)))
	budget, err := sjson.Set(last.Get("budget_snapshot").Raw, "iterations_used", lines+1)
	w.Check(err)
	budget, err = sjson.Set(budget, "owner.pid", w.Client)
	w.Check(err)
	tick := fmt.Sprintf(`{"version":1,"run_id":%q,"session_id":"s1","skill":"work",`+
		`"iteration":%d,"started_at":%q,"prompts":["p1"],"transcript":%q,"body":true}`,
		last.Get("run_id").Str, lines+1, last.Get("ended_at").Str, w.Transcript())
	for name, text := range map[string]string{"work.budget.json": budget, "work.tick.json": tick} {
		w.Check(os.WriteFile(filepath.Join(w.State(), name), []byte(text), 0o600))
	}
	return size
}
