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

// seals looks whether runs can be sealed on this machine, and whether the files of sealed runs are as they were written.
func seals(m *machine, n *notes) {
	dir := seal.At(seal.Home(m.Env))
	if dir.Path() == "" {
		n.warn("set HOME, or name a folder in HOOKS_STATE_HOME", "no state directory is known: the state of a loop is believed as it is")
		return
	}
	if err := dir.Probe(); err != nil {
		n.warn("make the folder writable for you, or name another one in HOOKS_STATE_HOME", "%v: the state of a loop is believed as it is", err)
		return
	}
	files, err := store.Open(m.project)
	if errors.Is(err, fs.ErrNotExist) {
		records, rerr := dir.Of(m.project)
		for _, r := range records {
			if r.On() {
				n.fail(wayChanged, "session %s has a loop on, and %s is gone", r.Session, store.Dir)
			}
		}
		if rerr != nil {
			n.fail("look at that file and remove it", "%v", rerr)
		}
		n.say("%s", dir.Path())
		return
	} else if err != nil {
		n.skip("%s cannot be opened", store.Dir)
		return
	}
	defer files.Close()
	files.Seal(dir, proc.Boot)
	for _, skill := range loop.Skills() {
		for _, c := range files.Changed(skill) {
			n.fail(hint.Of(store.Hinted(c.Err)), "%v", c.Err)
		}
	}
	n.say("%s", dir.Path())
}

const wayChanged = "`hooks loop reset` in a terminal archives what hooks wrote last"
