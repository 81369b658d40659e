//go:build linux || darwin

package main

import (
	"testing"

	"github.com/tidwall/gjson"

	protocol "hooks/internal/event"
	"hooks/scripts/driver"
)

// Every hook word is measured, with the event that belongs to it.
func TestEveryWordIsMeasured(t *testing.T) {
	measured := map[string]bool{}
	for _, e := range events(&driver.World{}) {
		word := e.Args[0]
		measured[word] = true
		name := gjson.Get(e.Stdin, "hook_event_name").String()
		if want := protocol.NameOf(word); name != want {
			t.Errorf("%s is measured with %s, want %s", word, name, want)
		}
	}
	for _, w := range protocol.Words {
		if !measured[w.Word] {
			t.Errorf("%s is not measured", w.Word)
		}
	}
}
