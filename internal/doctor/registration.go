package doctor

import (
	"cmp"
	"fmt"
	"maps"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"

	"github.com/tidwall/gjson"

	"hooks/internal/event"
	"hooks/internal/install"
	"hooks/internal/loop"
)

const hintInstall = "register the program: `hooks install`, or switch its plugin on"

// registered needs a registration of the program.
func registered(m *machine, n *notes) bool {
	if len(m.settings().Ours()) == 0 {
		n.skip("the program is registered nowhere")
		return false
	}
	return true
}

// where names a hook for people.
func (m *machine) where(h install.Hook) string {
	return h.Event + " in " + m.shown(h.File.Path)
}

// from names a file for people.
func (m *machine) from(f *install.File) string {
	return fmt.Sprintf("%s (%s)", m.shown(f.Path), f.Scope)
}

// settingsFiles finds what the client cannot read. It skips a whole file for one value of a wrong
// type, with -p without a word, and ignores a malformed entry of most events.
func settingsFiles(m *machine, n *notes) {
	for _, f := range m.settings().Files {
		if f.Bad != "" {
			n.fail("repair the file, or move it away: the client ignores it",
				"%s: %s", m.from(f), f.Bad)
			continue
		}
		n.note("%s", m.from(f))
		if f.Root != "" {
			continue
		}
		for _, w := range install.WrongTypes(f.Text) {
			text := fmt.Sprintf("%s: %v; the client skips the whole file", m.shown(f.Path), w)
			if w.Choice {
				n.warn("correct it, unless your client knows that word", "%s", text)
			} else {
				n.fail("correct that value", "%s", text)
			}
		}
	}
	for _, h := range m.settings().Hooks {
		guards := h.Event == event.PreToolUse || h.Event == "PermissionRequest"
		if wrongType := guards && h.File.Root == ""; !wrongType && !wellFormed(h.Raw) {
			n.warn("repair it: give it type, command and args as in the other entries",
				"%s: an entry of %s is malformed, and the client ignores it",
				m.shown(h.File.Path), h.Event)
		}
	}
	if len(m.settings().Files) == 0 {
		n.skip("no settings, no plugins in %s", m.shown(m.clientDir()))
	}
}

func wellFormed(h gjson.Result) bool {
	kind, command, args := h.Get("type"), h.Get("command"), h.Get("args")
	complete := kind.Str != "command" || command.Type == gjson.String && command.Str != ""
	return kind.Type == gjson.String && complete && (!args.Exists() || args.IsArray())
}

// lostWithout is what is lost with an event that is not registered.
func lostWithout(name string) string {
	return map[string]string{
		event.Stop:                "no iteration is ever closed",
		event.PreToolUse:          "nothing is guarded",
		event.PostToolUse:         "answers are found only in the transcript, PRs are not counted",
		event.PostToolUseFailure:  "a failing qmd is not seen",
		event.UserPromptSubmit:    "an interrupted turn is noticed late",
		event.UserPromptExpansion: "a typed command is met only when the model calls the skill",
		event.SubagentStop:        "ended workers are not noticed",
		event.SessionStart:        "a session leaves no receipt at its start",
		event.SessionEnd:          "a closed session is noticed at the next entry only",
		event.StopFailure:         "a turn that an API error ended is noticed late",
		event.ConfigChange:        "changed settings can switch the hooks off in a loop",
	}[name]
}

func hooksRegistered(m *machine, n *notes) {
	const again = hintInstall + " again"
	ours := m.settings().Ours()
	if len(ours) == 0 {
		n.fail(hintInstall+"; a session started with --plugin-dir is not seen from here",
			"the program is registered nowhere: no loop is governed")
		return
	}
	var files []string
	have := map[string]bool{}
	for _, h := range ours {
		files = loop.AppendNew(files, m.from(h.File))
		if want := event.NameOf(h.Word); want == h.Event {
			have[want] = true
		} else {
			n.fail("give the entry its event's own word, as in hooks.json",
				"%s calls the word %q, which answers %s only", m.where(h), h.Word, want)
		}
	}
	var missing []string
	for _, w := range event.Words {
		switch {
		case have[w.Name]:
		case w.Name == event.Stop || w.Name == event.PreToolUse:
			n.fail(again, "%s is not registered: %s", w.Name, lostWithout(w.Name))
		default:
			missing = append(missing, w.Name)
		}
	}
	if len(missing) == 1 {
		n.warn(again, "%s is not registered: %s", missing[0], lostWithout(missing[0]))
	} else if len(missing) > 1 {
		n.warn(again, "%d events are not registered, and what they report is noticed late or "+
			"not at all: %s", len(missing), join(missing))
	}
	n.note("%d of %d events in %s", len(have), len(event.Words), join(files))
}

