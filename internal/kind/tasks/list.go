package tasks

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"hooks/internal/attempt"
	"hooks/internal/loop"
	"hooks/internal/markdown"
)

// Limits on a task list.
const (
	MaxTasks    = 500
	MaxTitle    = 200     // runes
	MaxCriteria = 1500    // bytes, for one task
	MaxList     = 1 << 20 // bytes
)

// ParseList reads tasks from Markdown: top-level items with a check box, outside code and comments.
// Ticked tasks were done before the run. The suffixes "(checkpoint)" and "(no commit)" in a title
// set the task's fields. The last task under a heading "### Checkpoint…" is also a checkpoint.
// Errors give the line, from 1, and the offending text. A list without tasks is an error (T41,
// T97).
func ParseList(text []byte) ([]Item, error) {
	if len(text) > MaxList {
		return nil, fmt.Errorf("the task list has %d bytes; the maximum is %d", len(text), MaxList)
	}
	_, body := splitFront(string(text))
	r := listReader{raw: strings.Split(body, "\n")}
	for l := range markdown.Lines(body) {
		if err := r.read(l); err != nil {
			return nil, err
		}
	}
	r.endHeading()
	if len(r.list) == 0 {
		return nil, errors.New(`the task list has no line such as "- [ ] add the parser"`)
	}
	if err := ordered(r.list); err != nil {
		return nil, err
	}
	for i := range r.list {
		r.list[i].Criteria = markdown.Cut(strings.Trim(r.list[i].Criteria, "\n"), MaxCriteria)
	}
	return r.list, nil
}

// listReader carries state from one line to the next.
type listReader struct {
	raw  []string
	list []Item
	// lines indented this many columns are part of the item above; 0 without an item
	inside    int
	task      bool // the item above is a task
	milestone bool // below a heading "### Checkpoint…"
	under     bool // a task follows that heading
}

func (r *listReader) read(l markdown.Line) error {
	raw := strings.TrimRight(r.raw[l.No-1], " \t\r")
	column := markdown.Indent(raw)
	switch {
	case raw == "" || r.inside > 0 && column >= r.inside:
		if r.task {
			return r.criterion(l, raw)
		}
		return nil
	case l.Kind == markdown.Heading:
		r.inside, r.task = 0, false
		if l.Level <= 3 {
			r.endHeading()
			r.milestone = l.Level == 3 &&
				strings.HasPrefix(strings.ToLower(l.Text), "checkpoint")
		}
		return nil
	case l.Kind != markdown.Plain || l.Deep:
		return nil
	}
	r.inside, r.task = 0, false
	title := markdown.Item(l.Text)
	if title == l.Text {
		return nil
	}
	mark, rest, _ := strings.Cut(l.Text, " ")
	r.inside = column + len(mark) + 1
	if rest = strings.TrimLeft(rest, " \t"); rest == title {
		return nil // an item without a check box
	}
	r.task, r.under = true, true
	return r.add(title, rest[1] == 'x' || rest[1] == 'X', l)
}

func (r *listReader) add(title string, ticked bool, l markdown.Line) error {
	t := Item{Title: markdown.OneLine(title)}
	if ticked {
		t.Result = attempt.Imported
	}
	for more := true; more; {
		var checkpoint, noCommit bool
		t.Title, checkpoint = cutSuffixFold(t.Title, "(checkpoint)")
		t.Title, noCommit = cutSuffixFold(t.Title, "(no commit)")
		t.Checkpoint, t.NoCommit = t.Checkpoint || checkpoint, t.NoCommit || noCommit
		more = checkpoint || noCommit
	}
	switch {
	case t.Title == "":
		return fmt.Errorf("line %d: the task %q has no title", l.No,
			markdown.Cut(markdown.OneLine(l.Text), 80))
	case len(r.list) == MaxTasks:
		return fmt.Errorf("line %d: %q is task %d, but a list has at most %d", l.No,
			markdown.Cut(t.Title, 80), MaxTasks+1, MaxTasks)
	}
	t.Title = markdown.CutRunes(t.Title, MaxTitle)
	r.list = append(r.list, t)
	return nil
}

