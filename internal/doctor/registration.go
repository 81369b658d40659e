package doctor

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/tidwall/gjson"

	"hooks/internal/event"
	"hooks/internal/install"
	"hooks/internal/loop"
)

const wayInstall = "register the program: `hooks install`, or switch its plugin on"

func settingsFiles(m *machine, n *notes) {
	for _, s := range m.hooks().files {
		if s.bad != "" {
			n.fail("repair the file, or move it away: the client ignores it", "%s (%s): %s", m.shown(s.path), s.scope, s.bad)
			continue
		}
		n.say("%s (%s)", m.shown(s.path), s.scope)
	}
	for _, s := range m.hooks().files {
		if s.root == "" {
			wrongTypes(m, n, s)
		}
		malformed(m, n, s)
	}
	if len(n.found)+len(n.problems) == 0 {
		n.skip("no settings, no plugins in %s", m.shown(m.configDir()))
	}
}

// wrongTypes reports the values for which the client skips the whole file, hooks included: with -p
// it does so without a word.
func wrongTypes(m *machine, n *notes, s *settings) {
	for _, w := range install.WrongTypes(s.text) {
		text := fmt.Sprintf("%s: %v; the client skips the whole file", m.shown(s.path), w)
		if w.Choice {
			n.warn("correct it, unless your client knows that word", "%s", text)
		} else {
			n.fail("correct that value", "%s", text)
		}
	}
}

// malformed reports the entries that the client ignores. Those of the events that guard are a wrong
// type of the whole file.
func malformed(m *machine, n *notes, s *settings) {
	s.body.Get("hooks").ForEach(func(name, groups gjson.Result) bool {
		if s.root == "" && (name.Str == event.PreToolUse || name.Str == "PermissionRequest") {
			return true
		}
		for _, g := range groups.Array() {
			for _, h := range g.Get("hooks").Array() {
				if !wellFormed(h) {
					n.warn("repair it: give it type, command and args as in the other entries",
						"%s: an entry of %s is malformed, and the client ignores it",
						m.shown(s.path), name)
				}
			}
		}
		return true
	})
}

func wellFormed(h gjson.Result) bool {
	kind, command, args := h.Get("type"), h.Get("command"), h.Get("args")
	named := kind.Str != "command" || command.Type == gjson.String && command.Str != ""
	return kind.Type == gjson.String && named && (!args.Exists() || args.IsArray())
}

// without is what is lost with an event that is not registered.
func without(name string) string {
	switch name {
	case event.Stop:
		return "no iteration is ever closed"
	case event.PreToolUse:
		return "nothing is guarded"
	case event.PostToolUse:
		return "answers are found only in the transcript, and PRs opened are not counted"
	case event.PostToolUseFailure:
		return "a failing qmd is not seen"
	case event.UserPromptSubmit:
		return "an interrupted turn is noticed late"
	case event.UserPromptExpansion:
		return "a typed command is met only when the model calls the skill"
	case event.SubagentStop:
		return "ended workers are not noticed"
	case event.SessionStart:
		return "a session leaves no receipt at its start"
	case event.SessionEnd:
		return "a closed session is noticed at the next entry only"
	}
	return "a turn that an API error ended is noticed late"
}

func hooksRegistered(m *machine, n *notes) {
	ours := m.hooks().ours()
	if len(ours) == 0 {
		n.fail(wayInstall+"; a session started with --plugin-dir is not seen from here", "the program is registered nowhere: no loop is governed")
		return
	}
	var scopes []string
	for _, h := range ours {
		scopes = loop.AppendNew(scopes, fmt.Sprintf("%s (%s)", m.shown(h.from.path), h.from.scope))
		if want := event.NameOf(h.word); want != h.event {
			n.fail("give the entry its event's own word, as in hooks.json", "%s calls the word %q, which answers %s only", m.where(h), h.word, want)
		}
	}
	have, missing := 0, []string(nil)
	for _, w := range event.Words {
		if slices.ContainsFunc(ours, func(h handler) bool { return h.word == w.Word && h.event == w.Name }) {
			have++
		} else if w.Name == event.Stop || w.Name == event.PreToolUse {
			n.fail(wayInstall+" again", "%s is not registered: %s", w.Name, without(w.Name))
		} else {
			missing = append(missing, w.Name)
		}
	}
	switch len(missing) {
	case 0:
	case 1:
		n.warn(wayInstall+" again", "%s is not registered: %s", missing[0], without(missing[0]))
	default:
		n.warn(wayInstall+" again",
			"%d events are not registered, and what they tell is noticed late or not at all: %s",
			len(missing), join(missing))
	}
	n.say("%d of %d events in %s", have, len(event.Words), join(scopes))
}

// registeredOnce: the client runs a handler once that stands in several settings files in the same words; other copies,
// and those of plugins, each run, and everything is counted twice.
func registeredOnce(m *machine, n *notes) {
	ours := m.hooks().ours()
	if len(ours) == 0 {
		n.skip("the program is registered nowhere")
		return
	}
	events, doubles := map[string][]string{}, []string(nil) // by the places in which they are doubled
	for _, w := range event.Words {
		if places := m.copies(ours, w.Word); len(places) > 1 {
			at := fmt.Sprintf("%d times: %s", len(places), join(places))
			events[at], doubles = append(events[at], w.Name), loop.AppendNew(doubles, at)
		}
	}
	for _, at := range doubles {
		run := "runs"
		if len(events[at]) > 1 {
			run = "run"
		}
		n.fail("keep one: `hooks uninstall` in a scope, or switch the plugin off", "%s %s %s", join(events[at]), run, at)
	}
	if len(doubles) == 0 {
		n.say("every event runs the program once")
	}
}