// registeredOnce finds events that would count twice. The client runs a handler once that several
// settings files have in the same words; other copies, and those of plugins, each run.
func registeredOnce(m *machine, n *notes) {
	events := map[string][]string{} // by the places that each run
	for _, w := range event.Words {
		var copies, places []string
		for _, h := range m.settings().Ours() {
			own := fmt.Sprint(h.Raw.Get("command"), h.Raw.Get("args"))
			if h.File.Root != "" {
				own += h.File.Scope
			}
			if h.Word == w.Word && !slices.Contains(copies, own) {
				copies, places = append(copies, own), append(places, m.from(h.File))
			}
		}
		if len(places) > 1 {
			at := fmt.Sprintf("%d times: %s", len(places), join(places))
			events[at] = append(events[at], w.Name)
		}
	}
	for _, at := range slices.Sorted(maps.Keys(events)) {
		verb := "runs"
		if len(events[at]) > 1 {
			verb = "run"
		}
		n.fail("keep one: `hooks uninstall` in a scope, or switch the plugin off",
			"%s %s %s", join(events[at]), verb, at)
	}
	n.noteIfFine("every event runs the program once")
}

// factTools are tools whose results carry facts.
var factTools = [...]string{
	"Bash", "PowerShell", "Monitor", "Agent", "Task", "AskUserQuestion", "mcp__any__merge",
}

// guardedTools are further tools that the guard must see, one that does not exist yet among them.
var guardedTools = [...]string{"Write", "Skill", "CronCreate", "ToolOfTomorrow"}

func matchers(m *machine, n *notes) {
	for _, name := range []string{event.PreToolUse, event.PostToolUse, event.PostToolUseFailure} {
		missed, add := factTools[:], n.warn
		hint := "take the matcher from hooks.json"
		if name == event.PreToolUse {
			missed, add = slices.Concat(guardedTools[:], missed), n.fail
			hint = "leave the matcher of PreToolUse away: the guard must see every tool"
		}
		hooks := slices.DeleteFunc(m.settings().Ours(), func(h install.Hook) bool {
			return h.Event != name
		})
		for _, h := range hooks {
			missed = slices.DeleteFunc(slices.Clone(missed), func(tool string) bool {
				return catches(h.Matcher, tool)
			})
		}
		if len(hooks) > 0 && len(missed) == 0 {
			n.note("%s: %s", name, cmp.Or(hooks[0].Matcher, "every tool"))
		} else if len(hooks) > 0 {
			add(hint, "%s has the matcher %q, which does not catch %s",
				m.where(hooks[0]), hooks[0].Matcher, join(missed))
		}
	}
}

// catches is the client's rule for a matcher: a list of names, or, with any other character in it,
// a regular expression that is not anchored.
func catches(matcher, tool string) bool {
	if matcher == "" || matcher == "*" {
		return true
	}
	if regexp.MustCompile(`^[A-Za-z0-9_\- ,|]*$`).MatchString(matcher) {
		separates := func(c rune) bool { return strings.ContainsRune("|, ", c) }
		return slices.Contains(strings.FieldsFunc(matcher, separates), tool)
	}
	re, err := regexp.Compile(matcher)
	return err == nil && re.MatchString(tool)
}

