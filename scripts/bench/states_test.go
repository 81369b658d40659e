package main

import (
	"testing"

	protocol "hooks/internal/event"
)

// Every hook word is measured, with the event that belongs to it.
func TestEveryWordIsMeasured(t *testing.T) {
	seen := map[string]bool{}
	for _, p := range payloads {
		seen[p.word] = true
		if name := protocol.NameOf(p.word); name != p.event {
			t.Errorf("%s is measured with %s, it reads %s", p.word, p.event, name)
		}
	}
	for _, w := range protocol.Words {
		if !seen[w.Word] {
			t.Errorf("%s is not measured", w.Word)
		}
	}
}
