package store

import (
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"syscall"

	"hooks/internal/hint"
	"hooks/internal/seal"
)

// Hinted adds a hint to an error of this package. It returns the error unchanged if it already has
// a hint or if no hint is known for it.
func Hinted(err error) error {
	if _, has := errors.AsType[*hint.Error](err); err == nil || has {
		return err
	}
	if way := wayOut(err); way != "" {
		return &hint.Error{Err: err, Way: way}
	}
	return err
}

func wayOut(err error) string {
	damaged, isDamaged := errors.AsType[*DamagedError](err)
	_, isNewer := errors.AsType[*NewerError](err)
	changed, isChanged := errors.AsType[*ChangedError](err)
	copied, isCopy := errors.AsType[*CopyError](err)
	full := errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EDQUOT) ||
		errors.Is(err, syscall.EFBIG)
	says := func(text string) bool { return strings.Contains(err.Error(), text) }
	switch {
	case isNewer:
		return "upgrade hooks"
	case isCopy:
		return "type the loop's command with --resume in a session here to continue the copy as a " +
			"separate run, or type the command in " + copied.Project
	case isChanged && says(nextPrompt):
		return "type anything in the session"
	case isChanged && changed.Home != "":
		return fmt.Sprintf("type the loop's command to end the run of this state directory, or add "+
			"--resume to continue the run of the other one; to end that run, type "+
			"`HOOKS_STATE_HOME=%q hooks loop stop` in your own terminal", changed.Home)
	case says("read record"):
		return "inspect that file and remove it, in your own terminal"
	case full:
		return "free some disk space; the next event continues from the saved state"
	case errors.Is(err, seal.ErrUnwritable):
		return "make that directory writable for your user; a sandbox may be blocking this process"
	case isDamaged && damaged.elsewhere(), errors.Is(err, errTaken), errors.Is(err, errOtherRun),
		says("open folder of budget file"):
		return "choose another --budget-file, in an existing folder, or omit the flag"
	case isDamaged:
		return "inspect it with `hooks loop status`; to archive it, type `hooks loop reset` in a " +
			"terminal, and the next tick starts a fresh run"
	case errors.Is(err, syscall.ENOTDIR), says("escapes from parent"), says("not a directory"):
		return "remove or rename .sdd/loop: it must be a folder of this project"
	case isChanged && !says("permission denied"):
		return "close the client, then type `hooks loop reset` in your own terminal to archive the run"
	case errors.Is(err, fs.ErrPermission), errors.Is(err, syscall.EROFS),
		says("permission denied"):
		return "make .sdd/loop writable for your user, or remove it"
	}
	return ""
}
