package guard

import (
	"path"
	"strings"
)

// place kinds of a path: what writing there would be.
type guardedKind int

const (
	ordinary     guardedKind = iota
	stateKind                // under .sdd/loop, or a transcript of the client
	registration             // settings and plugin files that register the hooks
)

// absolute is a path as written, seen from a directory.
func absolute(p, cwd string) string {
	for _, v := range []string{"${PWD}", "$PWD", "${CLAUDE_PROJECT_DIR}", "$CLAUDE_PROJECT_DIR"} {
		p = strings.ReplaceAll(p, v, cwd)
	}
	f := frame{cwd: cwd}
	return f.resolve(strings.Trim(p, `"'`))
}

// kindOfPath judges a resolved path; pat is the same path with its unquoted pattern characters alive, or "".
func kindOfPath(full, pat string) guardedKind {
	if pat == "" {
		pat = full
	}
	parts := strings.Split(strings.ToLower(pat), "/")
	for i := range parts {
		if i+1 < len(parts) && partMatches(parts[i], ".sdd") && partMatches(parts[i+1], "loop") {
			return stateKind
		}
	}
	low := strings.ToLower(full)
	base := path.Base(low)
	switch {
	case strings.Contains(low, ".claude/projects/") && strings.HasSuffix(base, ".jsonl"), strings.HasSuffix(low, ".claude/projects") || strings.HasSuffix(low, ".claude/projects/*"):
		return stateKind
	case unknown(low) && (stateFile(base) || strings.Contains(low, "/projects/") && strings.HasSuffix(base, ".jsonl")):
		return stateKind
	case registered(low, base):
		return registration
	}
	return ordinary
}

