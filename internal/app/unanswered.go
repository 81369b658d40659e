package app

import (
	"path/filepath"
	"slices"

	"github.com/tidwall/gjson"

	"hooks/internal/config"
	"hooks/internal/loop"
	"hooks/internal/regular"
)

// mustPause reports whether a question waits that nobody answered. It has been asked for once.
func mustPause(t *loop.Tick) bool {
	return !t.Halting() && t.Failed == "" && len(t.Pending) > 0
}

// unanswered is why nobody answered a question that waits.
func (v *visit) unanswered(t *loop.Tick) string {
	shown := func(d loop.Dialog) bool { return !d.Forged && len(d.Shown) > 0 }
	switch {
	case !v.attended():
		return "nobody is there to answer it (headless session)"
	case v.ev.PermissionMode == "dontAsk" || v.dialogDenied():
		return "the permission rules do not allow the dialog (AskUserQuestion)"
	case slices.ContainsFunc(t.Dialogs, shown):
		return "its dialog was called and brought no answer"
	}
	return "the model did not put it to the person, though it was told to"
}

// dialogDenied reports whether the client's settings keep the dialog from being shown.
func (v *visit) dialogDenied() bool {
	places := v.clientPlaces()
	managed := filepath.Join(places.Managed, "managed-settings.json")
	files := append(slices.Clone(places.Settings), managed)
	return slices.ContainsFunc(files, func(path string) bool {
		text, ok := regular.Read(path, config.MaxFile)
		if !ok {
			return false
		}
		denied := false
		gjson.Get(text, "permissions.deny").ForEach(func(_, rule gjson.Result) bool {
			whole := []string{"AskUserQuestion", "AskUserQuestion(*)", "*"}
			denied = denied || slices.Contains(whole, rule.String())
			return !denied
		})
		return denied
	})
}