// criterion adds a line below a task to the task's criteria, without its indentation. The lines
// "check: COMMAND" and "depends: 3, 4" set fields of the task instead.
func (r *listReader) criterion(l markdown.Line, raw string) error {
	t := &r.list[len(r.list)-1]
	check, checks := strings.CutPrefix(l.Text, "check:")
	depends, waits := strings.CutPrefix(l.Text, "depends:")
	plain := l.Kind == markdown.Plain && !l.Deep
	switch {
	case plain && checks:
		if t.Check = markdown.Clean(strings.Trim(strings.TrimSpace(check), "`")); t.Check == "" ||
			len(t.Check) > maxShort {
			return fmt.Errorf("line %d: the check in %q must be a command of 1 to %d bytes", l.No,
				markdown.Cut(l.Text, 80), maxShort)
		}
		return nil
	case plain && waits:
		for _, word := range strings.FieldsFunc(depends, func(r rune) bool {
			return r == ',' || r == ' '
		}) {
			n, err := strconv.Atoi(strings.TrimPrefix(word, "#"))
			if err != nil || n < 1 {
				return fmt.Errorf("line %d: %q is not a task number", l.No,
					markdown.Cut(word, 80))
			}
			t.Depends = append(t.Depends, n)
		}
		return nil
	case len(t.Criteria) > MaxCriteria:
		return nil
	case raw != "" && l.Text == "" && l.Kind == markdown.Plain:
		return nil // a comment
	case strings.Contains(raw, "<!--") || strings.Contains(raw, "-->"):
		raw = strings.TrimRight(l.Text, " \t")
	default:
		raw = dedent(raw, r.inside)
	}
	t.Criteria += markdown.Clean(raw) + "\n"
	return nil
}

// ordered returns an error if the dependencies form a cycle or name a task that does not exist.
func ordered(list []Item) error {
	var edges [][2]int
	for i, item := range list {
		for _, n := range item.Depends {
			if n > len(list) {
				return fmt.Errorf("task %d depends on task %d, but the last task is %d",
					i+1, n, len(list))
			}
			edges = append(edges, [2]int{i + 1, n})
		}
	}
	if cycle := loop.Cycle(edges); cycle != nil {
		words := strings.Fields(strings.Trim(fmt.Sprint(append(cycle, cycle[0])), "[]"))
		return fmt.Errorf("tasks depend on each other: %s", strings.Join(words, " → "))
	}
	return nil
}

// endHeading marks the last task under a heading "### Checkpoint…" as a checkpoint.
func (r *listReader) endHeading() {
	if r.milestone && r.under {
		r.list[len(r.list)-1].Checkpoint = true
	}
	r.milestone, r.under = false, false
}

// cutSuffixFold removes suffix, in any case, and the spaces before it. It reports whether it did.
func cutSuffixFold(text, suffix string) (string, bool) {
	at := len(text) - len(suffix)
	if at < 0 || !strings.EqualFold(text[at:], suffix) {
		return text, false
	}
	return strings.TrimRight(text[:at], " "), true
}

// dedent removes at most n columns of leading white space from a line.
func dedent(line string, n int) string {
	for columns := 0; columns < n && line != "" && (line[0] == ' ' || line[0] == '\t'); columns++ {
		if line[0] == '\t' {
			columns += 3 - columns%4
		}
		line = line[1:]
	}
	return line
}

// Section returns the text below a heading in a spec, such as "## Tasks", up to the next heading of
// the same or a higher level, or nil if there is no such heading. Case does not matter. The result
// begins with a blank line for each line above it in the spec, so that line numbers stay the same.
func Section(spec []byte, heading string) []byte {
	title := strings.TrimSpace(strings.TrimLeft(heading, "#"))
	level := len(heading) - len(strings.TrimLeft(heading, "#"))
	_, body := splitFront(string(spec))
	lines := strings.SplitAfter(body, "\n")
	from, to := -1, len(lines)
	for l := range markdown.Lines(body) {
		if l.Kind != markdown.Heading {
			continue
		}
		if from >= 0 && l.Level <= level {
			to = l.No - 1
			break
		}
		if from < 0 && l.Level == level && strings.EqualFold(l.Text, title) {
			from = l.No
		}
	}
	if from < 0 {
		return nil
	}
	return []byte(strings.Repeat("\n", from) + strings.Join(lines[from:to], ""))
}

