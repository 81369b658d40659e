package usage

import (
	"os"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"hooks/internal/loop"
)

// R58, R59: what a run has now is counted without a search of its history for workers that rest
// since before the last line, and for those that began in the open iteration. One that was sent on
// is counted from its cursor there.
func TestTheHistoryIsSearchedForFewWorkers(t *testing.T) {
	tr := newTree(t)
	at := func(clock string) string { return "2026-11-20T" + clock + ":00.000Z" }
	tr.add(tr.main, said1{id: "m", in: 1, at: at("11:00")})
	for _, name := range []string{"rests", "sent-on"} {
		tr.add(tr.agent("agent-"+name), said1{id: name, in: 10, at: at("11:00")})
	}
	counted := tr.count(nil).Cursors
	run := &loop.Budget{RunID: "r", Status: loop.Active, Cursors: counted[:1]}
	tick := &loop.Tick{RunID: "r", Transcript: tr.main,
		StartedAt: time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)}
	tr.add(tr.agent("agent-sent-on"), said1{id: "more", in: 100, at: at("12:01")})
	tr.add(tr.agent("agent-fresh"), said1{id: "fresh", in: 1000, at: at("12:01")})
	lastLine := tick.StartedAt.Add(-time.Minute)
	for name, rest := range map[string]time.Duration{
		"rests": 16 * time.Minute, "sent-on": 14 * time.Minute, "fresh": 0,
	} {
		then := lastLine.Add(-rest)
		if err := os.Chtimes(tr.agent("agent-"+name), then, then); err != nil {
			t.Fatal(err)
		}
	}
	var asked []string
	past := Past{Written: lastLine, Ended: func(_ string, names []string) []loop.Cursor {
		asked = append(asked, names...)
		return counted[1:]
	}}
	p := Now(run, tick, true, past, plainRates(), tick.StartedAt)
	if d := cmp.Diff([]string{"subagents/agent-sent-on.jsonl"}, asked); d != "" {
		t.Errorf("searched for (-want +got):\n%s", d)
	}
	if in := loop.Sum(p.Since.ByModel).Input; in != 1100 {
		t.Errorf("%d tokens since, want 1100", in)
	}
	past.Written = tick.StartedAt.Add(time.Hour) // a tick that was skipped
	asked = nil
	p = Now(run, tick, true, past, plainRates(), tick.StartedAt)
	if in := loop.Sum(p.Since.ByModel).Input; in != 1100 {
		t.Errorf("%d tokens since, want 1100 whoever wrote a line", in)
	}
}
