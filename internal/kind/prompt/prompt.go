// Package prompt implements the prompt loop, which repeats a person's prompt.
package prompt

import "hooks/internal/loop"

// Name is the kind's name in commands and files.
const Name loop.Skill = "prompt"

// Kind is the loop kind that repeats a person's prompt.
var Kind = loop.Kind{
	Name: Name, Commands: []string{"do"}, Prompts: true, Idles: true, Adopts: true,
	Ceilings: loop.Ceilings{Iterations: 50, PRs: 20, Minutes: loop.MaxUnits,
		Dollars: 25 * loop.Dollar},
	None: "there is no prompt loop in this project; start one with " +
		"`/loop 10m /hooks:do -- PROMPT` in a session",
	Report: `{"outcome":"ok","note":"…"}`,
	Fields: `{"outcome":"ok|errored","failures":[{"kind":"issue|pr","number":1,"cause":"…"}],` +
		`"note":"…"}`,
}
