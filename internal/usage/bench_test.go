package usage

import (
	"bufio"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"hooks/internal/loop"
)

// prose is text as transcripts hold it: words, code, quotes that JSON escapes.
func prose(r *rand.Rand, n int) string {
	words := strings.Fields("the request failed because token budget was not checked before if " +
		"err != nil { return fmt.Errorf(\"x: %w\", err) } for i := range n \t answers := " +
		"map[string]int{} // keep the lock 0x7f3a backlog question quick")
	var b strings.Builder
	for b.Len() < n {
		b.WriteString(words[r.IntN(len(words))])
		b.WriteByte(" \n"[r.IntN(12)/11])
	}
	return b.String()
}

// grow appends about size bytes of a session's life to a transcript: answers of the model, tool
// results, requests' copies.
func grow(tb testing.TB, path string, size int64, seed uint64) {
	tb.Helper()
	os.MkdirAll(filepath.Dir(path), 0o700)
	f, err := os.OpenFile(path, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		tb.Fatal(err)
	}
	defer f.Close()
	w := bufio.NewWriter(f)
	defer w.Flush()
	r := rand.New(rand.NewPCG(seed, 1))
	for n := int64(0); n < size; {
		id := fmt.Sprintf("msg_%016x", r.Uint64())
		s := said1{id: id, in: 10, out: int64(r.IntN(3000)), read: int64(r.IntN(90000)), write: 500,
			text: prose(r, 200+r.IntN(3000))}
		a := s.String()
		for _, line := range []string{
			a, a,
			fmt.Sprintf(
				`{"parentUuid":"p","isSidechain":false,"promptId":"x","type":"user","message":{"role":"user","content":[{"tool_use_id":"t","type":"tool_result","content":%q}]},"uuid":"u","toolUseResult":{"stdout":%q}}`, prose(r, 4000+r.IntN(9000)), prose(r, 4000)),
			fmt.Sprintf(
				`{"type":"api-request","body":{"messages":[%s,{"role":"user","content":%q}]}}`, a,
				prose(r, 15000)),
			fmt.Sprintf(
				`{"parentUuid":"p","attachment":{"type":"hook_success","content":%q},"type":"attachment","uuid":"u"}`, prose(r, 900)),
		} {
			k, _ := fmt.Fprintln(w, line)
			n += int64(k)
		}
	}
}

func session(tb testing.TB, size int64) tree {
	tr := newTree(tb)
	grow(tb, tr.main, size/2, 1)
	for i := range 8 {
		grow(tb, tr.agent(fmt.Sprint("agent-", i)), size/16, uint64(2+i))
	}
	return tr
}

// BenchmarkFromNothing counts a whole session.
func BenchmarkFromNothing(b *testing.B) {
	tr := session(b, 256<<20)
	var size int64
	for _, name := range append(agents(tr.main), "") {
		path := tr.main
		if name != "" {
			path = AgentPath(tr.main, name)
		}
		fi, _ := os.Stat(path)
		size += fi.Size()
	}
	b.SetBytes(size)
	b.ReportAllocs()
	for b.Loop() {
		if r := tr.count(nil); r.Dollars == 0 || r.Skipped > 0 {
			b.Fatal(r.Dollars, r.Skipped)
		}
	}
}

// BenchmarkTick counts one more megabyte, behind transcripts of very different sizes.
func BenchmarkTick(b *testing.B) {
	for _, size := range []int64{1 << 20, 1 << 30} {
		b.Run(fmt.Sprintf("%dMiB", size>>20), func(b *testing.B) {
			tr := newTree(b)
			chunk := filepath.Join(filepath.Dir(tr.main), "chunk")
			grow(b, chunk, min(size, 64<<20), 1)
			pad, _ := os.ReadFile(chunk)
			f, _ := os.Create(tr.main)
			for n := int64(0); n < size; n += int64(len(pad)) {
				f.Write(pad)
			}
			f.Close()
			base := Baseline(tr.main, -1)
			grow(b, tr.main, 1<<20, 3)
			b.SetBytes(1 << 20)
			for b.Loop() {
				if r := tr.count(base); r.Dollars == 0 {
					b.Fatal("nothing counted")
				}
			}
		})
	}
}

// Memory does not follow the size of what is read.
func TestMemoryIsBounded(t *testing.T) {
	tr := session(t, 48<<20)
	tr.add(tr.main, said1{id: "long", in: 1, text: strings.Repeat("x", 36<<20)})
	runtime.GC()
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	if _, err := Count(tr.main, []loop.Cursor(nil), NewTable(nil)); err != nil {
		t.Fatal(err)
	}
	runtime.ReadMemStats(&after)
	if got := after.TotalAlloc - before.TotalAlloc; got > 32<<20 {
		t.Errorf("%d MiB allocated in all", got>>20)
	}
}