// partMatches tells whether one part of a path, perhaps a pattern, stands for the name. A leading dot must be written.
func partMatches(part, name string) bool {
	if part == name {
		return true
	}
	if part == "" || !strings.ContainsAny(part, `*?[\`) || name[0] == '.' && part[0] != '.' && !strings.HasPrefix(part, `\.`) {
		return false
	}
	return globMatch(part, name)
}

func stateFile(base string) bool {
	for _, skill := range []string{"work", "review"} {
		if rest, ok := strings.CutPrefix(base, skill); ok && has(".lock .budget.json .history.jsonl .tick.json .claim.json", rest) {
			return true
		}
	}
	return false
}

// registered tells the files that register the hooks with the client.
func registered(low, base string) bool {
	dir := path.Base(path.Dir(low))
	switch {
	case dir == ".claude" && (base == "settings.json" || base == "settings.local.json" || globMatch("settings*.json", base)):
		return true
	case base == "managed-settings.json", strings.Contains(low, "/.claude-plugin/"), strings.HasPrefix(low, ".claude-plugin/"):
		return true
	case strings.Contains(low, ".claude/plugins/"):
		return true
	case base == "hooks.json":
		return !has(".cursor .codex .kiro .gemini .github", dir)
	case base == "hooks" && dir == "bin":
		return true
	}
	return false
}

// linked follows names that this call linked to a directory.
func (f *frame) linked(full string) string {
	for dir := full; len(dir) > 1 && dir != "."; dir = path.Dir(dir) {
		if v, ok := f.m.fs[dir]; ok && v.link != "" {
			return v.link + full[len(dir):]
		}
	}
	return full
}

// kindAt judges a word as a path to be written.
func (f *frame) kindAt(w word) guardedKind {
	full := f.linked(f.resolve(w.text))
	pat := ""
	if w.pat != "" {
		pat = f.resolvePat(w.pat)
	}
	if kind := kindOfPath(full, pat); kind != ordinary {
		return kind
	}
	return f.onDisk(full)
}

// onDisk judges a path by where its links lead, as those of a checked-out repository may, and by the loop's own paths.
func (f *frame) onDisk(full string) guardedKind {
	if unknown(full) || full == "" {
		return ordinary
	}
	for _, own := range f.m.call.Own {
		if full == own || strings.HasPrefix(full, strings.TrimSuffix(own, ".jsonl")+"/") {
			return stateKind
		}
	}
	links, ok := f.m.files.(Links)
	if !ok || f.m.reads >= maxReads || full[0] == '~' {
		return ordinary
	}
	f.m.reads++
	return kindOfPath(links.RealPath(full), "")
}

// resolvePat is resolve for a pattern: its backslashes are escapes.
func (f *frame) resolvePat(pat string) string {
	if pat[0] == '/' || pat[0] == '~' || f.cwd == "" {
		return path.Clean(pat)
	}
	return path.Clean(f.cwd + "/" + pat)
}

// guarded tells whether a path is of the loop's own or a registration.
func (f *frame) guarded(p string) bool {
	return p != "" && len(p) < 4096 && f.kindAt(lit(p)) != ordinary
}

// covers tells whether removing or moving the directory takes the loop's files with it.
func (f *frame) covers(w word) bool {
	full := f.linked(f.resolve(w.text))
	if w.pat != "" {
		full = f.resolvePat(w.pat)
	}
	if full == "" || blank(full) {
		return false
	}
	parts := strings.Split(strings.ToLower(full), "/")
	last := parts[len(parts)-1]
	if partMatches(last, ".sdd") || len(parts) > 1 && parts[len(parts)-2] == ".sdd" && strings.Trim(last, hole) == "" {
		return true
	}
	for _, own := range f.m.call.Own {
		if strings.HasPrefix(own, strings.TrimSuffix(full, "/")+"/") {
			return true
		}
	}
	root := f.m.call.Cwd
	return root != "" && (root == full || strings.HasPrefix(root, strings.TrimSuffix(full, "/")+"/"))
}

// writes records that a word's path is written, when it is one that the loop guards.
func (f *frame) writes(w word, how string) {
	if w.text == "" {
		return
	}
	switch f.kindAt(w) {
	case stateKind:
		f.act(Act{Kind: WriteState, Ref: w.text, Command: clip(strings.ReplaceAll(how, hole, "…"), 300)}, nil)
	case registration:
		f.act(Act{Kind: DropRegistration, Ref: w.text, Command: clip(strings.ReplaceAll(how, hole, "…"), 300)}, nil)
	default:
		if blank(w.text) && strings.Contains(f.m.call.commandText(), ".claude/projects") { // a transcript that was looked for
			f.stateAct(nil, how)
		}
		if has("CLAUDE.md AGENTS.md", programName(w.text)) {
			f.act(Act{Kind: WriteConfig, Ref: f.resolve(w.text), Command: clip(strings.ReplaceAll(how, hole, "…"), 300)}, nil)
		}
	}
}

// pathAct is writes for a path that stands in a program's text.
func (f *frame) pathAct(p, how string) {
	if f.kindAt(lit(p)) == registration {
		f.act(Act{Kind: DropRegistration, Ref: p, Command: how}, nil)
		return
	}
	f.act(Act{Kind: WriteState, Ref: p, Command: how}, nil)
}

// takes records that a path is removed or moved away, with what is in it.
func (f *frame) takes(w word, how string, whole bool) {
	if f.kindAt(w) != ordinary {
		f.writes(w, how)
		return
	}
	if whole && f.covers(w) {
		f.act(Act{Kind: WriteState, Ref: w.text, Command: clip(how, 300)}, nil)
	}
}

func (f *frame) stateAct(args []word, how string) {
	f.act(Act{Kind: WriteState, Ref: ".sdd/loop", Command: clip(how, 300)}, args)
}

// removes tells commands that take away what they are given.
func removes(name string) bool {
	return has("rm rmdir unlink shred mv truncate trash gtruncate srm tee touch chmod chown", name)
}

// findTouches tells whether a find that starts here reaches the loop's files and its tests let one of them through.
func (f *frame) findTouches(starts, tests []word) bool {
	if len(starts) == 0 {
		starts = []word{lit(".")}
	}
	for _, s := range starts {
		in := f.kindAt(s) == stateKind
		if (in || f.covers(s)) && f.testsPass(s.text, in, tests) {
			return true
		}
	}
	return false
}

const stateNames = ".sdd loop work.lock review.lock work.budget.json review.budget.json work.history.jsonl review.history.jsonl work.tick.json review.tick.json work.claim.json .gitignore archive"

func (f *frame) testsPass(start string, in bool, tests []word) bool {
	asked, passed := false, false
	for i := 0; i+1 < len(tests); i++ {
		pat := tests[i+1].text
		negated := i > 0 && (tests[i-1].text == "!" || tests[i-1].text == "-not") || i+3 < len(tests) && tests[i+2].text == "-prune" && has("-o -or", tests[i+3].text)
		matches := false
		switch tests[i].text {
		case "-name", "-iname":
			for _, n := range strings.Fields(stateNames) {
				matches = matches || globMatch(pat, n)
			}
		case "-path", "-wholename", "-ipath":
			sample := strings.TrimSuffix(start, "/") + "/.sdd/loop/work.lock"
			if in {
				sample = strings.TrimSuffix(start, "/") + "/work.lock"
			}
			matches = globMatch(pat, sample) || globMatch(pat+"/*", sample)
		case "-empty":
			return false
		default:
			continue
		}
		if negated {
			if matches && pat != "*" {
				return false
			}
			continue
		}
		asked, passed = true, passed || matches
	}
	if len(tests) > 0 && tests[len(tests)-1].text == "-empty" {
		return false
	}
	return !asked || passed
}
