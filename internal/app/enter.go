package app

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/tidwall/gjson"

	"hooks/internal/config"
	"hooks/internal/drive"
	"hooks/internal/event"
	"hooks/internal/hint"
	"hooks/internal/install"
	"hooks/internal/loop"
	"hooks/internal/proc"
	"hooks/internal/safefile"
	"hooks/internal/store"
	"hooks/internal/tracker"
	"hooks/internal/usage"
)

// invoked returns the name and arguments of the slash command in a prompt, or of the skill in a
// call of the Skill tool. The name is "" if there is neither.
func (h *handler) invoked() (name, args string) {
	switch h.ev.Name {
	case event.UserPromptExpansion:
		return h.ev.Command, h.ev.Args
	case event.PreToolUse:
		return h.ev.Skill()
	}
	// In any other event, only a prompt that begins with /loop counts.
	if line, ok := strings.CutPrefix(strings.TrimSpace(h.ev.Prompt), "/loop "); ok {
		return "loop", line
	}
	return "", ""
}

// invocation parses a command. governed reports whether its skill has loops, and looping whether
// the command starts an iteration.
func (h *handler) invocation(name, args string) (cmd loop.Command, governed, looping bool) {
	if cmd, governed = loop.ParseCommand(name, args); !governed {
		cmd, governed = loop.ParseCommand(name, args, h.names(name, args)...)
	}
	if governed {
		_, looping, _ = cmd.ParseFlags()
	}
	return cmd, governed, looping
}

// names returns the names of loop commands that are not built in, in this order: from active runs,
// the person's configuration, the project's configuration and ended runs. It returns nil if the
// command cannot start a loop.
func (h *handler) names(command, args string) []loop.Names {
	_, spaced := loop.ParseCommand(command, "",
		loop.Names{Spaces: []string{loop.Namespace(command)}})
	if !spaced && !loop.MayLoop(args) || h.project == "" {
		return nil
	}
	var on, ended []loop.Names
	if h.seal.record != nil {
		for _, l := range h.seal.record.Loops {
			own := loop.NamesOf(gjson.Get(l.State.Budget, "command").Str, loop.Skill(l.Skill))
			if l.On && !l.Ended() {
				on = append(on, own)
			} else {
				ended = append(ended, own)
			}
		}
	}
	dir, _ := install.ClientDir(h.Env)
	on = append(on, config.User(dir).Names(), h.config(nil).Names())
	return append(on, ended...)
}

func (h *handler) enter(cmd loop.Command) (event.Reply, error) {
	if h.ev.InSubagent() {
		return event.Block("error: a worker cannot start a loop\nhint: start it from the " +
			"session's main thread"), nil
	}
	flags, _, err := cmd.ParseFlags()
	if err != nil {
		return event.Block(hint.Text(err)), nil
	}
	if err := store.Held(h.seal.record); err != nil {
		return event.Reply{}, err
	}
	if h.ev.Name == event.PreToolUse && !h.feeding && h.seal.on {
		if err := h.nested(cmd, flags); err != nil {
			return event.Block(hint.Text(err)), nil
		}
	}
	kind := loop.KindOf(cmd.Skill)
	if kind.Enter == nil { // iterations of this kind are not attempts
		return h.enterWith(cmd, flags, loop.Fresh{})
	}
	fresh, said, err := kind.Enter(h.setup(cmd, &flags))
	switch {
	case err != nil:
		return event.Block(hint.Text(err)), nil
	case said != "": // this mode has no loop, so the command continues (T43)
		return event.Reply{}.Say(said), nil
	}
	return h.enterWith(cmd, flags, fresh)
}

// setup returns the command as its kind expects it, with functions for lookups on this machine.
func (h *handler) setup(cmd loop.Command, flags *loop.Flags) *loop.Setup {
	for i, word := range flags.Rest {
		flags.Rest[i] = filepath.ToSlash(word)
	}
	return &loop.Setup{
		Command: cmd, Flags: flags, Project: h.project, Cwd: h.ev.Cwd, Fed: h.feeding,
		Terminal: h.ev.Name == "", Model: h.ev.Name == event.PreToolUse,
		Driven: h.ev.Name == "" || h.Env(drive.Mark) != "",
		Env:    h.Env, Old: func() *loop.Budget { return h.runOf(cmd.Skill) },
		ByPerson: h.typedByPerson, Read: readOwn, View: h.ownView, Preflight: h.preflight,
		Worktree: func(dir string) string {
			if top, linked := tracker.LinkedWorktree(dir); linked && safefile.IsDir(dir) {
				return tracker.RealPath(top)
			}
			return ""
		},
		HasRemote: func() bool {
			return len(tracker.Repo(context.Background(), h.project).Remotes) > 0
		},
		PostAction: func() (skill, prompt string, push bool) {
			c := h.config(nil).Audit
			return c.PostSkill, c.PostPrompt, c.PostPush
		},
	}
}

