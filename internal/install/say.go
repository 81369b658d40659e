package install

import "fmt"

// Installed says what a registration did, the change first.
func (r Result) Installed(dry bool) string {
	switch {
	case r.Diff == "":
		return fmt.Sprintf("already installed in %s: nothing changed\n", r.Path) + r.off()
	case dry:
		return r.Diff + dryNote
	case r.Backup != "":
		return r.Diff + fmt.Sprintf("\ninstalled in %s; the text before is kept in %s\n", r.Path, r.Backup) + r.off()
	}
	return r.Diff + fmt.Sprintf("\ninstalled in %s\n", r.Path) + r.off()
}

// Uninstalled says what the removal did, the change first.
func (r Result) Uninstalled(dry bool) string {
	switch {
	case r.Diff == "":
		return fmt.Sprintf("not installed in %s: nothing changed\n", r.Path)
	case dry:
		return r.Diff + dryNote
	case r.Removed:
		return r.Diff + fmt.Sprintf("\nuninstalled; %s held nothing else and is removed\n", r.Path)
	}
	return r.Diff + fmt.Sprintf("\nuninstalled from %s\n", r.Path)
}

const dryNote = "\nnothing was changed: this was a dry run\n"

func (r Result) off() string {
	if !r.Off {
		return ""
	}
	return fmt.Sprintf("note: %s turns all hooks off; take \"disableAllHooks\" out for them to run\n", r.Path)
}
