package app

import (
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"
	"syscall"

	"hooks/internal/event"
	"hooks/internal/loop"
	"hooks/internal/store"
	"hooks/internal/tracker"
)

// failed is the answer when the program itself cannot decide. A Stop lets go and says why. An entry is refused. A
// tool call passes, unless it merges, dispatches, schedules or touches the state: those stay shut, since a loop may
// be active. Everything else has no opinion.
func (v *visit) failed(err error) Answer {
	a := Answer{Name: v.ev.Name, After: v.after, Err: err}
	text := withHint(hinted(err))
	_, entering := v.invocation()
	switch {
	case entering:
		a.Reply = event.Block(text)
	case v.ev.Name == event.Stop && errors.Is(err, store.ErrClosed):
		a.Reply = event.Nothing().Say("hooks lets this turn end; its iteration is closed in the history, and the next event goes on from there\n" + text)
	case v.ev.Name == event.Stop:
		a.Reply = event.Nothing().Say("hooks lets this turn end without having closed its iteration\n" + text)
	case v.ev.Name == event.PreToolUse && v.mustStayShut():
		a.Reply = event.Deny(fmt.Sprintf("%s is held back while the loop's state cannot be read\n%s", v.ev.Tool, text))
	}
	return a
}

// mustStayShut reads the call without any state.
func (v *visit) mustStayShut() bool {
	if _, schedule := schedules(v.ev); schedule && !v.ev.Flag("stop") {
		return true
	}
	if slices.Contains(dispatchTools, v.ev.Tool) {
		return true
	}
	r := v.read()
	return len(r.Merges()) > 0 || len(r.Tampers()) > 0 || r.Unparsable != ""
}

// hinted adds the way out to an error of the state.
func hinted(err error) error {
	var damaged *store.DamagedError
	var newer *store.NewerError
	var has *hintError
	switch {
	case err == nil, errors.As(err, &has):
		return err
	case errors.As(err, &newer):
		return &hintError{err, "upgrade hooks"}
	case errors.As(err, &damaged):
		return &hintError{err, "look at it with `hooks loop status`; `hooks loop reset` in a terminal archives it, and the next tick starts a fresh run"}
	case errors.Is(err, syscall.ENOTDIR), strings.Contains(err.Error(), "escapes from parent"), strings.Contains(err.Error(), "does not lead to a folder"):
		return &hintError{err, "remove or rename .sdd/loop: it must be a folder of this project"}
	case strings.Contains(err.Error(), "the name of another state file"):
		return &hintError{err, "name another --budget-file"}
	case errors.Is(err, fs.ErrNotExist):
		return &hintError{err, "make the folder first, or leave --budget-file out"}
	case errors.Is(err, store.ErrOtherRun):
		return &hintError{err, "name another --budget-file"}
	case errors.Is(err, syscall.ENOSPC), errors.Is(err, syscall.EDQUOT), errors.Is(err, syscall.EFBIG):
		return &hintError{err, "make room on the disk of .sdd/loop; the next event goes on from what is there"}
	case errors.Is(err, fs.ErrPermission), errors.Is(err, syscall.EROFS):
		return &hintError{err, "make .sdd/loop writable for you, or remove it"}
	}
	return err
}

type hintError struct {
	error
	hint string
}

func (e *hintError) Hint() string  { return e.hint }
func (e *hintError) Unwrap() error { return e.error }

// unreadable answers a payload that cannot be read: nothing is decided, but a tool call does not slip past the guard
// in the disguise of rubbish while a loop is active in the project.
func (a *App) unreadable(name string, err error) Answer {
	answer := Answer{Name: name, Err: err}
	if name != event.PreToolUse {
		return answer
	}
	project := tracker.Project(a.Env, a.cwd())
	if !store.Exists(project) || !anyActive(project) {
		return answer
	}
	answer.Reply = event.Deny("The call cannot be read, and a loop is active\n" + withHint(err))
	return answer
}

func anyActive(project string) bool {
	files, err := store.Open(project)
	if err != nil {
		return true
	}
	for _, skill := range loop.Skills() {
		s, err := files.Load(skill)
		if err != nil || s.Budget != nil && s.Budget.Status == loop.Active {
			return true
		}
	}
	return false
}
