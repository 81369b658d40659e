package usage

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"hooks/internal/loop"
)

func TestReplacedFileIsNotCountedTwice(t *testing.T) {
	at := func(s int) string { return fmt.Sprintf("2026-11-20T12:00:%02d.000Z", s) }
	var old []any
	for i := range 20 { // more than a cursor remembers, the last ones of one instant
		old = append(old, said1{id: fmt.Sprint("old", i), in: 1, at: at(min(i, 10))})
	}
	fresh := said1{id: "new", in: 1000, at: at(11)}
	pad := `{"type":"x","pad":"` + strings.Repeat("y", 40_000) + `"}`
	tests := map[string]func(tr tree){
		"a copy that grew": func(tr tree) { tr.replace(append(old, fresh)...) },
		"cut and continued": func(tr tree) {
			os.Truncate(tr.main, 0)
			tr.add(tr.main,
				append(old[5:], fresh)...)
		},
		"other content": func(tr tree) { tr.replace(fresh) },
		"longer":        func(tr tree) { tr.replace(pad, fresh) },
		"longer, the same file": func(tr tree) {
			os.Truncate(tr.main, 0)
			tr.add(tr.main, fresh,
				pad)
		},
	}
	for name, change := range tests {
		t.Run(name, func(t *testing.T) {
			tr := newTree(t)
			tr.add(tr.main, old...)
			first := tr.count(nil)
			change(tr)
			second := tr.count(first.Cursors)
			third := tr.count(second.Cursors)
			if first.In != 20 || second.In != 1000 || third.In != 0 {
				t.Errorf("%d, %d, %d tokens", first.In, second.In, third.In)
			}

			begun := newTree(t) // a run that begins there, and has counted nothing yet
			begun.add(begun.main, old...)
			base := Baseline(begun.main, -1)
			change(begun)
			if r := begun.count(base); r.In != 1000 {
				t.Errorf("behind a baseline, %d tokens", r.In)
			}
		})
	}
}

// A worker's transcript that is written again after a run has begun holds what was before the run,
// however long its last line is.
func TestReplacedWorkerIsNotChargedToALaterRun(t *testing.T) {
	for name, last := range map[string]string{
		"short": "", "long": strings.Repeat("y", 2*shortTail),
	} {
		tr := newTree(t)
		agent := tr.agent("agent-1")
		old := []any{said1{id: "a", in: 10, sidechain: true},
			said1{id: "b", in: 100, sidechain: true, text: last}}
		tr.add(agent, old...)
		base := Baseline(tr.main, -1)
		if err := os.Remove(agent); err != nil {
			t.Fatal(err)
		}
		tr.add(agent, append([]any{`{"type":"x","pad":"` + strings.Repeat("y", 500) + `"}`},
			append(old, said1{id: "c", in: 1000, at: "2026-11-20T12:00:01.000Z"})...)...)
		if r := tr.count(base); r.In != 1000 {
			t.Errorf("%s: %d tokens", name, r.In)
		}
	}
}

// Lines without a time are told apart by where they stand.
func TestReplacedFileWithoutTimes(t *testing.T) {
	timeless := func(id string, in int64) string {
		return strings.Replace(said1{id: id, in: in}.String(), `"timestamp"`, `"time"`, 1)
	}
	tr := newTree(t)
	var old []any
	for i := range 20 {
		old = append(old, timeless(fmt.Sprint("old", i), 1))
	}
	tr.add(tr.main, old...)
	first := tr.count(nil)
	tr.replace(append(old, timeless("new", 1000))...)
	if second := tr.count(first.Cursors); first.In != 20 || second.In != 1000 {
		t.Errorf("%d, then %d tokens", first.In, second.In)
	}
}

// replace puts a new file in the transcript's place, as a copying tool does.
func (tr tree) replace(lines ...any) {
	tr.add(tr.main+".new", lines...)
	if err := os.Rename(tr.main+".new", tr.main); err != nil {
		tr.Fatal(err)
	}
}

