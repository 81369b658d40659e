//go:build linux || darwin

package main

import (
	"fmt"
	"slices"
	"strings"

	"hooks/scripts/driver"
)

// states lists the states to measure hook calls in, in the order of the table's columns.
var states = []string{
	"no loop", "another session's loop", "iteration open", "between iterations", "halted",
}

// events returns one event for each hook word, in the order of the table's rows.
func events(w *driver.World) []driver.Event {
	bash := []any{"tool_name", "Bash", "tool_use_id", "t", "tool_input.command",
		"go test ./... 2>&1 | tail -20 # " + strings.Repeat("x", 150)}
	return []driver.Event{
		w.Hook("pre-tool-use", bash...),
		w.Hook("post-tool-use", append(bash, "tool_response.stdout", "ok")...),
		w.Hook("post-tool-use-failure",
			append(bash, "error", "Exit code 1")...),
		w.Typed("how is it going?"),
		w.Hook("user-prompt-expansion", "expansion_type", "slash_command",
			"command_name", "context", "command_args", "", "prompt", "/context"),
		w.Worker("a1"),
		w.Hook("session-start", "source", "startup"),
		w.Stop("stop_hook_active", false),
		w.Hook("stop-failure", "error", "rate_limit"),
		w.Hook("config-change", "source", "local_settings"),
		w.Hook("permission-request", "tool_name", "AskUserQuestion"),
		w.SessionEnd("other"),
	}
}

// named maps cells in the second table to the names of their rows in the first.
var named = map[string]string{
	"pre-tool-use/no loop":        "pre-tool-use, no loop",
	"stop/no loop":                "stop, no loop",
	"pre-tool-use/iteration open": "pre-tool-use, iteration open",
	"stop/iteration open":         "stop, end of an iteration",
}

// states measures every hook word in every state.
func (b *bench) states() {
	idle := b.world("idle")
	rows := b.against(events(idle)[0])
	for _, state := range states {
		w := b.world(state)
		reach(w, state)
		at := w.Save()
		for _, e := range events(w) {
			r := b.row(named[e.Args[0]+"/"+state], w, e, func() { w.Restore(at) })
			r.word, r.state = e.Args[0], state
			rows = append(rows, r)
		}
	}
	b.measure(rows, 10, b.n)
	if len(b.Errors) > 0 {
		return
	}
	fmt.Printf("\n| median ms | %s |\n|---|%s\n",
		strings.Join(states, " | "), strings.Repeat("--:|", len(states)))
	for _, e := range events(idle) {
		fmt.Printf("| %s |", e.Args[0])
		for _, state := range states {
			i := slices.IndexFunc(rows, func(r *row) bool {
				return r.word == e.Args[0] && r.state == state
			})
			fmt.Printf(" %.2f |", at(rows[i].times, 50))
		}
		fmt.Println()
	}
}

func reach(w *driver.World, state string) {
	switch state {
	case "another session's loop":
		w.Session = "s2"
		play(w, w.Enter("--loop"))
		w.Session = "s1"
	case "iteration open": // the second one, because most runs have a history
		first(w, "--loop")
		w.NewPrompt()
		play(w, w.Enter("--loop"), w.Report(`{"outcome":"ok"}`))
	case "between iterations":
		first(w, "--loop")
		w.NewPrompt()
	case "halted":
		first(w, "--loop --max-iterations 1")
		w.NewPrompt()
	}
}

// first plays a whole iteration. The first event of each kind in a session writes a receipt, which
// must not be measured.
func first(w *driver.World, args string) {
	play(w, w.Enter(args))
	for _, e := range events(w)[:7] {
		if e.Args[0] != "user-prompt-expansion" {
			play(w, e)
		}
	}
	play(w, w.Report(`{"outcome":"ok"}`), w.Stop())
}
