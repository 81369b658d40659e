//go:build linux

package torture

import (
	"path/filepath"
	"regexp"
	"strings"
)

var (
	handle = regexp.MustCompile(`^(\d+)<([^>]*)>`)
	at     = regexp.MustCompile(`(?:AT_FDCWD|\d+)<([^>]*)>, "([^"]*)"`)
)

// order checks that the calls of an undisturbed program survive a power cut. A file must be synced
// before it gets its name, a history line before anything that follows it, and every changed name
// before the reply that promises it.
func (p *player) order(list []call) {
	o := &ordering{player: p, written: map[string]bool{}, names: map[string]string{}}
	for _, c := range list {
		if !strings.HasPrefix(c.result, "-1") {
			o.see(c)
		}
	}
}

type ordering struct {
	*player
	written map[string]bool   // files with bytes that are not synced
	names   map[string]string // unsynced changed names, by folder
}

func (o *ordering) see(c call) {
	fd, path := "", ""
	if m := handle.FindStringSubmatch(c.args); m != nil {
		fd, path = m[1], m[2]
	}
	var names []string // in the order of the call
	for _, m := range at.FindAllStringSubmatch(c.args, 2) {
		if filepath.IsAbs(m[2]) {
			m[1] = ""
		}
		names = append(names, filepath.Join(m[1], m[2]))
	}
	switch c.name {
	case "write", "pwrite64":
		if fd == "1" {
			o.reply()
		} else if o.ours(path) {
			o.written[path] = true
		}
	case "fsync":
		delete(o.written, path)
		delete(o.names, path)
	case "openat":
		if strings.Contains(c.args, "O_CREAT|O_EXCL") && len(names) > 0 {
			o.changed(names[0])
		}
	case "unlinkat":
		if len(names) > 0 {
			o.changed(names[0])
		}
	case "renameat", "renameat2", "linkat":
		if len(names) == 2 {
			o.moved(names[0], names[1])
		}
	}
}

// moved handles a file that gets its final name.
func (o *ordering) moved(from, to string) {
	if o.written[from] {
		o.Errorf("%s gets its name before it is synced", filepath.Base(to))
		delete(o.written, from)
	}
	for path := range o.written {
		if strings.HasSuffix(path, ".history.jsonl") {
			o.Errorf("%s gets its name before the line in %s is synced",
				filepath.Base(to), filepath.Base(path))
		}
	}
	o.changed(to)
}

// changed records that a name in a folder has changed, so the folder must be synced before the
// reply. Temporary files, the guard file and those of the turn need not last.
func (o *ordering) changed(path string) {
	base := filepath.Base(path)
	if o.ours(path) && !strings.HasSuffix(base, ".tmp") && base != ".guard" &&
		!strings.Contains(path, "/.turn") {
		o.names[filepath.Dir(path)] = base
	}
}

// reply checks that everything before the reply is durable.
func (o *ordering) reply() {
	for path := range o.written {
		o.Errorf("%s is not synced when the reply is printed", filepath.Base(path))
	}
	for dir, name := range o.names {
		o.Errorf("the name %s in %s is not synced when the reply is printed",
			name, filepath.Base(dir))
	}
}

func (o *ordering) ours(path string) bool { return strings.HasPrefix(path, o.State()) }
