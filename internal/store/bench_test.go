package store

import "testing"

// BenchmarkLoad is what every tool call of a running loop pays.
func BenchmarkLoad(b *testing.B) {
	s := must(Create(b.TempDir()))
	must(s.commit(line(1), "", at(1)))
	if err := s.saveTick(tick(2)); err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		opened := must(Open(s.project))
		must(opened.Load("work"))
		opened.Close()
	}
}

// BenchmarkCommit is the disk's part of every Stop.
func BenchmarkCommit(b *testing.B) {
	s := must(Create(b.TempDir()))
	for n := 1; b.Loop(); n++ {
		unlock := must(s.guard(b.Context()))
		must(s.recover("work"))
		must(s.commit(line(n), "", at(n)))
		if err := unlock(); err != nil {
			b.Fatal(err)
		}
	}
}
