package doctor

import (
	"cmp"
	"fmt"
	"maps"
	"runtime"
	"slices"
	"strings"

	"github.com/tidwall/gjson"

	plugin "hooks"
	"hooks/internal/event"
	"hooks/internal/install"
	"hooks/internal/loop"
)

const hintInstall = "register the program: `hooks install`, or switch its plugin on"

// again returns the hint for correcting the registration in f.
func again(f *install.File) string {
	switch {
	case f.Root != "":
		return "update the plugin; or switch it off and register the program: `hooks install`"
	case f.Scope == "managed":
		return "the administrator registers it in the managed settings"
	}
	return "`hooks install --scope " + f.Scope + "`"
}

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
// type, with -p without a word.
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
}

func hooksRegistered(m *machine, n *notes) {
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
			n.fail(again(h.File),
				"%s calls the word %q, which answers %s only", m.where(h), h.Word, want)
		}
	}
	var missing []string
	for _, w := range event.Words {
		switch {
		case have[w.Name]:
		case w.Name == event.Stop:
			n.fail(again(ours[0].File), "Stop is not registered: no iteration is ever closed")
		case w.Name == event.PreToolUse:
			n.fail(again(ours[0].File), "PreToolUse is not registered: nothing is guarded")
		default:
			missing = append(missing, w.Name)
		}
	}
	if len(missing) > 0 {
		n.warn(again(ours[0].File), "not registered: %s; what they report is noticed late or not "+
			"at all", join(missing))
	}
	n.note("%d of %d events in %s", len(have), len(event.Words), join(files))
}

// registeredOnce finds events that would count twice. The client runs a handler once that several
// settings files have in the same words; other copies, and those of plugins, each run.
func registeredOnce(m *machine, n *notes) {
	events, keep := map[string][]string{}, "keep one" // by the places that each run
	for _, w := range event.Words {
		var copies, places []string
		for _, h := range m.settings().Ours() {
			own := fmt.Sprint(h.Raw.Get("command"), h.Raw.Get("args"))
			if h.File.Root != "" {
				own += h.File.Scope
			}
			if h.Word != w.Word || slices.Contains(copies, own) {
				continue
			}
			copies, places = append(copies, own), append(places, m.from(h.File))
			if slices.Contains(install.Scopes, h.File.Scope) {
				keep = "keep one, as by `hooks uninstall --scope " + h.File.Scope + "`"
			}
		}
		if len(places) > 1 {
			at := fmt.Sprintf("%d times, by %s", len(places), strings.Join(places, " and "))
			events[at] = append(events[at], w.Name)
		}
	}
	for _, at := range slices.Sorted(maps.Keys(events)) {
		n.fail(keep, "%s: run %s", join(events[at]), at)
	}
	n.noteIfFine("every event runs the program once")
}

// commandForm compares each entry with that of this version, which `hooks install` writes.
func commandForm(m *machine, n *notes) {
	for _, h := range m.settings().Ours() {
		for _, odd := range oddities(h) {
			add := n.warn
			if odd.broken {
				add = n.fail
			}
			add(again(h.File), "%s %s", m.where(h), odd.text)
		}
	}
	n.noteIfFine("a missing program blocks a loop and nothing else, and timeouts are longer than " +
		"the program's own")
}

// oddity is something in an entry that keeps it from its work.
type oddity struct {
	broken bool
	text   string
}

func oddities(h install.Hook) (list []oddity) {
	add := func(broken bool, format string, args ...any) {
		list = append(list, oddity{broken, fmt.Sprintf(format, args...)})
	}
	own := gjson.Get(plugin.Hooks, "hooks."+h.Event+".0")
	guards := h.Event == event.PreToolUse
	switch want := own.Get("matcher").Str; {
	case h.Matcher == "" || h.Matcher == "*" || h.Matcher == want:
	case guards:
		add(true, "has the matcher %q: the guard must see every tool", h.Matcher)
	case want != "":
		add(false, "has the matcher %q in place of %q: facts are lost", h.Matcher, want)
	}
	holds, failure := install.Holds(h.Raw), h.Raw.Get("onFailure")
	kept := own.Get("hooks.0.onFailure").Exists()
	switch {
	case failure.Exists() && failure.Str != "block" && failure.Str != "continue":
		add(true, "has \"onFailure\": %s, for which the client can drop every hook of the file",
			failure.Raw)
	case failure.Str == "block" && !holds:
		add(true, "blocks everything once the program is missing, without a loop too")
	case kept && !holds && runtime.GOOS != "windows":
		add(false, "is of an older version: in a loop, everything passes unguarded once the "+
			"program is missing or fails")
	case !holds && !h.Raw.Get("args").IsArray() && h.File.Root == "":
		add(false, "goes through a shell, which costs time and can add output that loses decisions")
	}
	if h.Raw.Get("if").Exists() {
		add(true, "has an \"if\": it lets calls pass unseen, and on other events than tools it "+
			"never runs")
	}
	if h.Raw.Get("async").Bool() || h.Raw.Get("asyncRewake").Bool() {
		add(true, "runs in the background: its decisions are ignored")
	}
	given := h.Raw.Get("timeout")
	seconds := cmp.Or(given.Num, 600) // the client's own
	switch want := own.Get("hooks.0.timeout").Num; {
	case seconds >= want:
	case want < 600:
		add(true, "is ended by the client after %g seconds, before the program's own deadline: "+
			"a call then passes unguarded", seconds)
	default:
		add(seconds < 20, "is ended by the client after %g seconds: the result of a check "+
			"command that takes longer is lost", seconds)
	}
	return list
}
