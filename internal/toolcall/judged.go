package toolcall

import (
	"cmp"
	"context"
	"fmt"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"hooks/internal/config"
	"hooks/internal/guard"
	"hooks/internal/guard/effect"
	"hooks/internal/guard/shellword"
	"hooks/internal/loop"
	"hooks/internal/tracker"
	"hooks/internal/tracker/forge"
)

// Run is the run whose rules apply to a call.
type Run struct {
	*loop.Budget        // nil if there is no run; the project's current state then counts
	File         string // path of its budget file in the project, if outside the state folder
	Redact       func(string) string
}

// Judged converts the call to the form that loops expect.
func (c *Call) Judged(turn loop.Turn) loop.Call {
	ev := c.Event
	j := loop.Call{
		Turn: turn, Tool: ev.Tool, ID: ev.ToolUseID, Input: ev.Input.Raw, Agent: ev.AgentID,
		Asks: ev.Asks(), EndsSchedule: ev.EndsSchedule(),
		Background: ev.Flag("run_in_background") || ev.Tool == "Monitor",
		Outside:    guard.Outside(c.input()),
	}
	_, j.Edits = c.FileTool()
	if prompt, ok := ev.Schedules(); ok {
		j.Schedules = &prompt
	}
	if ev.Dispatches() {
		text := ev.Text("prompt") + " " + ev.Text("description")
		j.Sends = &loop.Task{Issues: mentions(text), Type: ev.Text("subagent_type"),
			Replayed: c.Past != nil}
	}
	return j
}

// Reading returns the call's effects for judgement by a run's rules.
func (c *Call) Reading(run Run) loop.Reading {
	if run.File != "" {
		file := c.below(c.Project, run.File)
		c.own = append(c.ownPaths(), file, c.real(file))
		c.reading = nil // the cached reading did not consider this path
	}
	r := c.Read()
	reading := loop.Reading{
		Refused: c.refused(r), Opaque: Unreadable(r), Reaches: c.Reaches(),
		Pushes: r.Pushes,
	}
	for _, a := range slices.Concat(r.Acts, r.Uses) {
		if len(run.DeferredTargets) > 0 || a.Kind == effect.MergePR || a.Kind == effect.ApprovePR {
			a.Elsewhere, a.Own = c.Elsewhere(run, a)
		}
		reading.Acts = append(reading.Acts, a)
	}
	return reading
}

// Unreadable describes the first unreadable part of the call, or returns "" if there is none.
func Unreadable(r effect.Reading) string {
	switch {
	case r.Unparsable != "":
		return r.Unparsable
	case len(r.Opaque) > 0:
		return fmt.Sprintf("%s (%s)", r.Opaque[0].Text, r.Opaque[0].Reason)
	}
	return ""
}

// Reaches reports whether the unreadable parts of the call could land something.
func (c *Call) Reaches() bool {
	command, _ := c.Event.ShellCommand()
	r := c.Read()
	return r.ReachesForge() || r.Piped() && guard.LeavesLinks(command)
}

// refused returns the reason to refuse the call regardless of the loop's state, or nil.
func (c *Call) refused(r effect.Reading) *loop.Deny {
	tool := c.Event.Tool
	if _, whole := c.Event.Fields(); !whole {
		return &loop.Deny{
			Rule: loop.UnreadText, Text: tool + " has more fields than can be checked",
			Hint: "make several smaller calls",
		}
	}
	if a := c.Tampers(r); len(a) > 0 {
		return refuseTampering(a[0])
	}
	if r.Bound != "" {
		return &loop.Deny{
			Rule: loop.UnreadText,
			Text: tool + " could not be read completely, and the rest could merge or push code: " +
				r.Bound,
			Hint: "make several smaller calls; put long text into a file",
		}
	}
	return nil
}

func refuseTampering(a effect.Act) *loop.Deny {
	d := &loop.Deny{
		Rule: loop.StateGuard,
		Text: fmt.Sprintf("Not run: %s would %s (%s)", a.Command, Would(a.Kind), a.Words()),
		Hint: "you may read these files; report facts with `hooks report`, " +
			"and leave answers to a person, who uses the dialog or a terminal",
	}
	switch base := filepath.Base(a.Path); {
	case base == "hooks", base == "hooks.exe":
		d.Hint = "build to another path while a loop is running: `go build -o /tmp/hooks ./hooks`"
	case a.Kind == effect.DropRegistration && a.Path != "":
		d.Hint = "you may read this file; change it after the loop has ended"
	case a.Kind == effect.WriteLedger:
		d.Hint = "run `hooks ledger append FILE` with the turn on stdin"
	case a.Kind == effect.OtherSession:
		d.Hint = "do it in this session, or send a worker with the Agent tool"
	}
	return d
}

// Would returns a phrase for an act that tampers with the loop, to follow "would".
func Would(kind effect.Kind) string {
	switch kind {
	case effect.WriteLedger:
		return "change a ledger, which only accepts new turns"
	case effect.AnswerGate:
		return "do what only a person or the client may do"
	case effect.DropRegistration:
		return "change or remove the hooks that the client runs"
	case effect.OtherSession:
		return "start a client that no loop governs"
	}
	return "change the loop's own files"
}

