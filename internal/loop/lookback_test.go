package loop

import (
	"fmt"
	"testing"
)

// What no one looked at is judged by the beginning of the next attempt.
func TestIdleLooksBack(t *testing.T) {
	for _, tt := range []struct {
		name string
		next EntryFacts
		want string
	}{
		{"as it was", EntryFacts{Head: "a", Tree: "t"}, "2"},
		{"another commit", EntryFacts{Head: "b", Tree: "t"}, "none"},
		{"another tree", EntryFacts{Head: "a"}, "none"},
		{"git cannot tell", EntryFacts{Head: "a", Tree: "t", Unread: "no"}, "1"},
	} {
		b := &Budget{Idle: &Idle{Iterations: 1, Unseen: &Mark{"a", "t"}}}
		b.lookBack(tt.next)
		got := "none"
		if b.Idle != nil {
			got = fmt.Sprint(b.Idle.Iterations)
			if b.Idle.Unseen != nil {
				t.Errorf("%s: it is looked at twice", tt.name)
			}
		}
		if got != tt.want {
			t.Errorf("%s: %s", tt.name, got)
		}
	}
	for _, idle := range []*Idle{nil, {Iterations: 1}} {
		b := &Budget{Idle: idle}
		if b.lookBack(EntryFacts{Head: "x"}); b.Idle != idle {
			t.Error("an attempt that was looked at is counted again")
		}
	}
}
