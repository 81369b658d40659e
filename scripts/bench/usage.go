//go:build linux || darwin

package main

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
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
	bytes, out  int64 // in the transcripts
}

// usage measures counting: a whole session from nothing, the end of an iteration that brought one
// megabyte, and a tool call while a run with a ceiling in dollars spends.
func (b *bench) usage(size int64) error {
	big := b.session("tree of that size with 8 workers", free, size, 8)
	one := b.session("transcript of that size", free, size, 0)
	small := b.session("transcript of 1 MB", free, 1<<20, 0)
	unbound := b.session("no ceiling", free, 4<<20, 0)
	bound := b.session("ceiling", ceiling, 4<<20, 0)
	eight := b.session("ceiling, eight workers", ceiling, 4<<20, 8)
	more := b.more()

	whole := b.row("count from nothing", big.World, big.stop(), big.again(nil))
	rows := append([]*row{whole}, b.against(big.World, driver.Event{})[1:]...)
	for _, r := range rows {
		r.env = append(r.env, "GOMAXPROCS=1", "TZ=UTC", "CLAUDE_CONFIG_DIR="+big.config())
	}
	if err := b.measure(rows, 1, max(5, b.n/12)); err != nil {
		return err
	}
	print(rows)
	budget, _ := os.ReadFile(filepath.Join(big.State(), "work.budget.json"))
	fmt.Printf("\n%d bytes, %.2f GB/s at the median; %d output tokens were written,"+
		" %d are counted, $%s\n\n", big.bytes, float64(big.bytes)/1e6/at(whole.times, 50), big.out,
		gjson.GetBytes(budget, "tokens_out").Int(), gjson.GetBytes(budget, "dollars_estimate").Raw)

	rows = nil
	for _, s := range []*session{small, one, big} {
		s.second()
		name := "end of an iteration, 1 MB more, " + s.name
		rows = append(rows, b.row(name, s.World, s.stop(), s.again(more)))
		rows[len(rows)-1].env = append(s.Environ(), "GOMAXPROCS=1")
	}
	if err := b.measure(rows, 1, b.n); err != nil {
		return err
	}
	print(rows)
	fmt.Println()

	rows = b.against(unbound.World, events(unbound.World)[0])
	for _, s := range []*session{unbound, bound, eight} {
		play(s.World, events(s.World)[0]) // leaves its receipt
		s.second()
		for _, n := range []int{0, 16 << 10, 400 << 10, len(more)} {
			news := more[:bytes.LastIndexByte(more[:n], '\n')+1]
			name := fmt.Sprintf("pre-tool-use, %s, %d KB new", s.name, n>>10)
			rows = append(rows, b.row(name, s.World, events(s.World)[0], s.again(news)))
		}
	}
	if err := b.measure(rows, 1, b.n); err != nil {
		return err
	}
	print(rows)
	return nil
}

// session begins a run before its transcripts are written, so that nothing is counted yet.
func (b *bench) session(name, flags string, size int64, workers int) *session {
	w := b.world(filepath.Join(name, "projects", "-home-dev-app"))
	s := &session{World: w, name: name, flags: flags}
	play(w, w.Enter(flags), w.Report(`{"outcome":"ok"}`))
	s.bytes, s.out = written(w, size, workers, 0)
	return s
}

// written makes transcripts in a process of its own. The peak of a measured program includes what
// its parent holds, so this one stays small.
func written(w *driver.World, size int64, workers, serial int) (bytes, out int64) {
	self, err := os.Executable()
	w.Check(err)
	text, err := exec.Command(self, "-tree", w.Transcript(), "-usage", fmt.Sprint(size>>20),
		"-workers", fmt.Sprint(workers), "-serial", fmt.Sprint(serial)).Output()
	w.Check(err)
	_, err = fmt.Sscan(string(text), &bytes, &out)
	w.Check(err)
	return bytes, out
}

// more is one megabyte of requests that no other transcript has.
func (b *bench) more() []byte {
	w := b.world("more")
	written(w, 1<<20, 0, 1<<30)
	text, err := os.ReadFile(w.Transcript())
	w.Check(err)
	return text
}

func (s *session) config() string { return filepath.Join(s.Dir, "..", "..") }

// stop is the end of a turn that /loop has scheduled.
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

// again returns what makes the world what it is now, with some new lines in the transcript.
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