// typedByPerson reports whether the command was typed by a person, not by the model or a schedule.
func (h *handler) typedByPerson() bool {
	if h.ev.Name != event.UserPromptExpansion {
		return h.ev.Name == "" // `hooks go`, which only a person can run
	}
	start, _ := usage.PromptStart(h.ev.Transcript, h.ev.PromptID)
	known := start.Origin == "human" || start.Origin == "sdk"
	return known || start.Origin == "" &&
		usage.Sender(h.ev.Transcript, h.ev.Prompt) != loop.SenderSchedule
}

// enterWith begins or resumes the run of a parsed command. It may create the project's state.
func (h *handler) enterWith(
	cmd loop.Command, flags loop.Flags, fresh loop.Fresh,
) (event.Reply, error) {
	if store.Exists(h.project) {
		// Anyone could have written locks, counters and answers that are committed to the
		// repository. The folder's .gitignore keeps the loop's own state out of commits.
		for _, path := range tracker.Committed(h.ctx, h.project, store.Dir) {
			if filepath.Base(path) != ".gitignore" {
				way := fmt.Sprintf("inspect it, then run `git rm -r --cached %s; rm -r %[1]s`",
					store.Dir)
				return event.Reply{}, hint.New(way, "%s is part of the repository, so it cannot "+
					"be trusted as the state of your loop", path)
			}
		}
	}
	files, err := store.Create(h.project)
	if err != nil {
		return event.Reply{}, err
	}
	e := h.request(cmd, flags)
	e.notes = h.files.Healed()
	h.files = files
	h.files.Seal(h.seal.Dir, proc.Boot)
	if err := h.mayEnter(e.asks.Owner); err != nil {
		return event.Reply{}, err
	}
	e.asks.Fresh, e.asks.Fed = fresh, h.feeding
	reply, err := e.decided()
	if err == nil && loop.KindOf(cmd.Skill).Enter != nil {
		reply = e.entered(reply)
	}
	return reply, err
}

// fed returns the command for a conductor's next attempt if the previous Stop asked for this call.
func (h *handler) fed() (loop.Command, bool) {
	if !h.seal.on && !store.Exists(h.project) || h.openState() != nil {
		return loop.Command{}, false
	}
	list, _ := h.sessionRuns() // preToolUse returns the same error
	for _, t := range list {
		b := t.Budget
		if t.Tick == nil && b != nil && b.Feeds(h.ev.PromptID) {
			return loop.ParsePrompt(b.Command, b.Names())
		}
	}
	return loop.Command{}, false
}

// feed begins the attempt that the conductor's call starts, and then judges the call.
func (h *handler) feed(cmd loop.Command) (event.Reply, error) {
	h.feeding = true
	reply, err := h.enter(cmd)
	if reply.Blocks() {
		h.recordEntry(reply)
	}
	if err != nil || reply.Blocks() {
		return reply, err
	}
	answer, err := h.inState()
	return answer.And(reply), err
}

// nested returns an error if the model, not a person, starts a looping skill while an audit loop
// runs in this session (A68) or an iteration of another skill is open in this turn.
func (h *handler) nested(cmd loop.Command, flags loop.Flags) error {
	if h.openState() != nil {
		return nil // the entry itself reports the error
	}
	list, err := h.sessionRuns()
	if err != nil {
		return nil
	}
	start, _ := usage.PromptStart(h.ev.Transcript, h.ev.PromptID)
	typed := start.Origin != "scheduled" && loop.SameCommand(start.Prompt, cmd, flags)
	for _, t := range list {
		switch b := t.Budget; {
		case b == nil || b.Status != loop.Active:
		case b.Own != nil && b.Kind().Alone:
			return hint.New("continue with this phase; "+
				"a person can start the other loop in another session",
				"cannot start /%s: the %s of %s is running in this session", cmd.Name, b.Skill,
				b.Attempts().Source)
		case h.ownsPrompt(t) && !b.Repeats(cmd) && !typed:
			return hint.New("continue with this iteration; a person can start the other loop",
				"cannot start /%s: an iteration of /%s is open in this turn", cmd.Name,
				b.Invocation().Name)
		}
	}
	return nil
}

