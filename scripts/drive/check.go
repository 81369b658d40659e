package drive

import (
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/tidwall/gjson"

	"hooks/internal/loop"
)

// After holds what one event did against the rules that hold after every single one, whatever failed in it, and takes
// into the ledger what it brought to light. It returns what is broken, in words.
func (w *World) After(e Event, r Result, before, now *Disk) []string {
	bad := slices.Clone(now.Faults)
	say := func(format string, args ...any) { bad = append(bad, fmt.Sprintf(format, args...)) }
	if !r.Killed && r.Code != 0 && (r.Code != 1 || isHook(e)) {
		say("exit code %d: %s", r.Code, r.Err)
	}
	if isHook(e) && !oneObject(r.Out) {
		say("stdout is not one JSON object or nothing: %q", r.Out)
	}
	if strings.Contains(r.Err, "internal error") || strings.Contains(r.Err, "goroutine ") {
		say("panic: %s", r.Err)
	}
	if r.Killed || r.Err != "" || w.Broken {
		w.Ledger.Unheard = append(w.Ledger.Unheard, e.Answers...)
	}
	for line := range w.Ledger.Lines {
		if !slices.Contains(now.raw, line) {
			say("a history line is gone: %.120s", line)
		}
	}
	for i, line := range now.raw {
		if l := now.Lines[i]; !w.Ledger.Lines[line] && l.SessionID == w.Session && uncounted(l) {
			w.Ledger.Admitted = true
		}
		w.Ledger.Lines[line] = true
	}
	if t := now.Tick; t != nil && t.Body {
		w.Ledger.Begun[key(t.RunID, t.Iteration)] = true
	}
	if t := before.Tick; t != nil && !t.Body && answered(now, t) { // begun and closed by the same event
		w.Ledger.Begun[key(t.RunID, t.Iteration)] = true
	}
	return append(bad, w.kept(e, r, before, now)...)
}

// answered: the line of an iteration that waited for a person counts it, and has an answer.
func answered(d *Disk, t *loop.Tick) bool {
	return slices.ContainsFunc(d.Lines, func(l loop.Iteration) bool {
		return l.RunID == t.RunID && l.Iteration == t.Iteration && l.Budget.IterationsUsed >= l.Iteration && len(l.Gates) > 0
	})
}

func isHook(e Event) bool { return gjson.Get(e.Stdin, "hook_event_name").Exists() }

func key(run string, iteration int) string { return fmt.Sprintf("%s %d", run, iteration) }

// oneObject: nothing, or one JSON object and a newline.
func oneObject(out string) bool {
	if out == "" {
		return true
	}
	in := json.NewDecoder(strings.NewReader(out))
	var v map[string]any
	if in.Decode(&v) != nil {
		return false
	}
	return in.Decode(&v) == io.EOF && strings.HasSuffix(out, "}\n")
}

// kept says which promises of a reply do not lie on disk.
func (w *World) kept(e Event, r Result, before, now *Disk) (broken []string) {
	say := func(format string, args ...any) { broken = append(broken, fmt.Sprintf(format, args...)) }
	word := gjson.Get(r.Out, "decision").String() + gjson.Get(r.Out, "hookSpecificOutput.permissionDecision").String()
	refused := word == "block" || word == "deny"
	context := gjson.Get(r.Out, "hookSpecificOutput.additionalContext").String()
	event := gjson.Get(e.Stdin, "hook_event_name").String()
	mine := now.Tick != nil && slices.Contains(now.Tick.Prompts, w.Prompt)
	switch {
	case event == "Stop" && refused && !counted(now, w.Prompt, before):
		say("a block that is not counted on disk: %s", r.Out)
	case event == "UserPromptExpansion" && strings.Contains(context, "## Loop Iteration"):
		if !mine || now.Lock == nil || now.Lock.SessionID != w.Session {
			say("an iteration that was said to begin is not open under a lock")
		}
	case event == "UserPromptExpansion" && refused && mine && !w.Broken:
		say("a refused entry left an open iteration: %s", r.Out)
	}
	if strings.Contains(context, "the person answered") && !w.recorded(e, now) {
		say("an answer that was said to be taken is not on disk: %s", context)
	}
	said := gjson.Get(r.Out, "systemMessage").String()
	if event == "Stop" && strings.Contains(said, "Outcome: ") && len(now.Lines) == len(before.Lines) {
		say("an iteration that was said to be closed has no line")
	}
	if event == "Stop" && strings.Contains(said, "without having closed its iteration") && closedBy(now, w.Prompt) && !w.Broken {
		say("an iteration that was said not to be closed has a line: %s", said)
	}
	return broken
}

// counted: the block stands in the budget, in the line that closed the iteration, or in the claim.
func counted(d *Disk, prompt string, before *Disk) bool {
	in := func(b *loop.Budget) bool {
		return b != nil && b.Blocks.PromptID == prompt && len(b.Blocks.Reasons) > blocks(before, prompt)
	}
	return in(d.Budget) || d.Claim != nil && d.Claim.Blocked || slices.ContainsFunc(d.Lines, func(l loop.Iteration) bool { return in(&l.Budget) })
}

func blocks(d *Disk, prompt string) int {
	if d.Budget == nil || d.Budget.Blocks.PromptID != prompt {
		return 0
	}
	return len(d.Budget.Blocks.Reasons)
}

func closedBy(d *Disk, prompt string) bool {
	return slices.ContainsFunc(d.Lines, func(l loop.Iteration) bool {
		return l.Ran() && slices.Contains(l.Budget.LastPrompts, prompt)
	})
}

func (w *World) recorded(e Event, d *Disk) bool {
	var on []loop.GateAnswer
	if d.Tick != nil {
		on = slices.Concat(d.Tick.Answered, d.Tick.Carry)
	}
	for _, l := range d.Lines {
		on = append(on, l.Gates...)
	}
	for _, words := range e.Answers {
		if !slices.ContainsFunc(on, func(a loop.GateAnswer) bool { return a.Answer == words }) {
			return false
		}
	}
	return true
}

// Counted takes a tool call into the ledger: it surely counts once the hook let it pass and said nothing of an error.
func (w *World) Counted(r Result, of *Range) {
	of.Add(!r.Killed && r.Err == "" && !w.Broken)
}
