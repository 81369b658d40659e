package install

import "fmt"

// Installed is the text about a registration for a person. It has the diff if whole is set, and on
// a dry run if the file holds other settings.
func (r Result) Installed(dry, whole bool) string {
	starts := fmt.Sprintf("%s: %d events start %s", r.Path, r.Events, r.Program)
	if r.Was != "" {
		starts += " instead of " + r.Was
	}
	text := "installed in " + starts + "\n"
	switch {
	case r.Diff == "":
		text = fmt.Sprintf("already installed in %s: nothing changed\n", r.Path)
	case dry:
		return r.change(whole || r.Others) + "would be " + text + dryNote
	case r.Backup != "":
		text += "everything else in the file is unchanged; the former text is kept in " +
			r.Backup + "\n"
	}
	if r.Off {
		text += "note: " + r.Path +
			" turns all hooks off; remove \"disableAllHooks\" for them to run\n"
	}
	return r.change(whole) + text
}

// Uninstalled is the text about a removal, in the same way.
func (r Result) Uninstalled(dry, whole bool) string {
	switch {
	case r.Diff == "":
		return fmt.Sprintf("not installed in %s: nothing changed\n", r.Path)
	case dry:
		return r.change(whole || r.Others) + "would be uninstalled from " + r.Path + "\n" + dryNote
	case r.Removed:
		return r.change(whole) +
			fmt.Sprintf("uninstalled; %s held nothing else and is removed\n", r.Path)
	}
	return r.change(whole) +
		fmt.Sprintf("uninstalled from %s; everything else in the file is unchanged\n", r.Path)
}

const dryNote = "nothing was changed: this was a dry run\n"

// change is the diff, if it is to be shown.
func (r Result) change(shown bool) string {
	if !shown || r.Diff == "" {
		return ""
	}
	return r.Diff + "\n"
}
