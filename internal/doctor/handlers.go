package doctor

import (
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/tidwall/gjson"

	"hooks/internal/event"
	"hooks/internal/proc"
)

// registration is everything that is registered as a hook on this machine for this project.
type registration struct {
	files    []*settings // settings and plugins, readable or not
	handlers []handler
}

// handler is one hook that the client would start.
type handler struct {
	from    *settings
	event   string
	matcher string
	raw     gjson.Result
	// word is the hook word where the handler is this program, whatever copy of it; empty for another's.
	word string
}

func (m *machine) register() registration {
	r := registration{files: m.settingsFiles()}
	r.files = append(r.files, m.plugins(r.files)...)
	for _, s := range r.files {
		s.body.Get("hooks").ForEach(func(name, groups gjson.Result) bool {
			for _, g := range groups.Array() {
				for _, raw := range g.Get("hooks").Array() {
					h := handler{from: s, event: name.String(), matcher: g.Get("matcher").String(), raw: raw}
					h.word = m.ours(h)
					r.handlers = append(r.handlers, h)
				}
			}
			return true
		})
	}
	return r
}

// ours are the handlers of this program.
func (r registration) ours() (list []handler) {
	for _, h := range r.handlers {
		if h.word != "" {
			list = append(list, h)
		}
	}
	return list
}

// of is the handler that answers a word, preferably in exec form.
func (r registration) of(word string) (handler, bool) {
	for _, h := range r.ours() {
		if h.word == word {
			return h, true
		}
	}
	return handler{}, false
}

// ours is the hook word of a handler that starts this program: under its name, or this very file.
func (m *machine) ours(h handler) string {
	if kind := h.raw.Get("type").String(); kind != "command" && kind != "" {
		return ""
	}
	word := ""
	if args := h.raw.Get("args").Array(); len(args) > 0 {
		word = args[len(args)-1].String()
	} else if words := strings.Fields(h.raw.Get("command").String()); len(words) > 1 {
		word = strings.Trim(words[len(words)-1], `"'`)
	}
	if event.NameOf(word) == "" {
		return ""
	}
	program := m.program(h)
	name := strings.TrimSuffix(strings.ToLower(filepath.Base(filepath.ToSlash(program))), ".exe")
	if !strings.Contains(name, "hooks") && !same(program, m.self.Path) {
		return ""
	}
	return word
}

// launcher reports whether a handler is the plugin's own, which puts a missing program in its
// place.
func (h handler) launcher() bool {
	return h.from.root != "" && strings.Contains(h.raw.Get("command").Str, "/launch/hooks.sh")
}

// execForm says that the client starts the program itself, without a shell.
func (h handler) execForm() bool { return h.raw.Get("args").IsArray() }

// expand puts in what the client puts in.
func (m *machine) expand(h handler, text string) string {
	return strings.NewReplacer(
		"${CLAUDE_PLUGIN_ROOT}", h.from.root, "$CLAUDE_PLUGIN_ROOT", h.from.root,
		"${CLAUDE_PROJECT_DIR}", m.project, "$CLAUDE_PROJECT_DIR", m.project,
	).Replace(text)
}

// program is the binary that a handler starts, as it is written.
func (m *machine) program(h handler) string {
	command := m.expand(h, h.raw.Get("command").String())
	if h.execForm() {
		return command
	}
	if command = strings.TrimSpace(command); command != "" && (command[0] == '"' || command[0] == '\'') {
		inner, _, _ := strings.Cut(command[1:], command[:1])
		return inner
	}
	for word := range strings.FieldsSeq(command) {
		if !strings.Contains(word, "=") && word != "exec" && word != "env" {
			return word
		}
	}
	return ""
}

// located is the binary's path: a bare name is looked up as the client would.
func (m *machine) located(h handler) (string, error) {
	program := m.program(h)
	if rest, ok := strings.CutPrefix(program, "~/"); ok {
		program = filepath.Join(m.home(), rest)
	}
	if strings.ContainsAny(program, `/\`) {
		return program, nil
	}
	return exec.LookPath(program)
}

// argv is how the client starts a handler.
func (m *machine) argv(h handler) []string {
	command := m.expand(h, h.raw.Get("command").String())
	if !h.execForm() {
		return []string{"sh", "-c", command}
	}
	argv := []string{command}
	for _, a := range h.raw.Get("args").Array() {
		argv = append(argv, m.expand(h, a.String()))
	}
	return argv
}

// where names a handler for people.
func (m *machine) where(h handler) string {
	return h.event + " in " + m.shown(h.from.path)
}

// catches is the client's rule for a matcher: a list of names, or, with any other character in it, a regular expression
// that is not anchored.
func catches(matcher, tool string) bool {
	if matcher == "" || matcher == "*" {
		return true
	}
	plain := func(c rune) bool {
		return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || strings.ContainsRune("_- ,|", c)
	}
	if strings.IndexFunc(matcher, func(c rune) bool { return !plain(c) }) < 0 {
		names := strings.FieldsFunc(matcher, func(c rune) bool { return strings.ContainsRune("|, ", c) })
		return slices.Contains(names, tool)
	}
	re, err := regexp.Compile(matcher)
	return err == nil && re.MatchString(tool)
}

// build is the registered binary's build id, empty where it has none.
func build(path string) string {
	p, _ := proc.Identify(path)
	return p.Build
}
