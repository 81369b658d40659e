package doctor

import (
	"errors"
	"io/fs"

	"hooks/internal/hint"
	"hooks/internal/loop"
	"hooks/internal/proc"
	"hooks/internal/seal"
	"hooks/internal/store"
)

// seals checks whether runs can be sealed on this machine, and whether the files of sealed runs are
// as they were written.
func seals(m *machine, n *notes) {
	dir := seal.At(seal.Home(m.Env))
	if dir.Path() == "" {
		n.warn("set HOME, or name a folder in HOOKS_STATE_HOME",
			"no state directory is known: the state of a loop is believed as it is")
		return
	}
	if err := dir.Probe(); err != nil {
		n.warn("make the folder writable for you, or name another one in HOOKS_STATE_HOME",
			"%v: the state of a loop is believed as it is", err)
		return
	}
	files, err := store.Open(m.project)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		missing(dir, m.project, n)
	case err != nil:
		n.skip("%s cannot be opened", store.Dir)
		return
	default:
		defer files.Close()
		files.Seal(dir, proc.Boot)
		for _, skill := range loop.Skills() {
			for _, c := range files.Changed(skill) {
				n.fail(hint.Of(store.Hinted(c.Err)), "%v", c.Err)
			}
		}
	}
	n.say("%s", dir.Path())
}

// missing reports the loops that are on in a project without state.
func missing(dir seal.Dir, project string, n *notes) {
	records, err := dir.Of(project)
	for _, r := range records {
		if r.On() {
			n.fail("`hooks loop reset` in a terminal archives what hooks wrote last",
				"session %s has a loop on, and %s is gone", r.Session, store.Dir)
		}
	}
	if err != nil {
		n.fail("look at that file and remove it", "%v", err)
	}
}
