package install

import "fmt"

// Installed says what a registration did. The change itself is shown where it is asked for, and on a dry run where the file
// holds something of others.
func (r Result) Installed(dry, whole bool) string {
	starts := fmt.Sprintf("%s: %d events start %s", r.Path, r.Events, r.Program)
	if r.Was != "" {
		starts += ", no more " + r.Was
	}
	switch {
	case r.Diff == "":
		return fmt.Sprintf("already installed in %s: nothing changed\n", r.Path) + r.off()
	case dry:
		return r.change(whole || r.Others) + "would be installed in " + starts + dryNote
	case r.Backup != "":
		return r.change(whole) + fmt.Sprintf("installed in %s\nwhat else stands there is as it was; the text before is kept in %s\n", starts, r.Backup) + r.off()
	}
	return r.change(whole) + "installed in " + starts + "\n" + r.off()
}

// Uninstalled says what the removal did, in the same way.
func (r Result) Uninstalled(dry, whole bool) string {
	switch {
	case r.Diff == "":
		return fmt.Sprintf("not installed in %s: nothing changed\n", r.Path)
	case dry:
		return r.change(whole || r.Others) + "would be uninstalled from " + r.Path + dryNote
	case r.Removed:
		return r.change(whole) + fmt.Sprintf("uninstalled; %s held nothing else and is removed\n", r.Path)
	}
	return r.change(whole) + fmt.Sprintf("uninstalled from %s; what else stands there is as it was\n", r.Path)
}

const dryNote = "\nnothing was changed: this was a dry run\n"

// change is the diff, if it is to be shown.
func (r Result) change(shown bool) string {
	if !shown {
		return ""
	}
	return r.Diff + "\n"
}

func (r Result) off() string {
	if !r.Off {
		return ""
	}
	return fmt.Sprintf("note: %s turns all hooks off; take \"disableAllHooks\" out for them to run\n", r.Path)
}