// The execution modes (T38–T42).
const (
	Quick      = "quick"
	TDD        = "tdd"
	Pair       = "pair"
	Checkpoint = "checkpoint"
	Swarm      = "swarm"
)

// maxGoal bounds the goal, in runes.
const maxGoal = 300

// Spec holds the front matter of a spec. Unset fields are empty.
type Spec struct {
	Mode  string // one of the five modes (T23)
	Issue string // such as "CIA-042" (T31)
}

// ReadSpec reads unindented "key: value" lines between two "---" lines at the start of a spec. It
// ignores other keys, lists and multi-line values. If a key is repeated, the last value wins. An
// unknown mode is an error that gives the line.
func ReadSpec(spec []byte) (s Spec, err error) {
	front, _ := splitFront(string(spec))
	for i, line := range strings.Split(front, "\n") {
		key, value, _ := strings.Cut(line, ":")
		switch value = scalar(value); {
		case value == "":
		case key == "issue":
			s.Issue = value
		case key == "mode", key == "executionMode":
			s.Mode = strings.ToLower(value)
			if !slices.Contains([]string{Quick, TDD, Pair, Checkpoint, Swarm}, s.Mode) {
				return Spec{}, fmt.Errorf("line %d: mode %q is not quick, tdd, pair, checkpoint "+
					"or swarm", i+1, value)
			}
		}
	}
	return s, nil
}

// splitFront splits a spec into its front matter, including the "---" lines, and the rest. The rest
// begins with as many blank lines as the front matter has lines, so that line numbers stay the
// same.
func splitFront(spec string) (front, rest string) {
	spec = strings.TrimPrefix(spec, bom)
	at := 0
	for line := range strings.Lines(spec) {
		at += len(line)
		switch bare := strings.TrimRight(line, " \t\r\n"); {
		case at == len(line) && bare != "---":
			return "", spec
		case at > len(line) && (bare == "---" || bare == "..."):
			front = spec[:at]
			return front, strings.Repeat("\n", strings.Count(front, "\n")) + spec[at:]
		}
	}
	return "", spec // the first line is a rule, not front matter
}

// scalar returns value without quotes and a trailing comment, or "" if it is a list or a multi-line
// string.
func scalar(value string) string {
	value, _, _ = strings.Cut(markdown.OneLine(value), " #")
	if value != "" && strings.ContainsRune("|>[{#&*!", rune(value[0])) {
		return ""
	}
	return strings.Trim(value, `"'`)
}

// Goal returns the first sentence of a spec, cut to 300 runes. It skips headings, lists, tables,
// quotes and code, and returns "" if nothing else is left (T30).
func Goal(spec []byte) string {
	_, body := splitFront(string(spec))
	var words []string
	for l := range markdown.Lines(body) {
		prose := l.Kind == markdown.Plain && l.Text != "" && markdown.Item(l.Text) == l.Text &&
			!strings.ContainsRune("|<![-=", rune(l.Text[0])) && (!l.Deep || len(words) > 0)
		if prose {
			words = append(words, l.Text)
		} else if len(words) > 0 {
			break
		}
	}
	return markdown.CutRunes(sentence(markdown.OneLine(strings.Join(words, " "))), maxGoal)
}

// sentence returns the first sentence of text. Punctuation before a lowercase word does not end the
// sentence, because it may be part of an abbreviation.
func sentence(text string) string {
	for i, r := range text {
		after := text[i+utf8.RuneLen(r):]
		if strings.ContainsRune("。！？", r) {
			return text[:len(text)-len(after)]
		}
		next, blank := strings.CutPrefix(after, " ")
		first, _ := utf8.DecodeRuneInString(next)
		if strings.ContainsRune(".!?", r) && blank && !unicode.IsLower(first) {
			return text[:len(text)-len(after)]
		}
	}
	return text
}
