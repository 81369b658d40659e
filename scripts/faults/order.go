//go:build linux

package main

import (
	"fmt"
	"path/filepath"
	"regexp"
	"strings"
)

var (
	handle = regexp.MustCompile(`^(\d+)<([^>]*)>`)
	at     = regexp.MustCompile(`(?:AT_FDCWD|\d+)<([^>]*)>, "([^"]*)"`)
)

// order holds the calls of a program that nothing went wrong in against what survives a power cut: a file is synced
// before it gets its name, a history line before anything that follows it, and what the reply promises (every name
// that changed) before the reply.
func order(list []call, state string) (bad []string) {
	o := &ordering{state: state, written: map[string]bool{}, names: map[string]string{}}
	for _, c := range list {
		if strings.HasPrefix(c.result, "-1") {
			continue
		}
		o.see(c)
	}
	return o.bad
}

type ordering struct {
	state   string
	written map[string]bool   // files with bytes that are not synced
	names   map[string]string // folders with changed names that are not synced, and which
	bad     []string
}

func (o *ordering) see(c call) {
	fd, path := "", ""
	if m := handle.FindStringSubmatch(c.args); m != nil {
		fd, path = m[1], m[2]
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
		if m := at.FindStringSubmatch(c.args); m != nil && strings.Contains(c.args, "O_CREAT|O_EXCL") {
			o.named(join(m[1], m[2]))
		}
	case "renameat", "renameat2", "linkat":
		o.moved(c)
	case "unlinkat":
		if m := at.FindStringSubmatch(c.args); m != nil {
			o.named(join(m[1], m[2]))
		}
	}
}

// moved: a file gets the name by which it is found.
func (o *ordering) moved(c call) {
	m := at.FindAllStringSubmatch(c.args, 2)
	if len(m) < 2 {
		return
	}
	from, to := join(m[0][1], m[0][2]), join(m[1][1], m[1][2])
	if o.written[from] {
		o.bad = append(o.bad, fmt.Sprintf("%s gets its name before it is synced", filepath.Base(to)))
		delete(o.written, from)
	}
	for path := range o.written {
		if strings.HasSuffix(path, ".history.jsonl") {
			o.bad = append(o.bad, fmt.Sprintf("%s gets its name before the line in %s is synced", filepath.Base(to), filepath.Base(path)))
		}
	}
	o.named(to)
}

// named: a folder's list of names changed. Unfinished files, the guard and the turn promise nothing.
func (o *ordering) named(path string) {
	base := filepath.Base(path)
	if o.ours(path) && !strings.HasSuffix(base, ".tmp") && base != ".guard" && !strings.Contains(path, "/.turn") {
		o.names[filepath.Dir(path)] = base
	}
}

// reply: everything before it has to be durable.
func (o *ordering) reply() {
	for path := range o.written {
		o.bad = append(o.bad, fmt.Sprintf("%s is not synced when the reply is printed", filepath.Base(path)))
	}
	for dir, name := range o.names {
		o.bad = append(o.bad, fmt.Sprintf("the name %s in %s is not synced when the reply is printed", name, filepath.Base(dir)))
	}
}

func (o *ordering) ours(path string) bool { return strings.HasPrefix(path, o.state) }

func join(dir, name string) string {
	if filepath.IsAbs(name) {
		return name
	}
	return filepath.Join(dir, name)
}
