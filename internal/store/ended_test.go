package store

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"hooks/internal/loop"
)

// R59: of workers that ended the history has how far they are counted, the newest line first, each
// session for itself. What cannot be read is no cursor.
func TestWorkersThatEndedAreCountedFromTheirLines(t *testing.T) {
	s := newStore(t)
	worker := func(id string, offset int64) loop.Cursor {
		return loop.Cursor{Path: "subagents/agent-" + id + ".jsonl", Offset: offset}
	}
	add := func(n int, session, run string, ended ...loop.Cursor) {
		it := line(n)
		it.RunID, it.Cursors = run, ended
		it.Budget.Cursors = []loop.Cursor{{Path: "/c/" + session + ".jsonl", Offset: int64(n)}}
		_, err := s.appendHistory(it)
		ok(t, err)
	}
	add(1, "s1", "run-1", worker("a", 10), worker("b", 20))
	add(2, "s2", "run-1", worker("a", 99))
	add(3, "s1", "run-0", worker("b", 99))
	add(4, "s1", "run-1", worker("a", 30))
	b := at(4)
	b.Cursors = []loop.Cursor{{Path: "/c/s1.jsonl", Offset: 4}, worker("b", 25)}
	for _, test := range []struct {
		ids  []string
		want []loop.Cursor
	}{
		{nil, nil},
		{[]string{"a", "b"}, []loop.Cursor{worker("a", 30), worker("b", 20)}},
		{[]string{"b"}, []loop.Cursor{worker("b", 20)}},
		{[]string{"c", "a"}, []loop.Cursor{worker("a", 30)}},
	} {
		var paths []string
		for _, id := range test.ids {
			paths = append(paths, worker(id, 0).Path)
		}
		got, err := s.Ended(b, "/moved/s1.jsonl", paths)
		if ok(t, err); !cmp.Equal(got, test.want) {
			t.Errorf("of %q: %+v, want %+v", test.ids, got, test.want)
		}
	}
	got, err := s.Counted(b, "/c/s1.jsonl", []string{worker("a", 0).Path})
	ok(t, err)
	want := []loop.Cursor{{Path: "/c/s1.jsonl", Offset: 4}, worker("b", 25), worker("a", 30)}
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("counted from (-want +got):\n%s", d)
	}
	put(t, s, "work.history.jsonl",
		"{\"run_id\":\"run-1\",\"cursors\":[{\"path\":\"subagents/7},3]\n\x00\xff\n")
	got, err = s.Ended(b, "/c/s1.jsonl", []string{worker("a", 0).Path})
	if got != nil || err != nil {
		t.Errorf("of a damaged history: %+v, %v", got, err)
	}
}
