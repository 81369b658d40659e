package main

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"hooks/internal/loop"
)

// The tables of the README are made from the code. UPDATE=1 writes them anew.
func TestReadmeTables(t *testing.T) {
	raw, err := os.ReadFile("../README.md")
	if err != nil {
		t.Fatal(err)
	}
	want := string(raw)
	for name, table := range map[string]string{"conditions": conditionsTable(), "gates": gatesTable()} {
		begin, end := "<!-- "+name+" -->\n", "<!-- /"+name+" -->"
		head, rest, ok := strings.Cut(want, begin)
		_, tail, ok2 := strings.Cut(rest, end)
		if !ok || !ok2 {
			t.Fatalf("README.md has no %s table", name)
		}
		want = head + begin + table + end + tail
	}
	if want == string(raw) {
		return
	}
	if os.Getenv("UPDATE") == "" {
		t.Fatal("the README's tables differ from the code; write them with UPDATE=1 go test ./hooks -run TestReadmeTables")
	}
	if err := os.WriteFile("../README.md", []byte(want), 0o644); err != nil {
		t.Fatal(err)
	}
}

func conditionsTable() string {
	var b strings.Builder
	for _, c := range loop.Conditions {
		var at []string
		if c.When&(loop.Entry|loop.Reported) != 0 {
			at = append(at, "entry")
		}
		if c.When&loop.Exit != 0 {
			at = append(at, "exit")
		}
		fmt.Fprintf(&b, "| %d | %s%s | `%s` | %s |\n", c.Number, c.Name, scope(c.Applies), c.Cause, strings.Join(at, ", "))
	}
	return b.String()
}

func gatesTable() string {
	var b strings.Builder
	for _, g := range loop.Gates {
		var labels []string
		for _, o := range g.Options {
			labels = append(labels, o.Label)
		}
		holds := map[loop.Hold]string{
			loop.HoldTick: "only reading and the dialog pass", loop.HoldMerge: "that PR is not merged",
			loop.HoldNextTick: "nothing is dispatched", loop.HoldLock: "the lock stays where it is",
		}[g.Holds]
		fmt.Fprintf(&b, "| %s%s | %s | %s |\n", g.Name, scope(g.Applies), strings.Join(labels, ", "), holds)
	}
	return b.String()
}

func scope(s loop.Scope) string {
	switch s {
	case loop.WorkRun:
		return " (work)"
	case loop.SinglePR:
		return " (review --pr)"
	case loop.WorkRun | loop.ReviewRun:
		return " (not with --pr)"
	}
	return ""
}