// copies are the places of a word's handlers that each run.
func (m *machine) copies(ours []handler, word string) (places []string) {
	var copies []string
	for _, h := range ours {
		if h.word != word {
			continue
		}
		copy := h.raw.Get("command").String() + h.raw.Get("args").Raw
		if h.from.root != "" {
			copy += h.from.scope
		}
		if !slices.Contains(copies, copy) {
			copies, places = append(copies, copy), append(places, fmt.Sprintf("%s (%s)", m.shown(h.from.path), h.from.scope))
		}
	}
	return places
}

// factTools are the tools whose results carry facts.
var factTools = []string{"Bash", "PowerShell", "Monitor", "Agent", "Task", "AskUserQuestion", "mcp__any__merge"}

func matchers(m *machine, n *notes) {
	ours := m.hooks().ours()
	if len(ours) == 0 {
		n.skip("the program is registered nowhere")
		return
	}
	for _, name := range []string{event.PreToolUse, event.PostToolUse, event.PostToolUseFailure} {
		var mine []handler
		for _, h := range ours {
			if h.event == name {
				mine = append(mine, h)
			}
		}
		if len(mine) == 0 {
			continue
		}
		need := factTools
		if name == event.PreToolUse {
			need = append([]string{"Write", "Skill", "CronCreate", "ToolOfTomorrow"}, need...)
		}
		missed := slices.DeleteFunc(slices.Clone(need), func(tool string) bool {
			return slices.ContainsFunc(mine, func(h handler) bool { return catches(h.matcher, tool) })
		})
		switch {
		case len(missed) == 0:
			n.say("%s: %s", name, orAll(mine[0].matcher))
		case name == event.PreToolUse:
			n.fail("leave the matcher of PreToolUse away: the guard must see every tool", "%s has the matcher %q, which does not catch %s", m.where(mine[0]), mine[0].matcher, join(missed))
		default:
			n.warn("take the matcher from hooks.json", "%s has the matcher %q, which does not catch %s", m.where(mine[0]), mine[0].matcher, join(missed))
		}
	}
}

func orAll(matcher string) string {
	if matcher == "" {
		return "every tool"
	}
	return matcher
}

func commandForm(m *machine, n *notes) {
	ours := m.hooks().ours()
	if len(ours) == 0 {
		n.skip("the program is registered nowhere")
		return
	}
	for _, h := range ours {
		at := m.where(h)
		if !h.execForm() {
			n.warn(`write it in exec form: "command": "…/hooks", "args": ["`+h.word+`"]`, "%s goes through a shell, which costs time and can add output that loses decisions", at)
		}
		if h.raw.Get("if").Exists() {
			n.fail("take the key away", "%s has an \"if\": it lets calls pass unseen, and on other events than tools it never runs", at)
		}
		if h.raw.Get("async").Bool() || h.raw.Get("asyncRewake").Bool() {
			n.fail("take the key away", "%s runs in the background: its decisions are ignored", at)
		}
		timeout := h.raw.Get("timeout")
		if least := leastTimeout(h.event); timeout.Exists() && timeout.Num < least {
			n.fail(fmt.Sprintf("give it %g seconds or more", least), "%s is ended by the client after %g seconds, before the program's own deadline: a call then passes unguarded", at, timeout.Num)
		}
	}
	if len(n.problems) == 0 {
		n.say("exec form, with timeouts longer than the program's own")
	}
}

// leastTimeout is longer than the program takes at most for an event, in seconds: an entry may wait 45 for a lock.
func leastTimeout(name string) float64 {
	switch name {
	case event.PreToolUse, event.UserPromptExpansion:
		return 50
	case event.Stop:
		return 20
	case event.SessionEnd:
		return 1
	}
	return 5
}

func otherHooks(m *machine, n *notes) {
	others := 0
	for _, h := range m.hooks().handlers {
		if h.word != "" || h.launcher() {
			continue
		}
		others++
		what := strings.TrimSpace(h.raw.Get("command").String() + h.raw.Get("url").String() + h.raw.Get("prompt").String())
		name := filepath.Base(strings.Trim(strings.SplitN(what+" ", " ", 2)[0], `"'`))
		switch h.event {
		case event.Stop, event.SubagentStop:
			n.warn("see that it lets a turn end: a loop's turn that it blocks costs a model call each time", "%s runs %s too, which may hold turns open", m.where(h), name)
		case event.PreToolUse:
			n.warn("see that it answers nothing but a denial: of several rewritten inputs the last one to finish wins", "%s runs %s too, which may rewrite or allow calls", m.where(h), name)
		case event.UserPromptSubmit, event.UserPromptExpansion:
			n.warn("see that it lets the loop's own prompts pass", "%s runs %s too, which may block the prompts that begin a tick", m.where(h), name)
		}
	}
	n.say("%s of others", count(others, "hook"))
}