// Elsewhere returns an act's target repository and the run's own repository. other is "" if they
// are the same, own is "" if it is unknown, and both are "" for a replayed call. A person is asked
// only about the run's own repository.
func (c *Call) Elsewhere(run Run, a effect.Act) (other, own string) {
	if c.Past != nil {
		return "", ""
	}
	at := func(dir string) (top, url string) {
		facts := tracker.Repo(context.Background(), dir)
		// redacted like the recorded URL
		return facts.Top, run.Redact(facts.Base().URL)
	}
	var began loop.Tracker
	if run.Budget != nil && run.Tracker != nil {
		began = *run.Tracker
	} else {
		_, began.URL = at(c.Project)
	}
	list := tracker.Own(began)
	own = cmp.Or(list...)
	if a.Repo != "" {
		if own != "" && !tracker.Named(run.Redact(a.Repo), list...) {
			return a.Repo, own
		}
		return "", own
	}
	if a.Cwd == "" {
		return "", own
	}
	top, url := at(a.Cwd)
	if there := tracker.RepositoryAt(url).String(); top != "" && there != list[0] {
		return cmp.Or(there, "the repository in "+top), own
	}
	return "", own
}

// Hint returns a refusal's hint, with the forge's own merge command filled in if needed.
func (c *Call) Hint(d *loop.Deny, asked config.Tracker) string {
	switch {
	case d.Plainly:
		return "hint: " + fmt.Sprintf(d.Hint, mergePlainly(c.Forge(asked), d.Act, d.SHA))
	case d.Hint != "":
		return "hint: " + d.Hint
	}
	return ""
}

// Forge returns the kind of the project's forge, or "" if it is unknown.
func (c *Call) Forge(asked config.Tracker) string {
	place, _ := forge.Choose(c.Env, asked, tracker.Repo(context.Background(), c.Project))
	if place.Kind == forge.Command {
		return tracker.ForgeOf(place.Host)
	}
	return place.Kind
}

// mergePlainly returns the forge client's command for the merge that a call attempted. If sha is
// not "", the command is bound to that commit. If the call's own command lacks only the commit,
// mergePlainly adds it. If the call names no PR, the command contains N.
func mergePlainly(kind string, a effect.Act, sha string) string {
	if kind == "" {
		program, _, _ := strings.Cut(a.Command, " ")
		kind = tracker.ForgeOfClient(program)
	}
	flag := tracker.HeadFlag(kind, sha)
	if sha != "" && a.SHA == "" && flag != "" && !strings.Contains(a.Command, "…") &&
		strings.HasPrefix(a.Command, tracker.MergeCommand(kind, a.PR, "")) {
		return a.Command + " " + flag
	}
	return tracker.MergeCommand(kind, a.PR, sha)
}

// maxCall bounds the recorded text of a refused call, in bytes.
const maxCall = 32 << 10

// Words returns the text that identifies the call: its shell command or its first non-empty field,
// followed by a skill's arguments. The text is cut to maxCall.
func (c *Call) Words() string {
	text, shell := c.Event.ShellCommand()
	keys := []string{"file_path", "notebook_path", "description", "skill", "prompt", "url"}
	for _, key := range keys {
		if !shell && text == "" {
			text = c.Event.Text(key)
		}
	}
	if _, args := c.Event.Skill(); args != "" {
		text += " " + args
	}
	// Cut between words, because redaction would not recognize half a secret.
	if len(text) > maxCall {
		text = text[:maxCall]
		text = text[:strings.LastIndexAny(text, " \n\t")+1]
	}
	return text
}

// mentions returns the issue and PR numbers in a worker's prompt, in order without duplicates. It
// recognizes "#44", "PR 142", "issue no. 44", "MR !7", "/pull/142", "/issues/44", "owner/name#44".
func mentions(text string) (list []int) {
	const number = `(?i)(?:(?:^|[^&#])#|` +
		`/(?:pulls?|issues|merge_requests|pull-requests)/|` +
		`(?:^|[^a-z])(?:prs?|issues?|mrs?|ticket|bug|gh|pull|(?:pull|merge)[ -]*request)` +
		`(?: number| no\.| nr\.)?[ \t:=!-]*)([0-9]+)`
	// Compiled here, because few calls start a worker.
	for _, m := range regexp.MustCompile(number).FindAllStringSubmatchIndex(text, -1) {
		from, to := m[2], m[3]
		behind := text[to:min(to+2, len(text))] + "  "
		decimal := behind[0] == '.' && behind[1] >= '0' && behind[1] <= '9'
		if decimal || behind[0] == '%' || shellword.NameByte(behind[0]) {
			continue
		}
		if n := shellword.Number(text[from:to]); n > 0 && n < 1e8 && !slices.Contains(list, n) {
			list = append(list, n)
		}
	}
	return list
}