func commandForm(m *machine, n *notes) {
	for _, h := range m.settings().Ours() {
		at := m.where(h)
		holds, kept := install.Holds(h.Raw), slices.Contains(heldEvents[:], h.Event)
		failure := h.Raw.Get("onFailure")
		switch {
		case failure.Exists() && failure.Str != "block" && failure.Str != "continue":
			n.fail(hintInstall+" again", "%s has \"onFailure\": %s, for which the client can drop "+
				"every hook of the file", at, failure.Raw)
		case failure.Str == "block" && !holds:
			n.fail(hintInstall+" again", "%s blocks everything once the program is missing, "+
				"without a loop too", at)
		case kept && !holds && runtime.GOOS != "windows":
			n.warn(hintInstall+" again", "%s is of an older version: in a loop, everything passes "+
				"unguarded once the program is missing or fails", at)
		case !holds && !h.Raw.Get("args").IsArray() && h.File.Root == "":
			n.warn(`write it in exec form: "command": "…/hooks", "args": ["`+h.Word+`"]`,
				"%s goes through a shell, which costs time and can add output that loses decisions",
				at)
		}
		if h.Raw.Get("if").Exists() {
			n.fail("take the key away", "%s has an \"if\": it lets calls pass unseen, "+
				"and on other events than tools it never runs", at)
		}
		if h.Raw.Get("async").Bool() || h.Raw.Get("asyncRewake").Bool() {
			n.fail("take the key away", "%s runs in the background: its decisions are ignored", at)
		}
		timeout, least := h.Raw.Get("timeout"), minTimeout(h.Event)
		if timeout.Exists() && timeout.Num < least {
			n.fail(fmt.Sprintf("give it %g seconds or more", least),
				"%s is ended by the client after %g seconds, before the program's own deadline: "+
					"a call then passes unguarded", at, timeout.Num)
		} else if c := taskTime(h.Event); c > 0 && timeout.Num < c {
			n.warn(fmt.Sprintf("give it \"timeout\": %g, or type hooks install again", c),
				"%s ends a check command of a task loop early: the client gives it %s, and the "+
					"result is lost", at, given(timeout))
		}
	}
	n.noteIfFine("a missing program blocks a loop and nothing else, and timeouts are longer than " +
		"the program's own")
}

// heldEvents are the events that the client can hold back where the program is missing.
var heldEvents = [...]string{event.PreToolUse, event.UserPromptSubmit, event.UserPromptExpansion}

// taskTime is how long an event's hook may take where it runs a check command, in seconds; 0 for
// an event that never does.
func taskTime(name string) float64 {
	if name == event.Stop || name == event.SubagentStop {
		return 3600
	}
	return 0
}

// given is the time that the client gives a hook, for a person.
func given(timeout gjson.Result) string {
	if !timeout.Exists() {
		return "600 seconds, as no timeout is set"
	}
	return fmt.Sprintf("%g seconds", timeout.Num)
}

// minTimeout is longer than the program takes at most for an event, in seconds. An entry may wait
// 45 for a lock.
func minTimeout(name string) float64 {
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

// otherHooks names the hooks of other programs that can get in the way of a loop.
func otherHooks(m *machine, n *notes) {
	others := 0
	for _, h := range m.settings().Hooks {
		command := h.Raw.Get("command").String()
		launcher := h.File.Root != "" && strings.Contains(command, "/launch/hooks.sh")
		if h.Word != "" || launcher {
			continue
		}
		others++
		what := command + h.Raw.Get("url").String() + h.Raw.Get("prompt").String()
		first, _, _ := strings.Cut(strings.TrimSpace(what), " ")
		name := filepath.Base(strings.Trim(first, `"'`))
		switch h.Event {
		case event.Stop, event.SubagentStop:
			n.warn("see that it lets a turn end: each turn that it blocks costs a model call",
				"%s runs %s too, which may hold turns open", m.where(h), name)
		case event.PreToolUse:
			n.warn("see that it answers nothing but a denial: of several rewritten inputs the "+
				"last one to finish wins",
				"%s runs %s too, which may rewrite or allow calls", m.where(h), name)
		case event.UserPromptSubmit, event.UserPromptExpansion:
			n.warn("see that it lets the loop's own prompts pass",
				"%s runs %s too, which may block the prompts that begin a tick", m.where(h), name)
		}
	}
	n.note("%s of others", loop.Plural(others, "hook"))
}
