package proc

import (
	"os"
	"testing"

	"hooks/internal/loop"
)

func TestInside(t *testing.T) {
	other, _ := waiter(t)
	parent, reused := Describe(os.Getppid(), "client"), Describe(os.Getppid(), "client")
	reused.Start = "1@another-boot"
	for _, c := range []struct {
		name string
		p    loop.Process
		want bool
	}{
		{"its parent", parent, true},
		{"its parent, guessed", Describe(os.Getppid(), "parent"), false},
		{"a number that was used again", reused, false},
		{"a process beside it", Describe(other, "client"), false},
		{"no one", loop.Process{Source: "client"}, false},
	} {
		if got := Inside(c.p); got != c.want {
			t.Errorf("%s: %v", c.name, got)
		}
	}
}

func TestBelowEndsInACircle(t *testing.T) {
	circle := func(pid int) (entry, bool) { return entry{parent: 10 + (pid+1)%2}, true }
	if below(5, 10, circle) {
		t.Error("a process outside of the circle was found in it")
	}
	chain := func(pid int) (entry, bool) { return entry{parent: pid - 1}, pid > 1 }
	if !below(3, 20, chain) || below(30, 20, chain) {
		t.Error("the chain is not followed upwards")
	}
}
