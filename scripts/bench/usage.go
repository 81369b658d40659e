//go:build linux || darwin

package main

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"

	"github.com/tidwall/gjson"

	"hooks/scripts/driver"
)

const (
	free    = "--loop --max-dollars 0"
	ceiling = "--loop --max-dollars 900000"
)

// session is a world with generated transcripts, in its first iteration.
type session struct {
	*driver.World
	name, flags string
	tree        *tree
}

// usage measures how long it takes to count a whole session, a new megabyte at the end of an
// iteration, and new lines in a tool call of a run with and without a dollar ceiling.
func (b *bench) usage(size int64) {
	big := b.session(fmt.Sprintf("tree of %d MB with 8 workers", size>>20), free, size, 8)
	one := b.session(fmt.Sprintf("transcript of %d MB", size>>20), free, size, 0)
	small := b.session("transcript of 1 MB", free, 1<<20, 0)
	unbound := b.session("no ceiling", free, 4<<20, 0)
	bound := b.session("ceiling", ceiling, 4<<20, 0)
	eight := b.session("ceiling, eight workers", ceiling, 4<<20, 8)
	more := b.more()

	whole := b.row("count from nothing", big.World, big.stop(), big.again(nil))
	rows := append([]*row{whole}, b.against(driver.Event{})[1:]...)
	for _, r := range rows {
		r.env = append(r.env, "GOMAXPROCS=1", "TZ=UTC", "CLAUDE_CONFIG_DIR="+big.config())
	}
	b.measure(rows, 1, max(5, b.n/12))
	if len(b.Errors) > 0 {
		return
	}
	budget, _ := os.ReadFile(filepath.Join(big.State(), "work.budget.json"))
	fmt.Printf("\n%d bytes, %.2f GB/s at the median; %d output tokens were written,"+
		" %d were counted, $%s\n\n",
		big.tree.bytes, float64(big.tree.bytes)/1e6/at(whole.times, 50), big.tree.out,
		gjson.GetBytes(budget, "tokens_out").Int(), gjson.GetBytes(budget, "dollars_estimate").Raw)

	rows = nil
	for _, s := range []*session{small, one, big} {
		s.second()
		name := "end of an iteration, 1 MB more, " + s.name
		rows = append(rows, b.row(name, s.World, s.stop(), s.again(more)))
		rows[len(rows)-1].env = append(s.Environ(), "GOMAXPROCS=1")
	}
	b.measure(rows, 1, b.n)

	rows = b.against(events(unbound.World)[0])
	for _, s := range []*session{unbound, bound, eight} {
		play(s.World, events(s.World)[0]) // writes its receipt
		s.second()
		for _, n := range []int{0, 16 << 10, 400 << 10, len(more)} {
			news := more[:bytes.LastIndexByte(more[:n], '\n')+1]
			name := fmt.Sprintf("pre-tool-use, %s, %d KB new", s.name, n>>10)
			rows = append(rows, b.row(name, s.World, events(s.World)[0], s.again(news)))
		}
	}
	b.measure(rows, 1, b.n)
}

// session begins a run before its transcripts are written, so that they are not counted yet.
func (b *bench) session(name, flags string, size int64, workers int) *session {
	w := b.world(filepath.Join(name, "projects", "-home-dev-app"))
	s := &session{World: w, name: name, flags: flags}
	play(w, w.Enter(flags), w.Report(`{"outcome":"ok"}`))
	s.tree = &tree{main: w.Transcript(), workers: workers}
	w.Check(s.tree.write(size))
	return s
}

// more returns one megabyte of requests that are in no other transcript.
func (b *bench) more() []byte {
	t := tree{main: filepath.Join(b.dir, "more.jsonl"), serial: 1 << 30}
	b.Check(t.write(1 << 20))
	text, err := os.ReadFile(t.main)
	b.Check(err)
	return text
}

func (s *session) config() string { return filepath.Join(s.Dir, "..", "..") }

// stop returns the event at the end of a turn that /loop has scheduled.
func (s *session) stop() driver.Event {
	return s.Stop("session_crons", fmt.Sprintf(`[{"id":"0011aabb","schedule":"*/1 * * * *",`+
		`"recurring":true,"prompt":"/sdd:work %s"}]`, s.flags))
}

// second ends the first iteration and begins another.
func (s *session) second() {
	play(s.World, s.stop())
	s.NewPrompt()
	play(s.World, s.Enter(s.flags), s.Report(`{"outcome":"ok"}`))
}

// again returns a function that restores the current world and adds new lines to the transcript.
func (s *session) again(more []byte) func() {
	at := s.Save()
	return func() {
		s.Restore(at)
		f, err := os.OpenFile(s.Transcript(), os.O_APPEND|os.O_WRONLY, 0o600)
		if err == nil {
			_, err = f.Write(more)
			s.Check(f.Close())
		}
		s.Check(err)
	}
}
