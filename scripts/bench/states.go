package main

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
)

// states are what a hook call can meet, in the order of the table's columns.
var states = []string{"no loop", "another session's loop", "iteration open", "between iterations", "halted"}

// payloads are the events by hook word, beyond the fields that all have. The order is the table's.
var payloads = []struct{ word, event, more string }{
	{"pre-tool-use", "PreToolUse", `"tool_name":"Bash","tool_use_id":"t","tool_input":{"command":"go test ./... 2>&1 | tail -20 # ` + strings.Repeat("x", 150) + `"}`},
	{"post-tool-use", "PostToolUse", `"tool_name":"Bash","tool_use_id":"t","tool_input":{"command":"go test ./..."},"tool_response":{"stdout":"ok"}`},
	{"post-tool-use-failure", "PostToolUseFailure", `"tool_name":"Bash","tool_use_id":"t","tool_input":{"command":"go test ./..."},"error":"Exit code 1"`},
	{"user-prompt-submit", "UserPromptSubmit", `"prompt":"how is it going?"`},
	{"user-prompt-expansion", "UserPromptExpansion", `"expansion_type":"slash_command","command_name":"context","command_args":"","prompt":"/context"`},
	{"subagent-stop", "SubagentStop", `"agent_id":"a1","agent_type":"general-purpose"`},
	{"session-start", "SessionStart", `"source":"startup"`},
	{"stop", "Stop", `"stop_hook_active":false`},
	{"stop-failure", "StopFailure", `"error":"rate_limit"`},
	{"session-end", "SessionEnd", `"reason":"other"`},
}

// namedRows are the rows that are told with all their figures.
var namedRows = map[string]string{
	"pre-tool-use/no loop": "pre-tool-use, no loop", "stop/no loop": "stop, no loop",
	"pre-tool-use/iteration open": "pre-tool-use, iteration open", "stop/iteration open": "stop, end of an iteration",
}

// rows are the empty program, the guards of other languages, and every hook word in every state.
func (b *bench) rows() ([]*row, error) {
	idle := filepath.Join(b.dir, "idle")
	list := []*row{{name: "empty Go program", args: []string{b.empty}, stdin: event(idle, payloads[0].event, payloads[0].more)}}
	guards, err := b.guards(idle)
	if err != nil {
		return nil, err
	}
	list = append(list, guards...)
	for n, state := range states {
		project := filepath.Join(b.dir, fmt.Sprintf("state-%d", n))
		if n == 0 {
			project = idle
		}
		if err := b.reach(state, project); err != nil {
			return nil, fmt.Errorf("reach %q: %w", state, err)
		}
		for _, p := range payloads {
			list = append(list, &row{
				name: namedRows[p.word+"/"+state], word: p.word, state: state, args: []string{b.hooks, p.word},
				stdin: event(project, p.event, p.more), env: b.env(project), prepare: restore(project),
			})
		}
	}
	return list, nil
}

// reach brings a project into a state and keeps a copy of it beside the project.
func (b *bench) reach(state, project string) error {
	if err := os.MkdirAll(project, 0o755); err != nil {
		return err
	}
	var steps []error
	switch state {
	case "no loop":
		return nil
	case "another session's loop":
		steps = b.first(project, "--loop", "other", false)
	case "iteration open": // the second one: most calls meet a run that has a history
		steps = append(b.first(project, "--loop", "s", true), b.enter(project, "p", "--loop"), b.report(project))
	case "between iterations":
		steps = b.first(project, "--loop", "s", true)
	case "halted":
		steps = b.first(project, "--loop --max-iterations 1", "s", true)
	}
	return errors.Join(append(steps, keep(project))...)
}

// kept are the folders of a project's state and of its seal, and where their copies are.
func kept(project string) map[string]string {
	return map[string]string{
		filepath.Join(project, ".sdd"): project + ".kept",
		project + ".seal":              project + ".kept-seal",
	}
}

func keep(project string) error {
	for from, to := range kept(project) {
		if err := os.CopyFS(to, os.DirFS(from)); err != nil {
			return err
		}
	}
	return nil
}

// first runs the first iteration of a session's loop, to its end or not.
func (b *bench) first(project, args, session string, ends bool) []error {
	as := func(payload string) string {
		return strings.Replace(strings.Replace(payload, `"p"`, `"p1"`, 1), `"s"`, `"`+session+`"`, 1)
	}
	steps := []error{b.hook(project, "user-prompt-expansion", as(expansion(project, args)))}
	if ends {
		for _, p := range payloads[:7] { // a session's first event of each kind leaves a receipt; most calls meet it there
			if p.word != "user-prompt-expansion" {
				steps = append(steps, b.hook(project, p.word, as(event(project, p.event, p.more))))
			}
		}
		steps = append(steps, b.report(project), b.hook(project, "stop", as(event(project, "Stop", `"stop_hook_active":false`))))
	}
	return steps
}

func expansion(project, args string) string {
	return event(project, "UserPromptExpansion", fmt.Sprintf(
		`"expansion_type":"slash_command","command_name":"sdd:work","command_args":%q,"prompt":"/sdd:work %s"`, args, args))
}

func (b *bench) enter(project, prompt, args string) error {
	return b.hook(project, "user-prompt-expansion", strings.Replace(expansion(project, args), `"p"`, `"`+prompt+`"`, 1))
}

func (b *bench) report(project string) error {
	cmd := exec.Command(b.hooks, "report")
	cmd.Env, cmd.Stdin = b.env(project), strings.NewReader(`{"outcome":"ok"}`)
	return cmd.Run()
}

// restore puts a project back into its state.
func restore(project string) func() error {
	return func() error {
		for folder, copied := range kept(project) {
			if _, err := os.Stat(copied); err != nil {
				continue
			}
			err := errors.Join(os.RemoveAll(folder), os.CopyFS(folder, os.DirFS(copied)))
			if err != nil {
				return err
			}
		}
		return nil
	}
}

// named leaves the rows of the first table.
func named(rows []*row) []*row {
	return slices.DeleteFunc(slices.Clone(rows), func(r *row) bool { return r.name == "" })
}

// printStates prints the median of every hook word in every state.
func printStates(rows []*row) {
	fmt.Printf("| median ms | %s |\n|---|%s\n", strings.Join(states, " | "), strings.Repeat("--:|", len(states)))
	for _, p := range payloads {
		line := "| " + p.word + " |"
		for _, state := range states {
			i := slices.IndexFunc(rows, func(r *row) bool { return r.word == p.word && r.state == state })
			line += fmt.Sprintf(" %.2f |", ms(rows[i].median()))
		}
		fmt.Println(line)
	}
}