// missedForce reads from the transcript whether the person agreed to take another session's lock.
// It serves clients where PostToolUse is not registered.
func (h *handler) missedForce(list []*store.State) (event.Reply, error) {
	r, err := usage.Count(h.ev.Transcript, nil, usage.NewTable(nil))
	if err != nil {
		return event.Reply{}, nil
	}
	var reply event.Reply
	var failed error
	for _, t := range list {
		for _, a := range r.Answers {
			if !h.forces(t) || t.Claim.Heard {
				break
			}
			forced, err := h.forceAnswered(t, event.ParseAnswers(a.ID, a.Response))
			if failed = errors.Join(failed, err); err == nil {
				reply, h.out.Reply = reply.And(forced), h.out.Reply.And(forced)
			}
			if err != nil || !forced.Empty() {
				break
			}
		}
	}
	return reply, failed
}

// forceAnswered continues the entry that asked whether to take another session's lock (R104). It
// does nothing if the dialog's answers do not include an answer to that question.
func (h *handler) forceAnswered(t *store.State, given loop.Answers) (event.Reply, error) {
	answers := answersTo([]loop.Gate{*t.Claim.Gate}, given)
	asks := loop.Invocation{Request: loop.Request{SessionID: h.ev.SessionID}, Answers: &answers}
	if loop.Step(t.Values(), loop.Known{}, asks).Nothing() {
		return event.Reply{}, nil
	}
	cmd := loop.Command{Name: t.Claim.Command, Skill: t.Claim.Skill, Args: t.Claim.Args}
	flags, _, err := cmd.ParseFlags()
	if err != nil {
		return event.Reply{}, err
	}
	e := h.request(cmd, flags)
	e.asks.Answers = &answers
	return e.decided()
}

// loopLine checks the arguments of /loop before anything is scheduled. It returns an error if they
// would not begin the loop that the person intends, and a note if that is uncertain. It ignores
// lines whose skill cannot be governed.
func (h *handler) loopLine(line string) (note string, err error) {
	name, args, ok := loop.Behind(line)
	if !ok {
		return "", nil
	}
	cmd, governed, _ := h.invocation(name, args)
	if governed {
		if _, _, err := cmd.ParseFlags(); err != nil {
			return "", err
		}
	}
	begins := loop.MayLoop(args) ||
		governed && !cmd.OptsIn() && loop.KindOf(cmd.Skill).Commands != nil
	// If a loop is running, this is only its wake-up.
	if !begins || h.seal.record.Runs() {
		return "", nil
	}
	note, err = h.missingSkill(name, governed)
	if h.ev.Name != event.UserPromptExpansion {
		note = ""
	}
	return note, err
}

// missingSkill returns an error if the skill's plugin is known to lack the skill, and a note if a
// governed skill was not found.
func (h *handler) missingSkill(name string, governed bool) (note string, err error) {
	program, _ := os.Executable()
	s := install.ReadSettings(h.project, "", program, h.Env)
	var own []install.Skill
	space, read := loop.Namespace(name), false
	if space != "" {
		root := ""
		if space == "hooks" { // the plugin may come from --plugin-dir, which is not in the settings
			root = h.Env("CLAUDE_PLUGIN_ROOT")
		}
		own, read = s.PluginSkills(space, root)
	}
	isIt := func(skill install.Skill) bool { return skill.Name == name }
	switch {
	case slices.ContainsFunc(append(s.Skills(), own...), isIt):
		return "", nil
	case read:
		var names []string
		for _, skill := range own {
			names = append(names, "/"+skill.Name)
		}
		return "", hint.New("type one of its skills: "+strings.Join(names, ", "),
			"the plugin %s has no skill /%s", space, name)
	case !governed || len(s.Ours) == 0: // a plugin such as this one may be in no settings file
		return "", nil
	}
	return fmt.Sprintf("hooks: skill /%s was not found in your settings or in this project's "+
		"plugins; if the client does not recognize it either, run `hooks init`, which prints "+
		"a command that starts a loop here", name), nil
}