func TestMissingFilesAreNoError(t *testing.T) {
	tr := newTree(t)
	r := tr.count(nil)
	if len(r.Cursors) != 1 || r.Cursors[0].Offset != 0 {
		t.Errorf("cursors %v", r.Cursors)
	}
	tr.add(tr.main, said1{id: "a", in: 1})
	tr.add(tr.agent("agent-1"), said1{id: "b", in: 10})
	r = tr.count(r.Cursors)
	os.RemoveAll(filepath.Dir(tr.agent("x")))
	gone := tr.count(r.Cursors)
	if r.In != 11 || gone.In != 0 || len(gone.Cursors) != 2 {
		t.Errorf("%d tokens, then %+v", r.In, gone)
	}
	if empty, err := Count("", gone.Cursors, NewTable(nil)); err != nil || empty.Cursors != nil {
		t.Errorf("no transcript: %v %v", empty, err)
	}
}

func TestBaselineLeavesOutWhatWasBefore(t *testing.T) {
	tr := newTree(t)
	tr.add(tr.main, said1{id: "a", in: 1})
	tr.add(tr.agent("agent-1"), said1{id: "b", in: 10})
	f, _ := os.OpenFile(tr.agent("agent-1"), os.O_APPEND|os.O_WRONLY, 0)
	f.WriteString(said1{id: "c", in: 100}.String())
	base := Baseline(tr.main, -1)
	if want := int64(len(said1{id: "b", in: 10}.String()) + 1); base[1].Offset != want {
		t.Errorf("baseline at %d, not behind the last whole line at %d", base[1].Offset, want)
	}
	f.WriteString("\n")
	f.Close()
	tr.add(tr.main, said1{id: "d", in: 1000})
	if r := tr.count(base); r.In != 1100 || r.Skipped != 0 {
		t.Errorf("%d tokens, %d skipped", r.In, r.Skipped)
	}
	if r := tr.count(Baseline(tr.main, 0)); r.In != 1001 {
		t.Errorf("%d tokens from offset 0", r.In)
	}
}

func TestCursorsOfAnotherSessionAreNobodys(t *testing.T) {
	a, b := newTree(t), newTree(t)
	b.main = filepath.Join(filepath.Dir(b.main), "b0000000-5379-4db8-9e83-a8e731e05c27.jsonl")
	for _, tr := range []tree{a, b} {
		tr.add(tr.main, said1{id: "m", in: 1})
		tr.add(tr.agent("agent-1"), said1{id: "s", in: 10})
	}
	r := b.count(a.count(nil).Cursors)
	if r.In != 11 || len(r.Cursors) != 2 || r.Cursors[0].Path != b.main {
		t.Errorf("%d tokens, cursors %v", r.In, r.Cursors)
	}
	moved := newTree(t)
	moved.add(moved.main, said1{id: "m", in: 1},
		said1{id: "n", in: 100, at: "2026-11-20T12:00:01.000Z"})
	if r := moved.count(a.count(nil).Cursors); r.In != 100 {
		t.Errorf("%d tokens after the directory moved", r.In)
	}
}

func TestCursorsStaySmall(t *testing.T) {
	tr := newTree(t)
	for i := range 100 {
		tr.add(tr.main, said1{id: fmt.Sprintf("msg_01XFDUDYJgAACzvnptvV%04d", i), in: 1})
		tr.add(tr.agent("agent-abbbf118ab300ce1b"),
			said1{id: fmt.Sprintf("msg_01YFDUDYJgAACzvnptvV%04d", i), in: 1})
	}
	r := tr.count(nil)
	for _, c := range r.Cursors {
		if b, _ := json.Marshal(c); len(c.Open) > 8 || len(b) > 2500 {
			t.Errorf("%d entries, %d bytes", len(c.Open), len(b))
		}
	}
}

// A worker that rests may be in the middle of a request, whose next line is no new one.
func TestARequestOfAWorkerThatRestsStaysOpen(t *testing.T) {
	tr := newTree(t)
	agent := tr.agent("agent-1")
	tr.add(tr.main, said1{id: "m", in: 10})
	tr.add(agent, said1{id: "a", in: 100, out: 1})
	first := tr.count(nil)
	second := tr.count(first.Cursors)
	tr.add(agent, said1{id: "a", in: 100, out: 500})
	third := tr.count(loop.Overlay(first.Cursors, second.Cursors))
	if in := first.In + second.In + third.In; in != 110 || third.Out != 499 {
		t.Errorf("%d tokens in, %d out", in, third.Out)
	}
}
