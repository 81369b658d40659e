package program

import (
	"cmp"
	"path"
	"slices"
	"strings"

	"hooks/internal/guard/effect"
	"hooks/internal/guard/paths"
	"hooks/internal/guard/shell"
	"hooks/internal/guard/shellword"
)

// guardOwn refuses a program that is given a path of this program's own or a file that registers
// hooks, or that works in a folder of its own, unless it is known to read only: what any other
// program does there is not known.
func (w World) guardOwn(f *shell.Frame, name string, argv []shellword.Word) {
	known := shellword.Has("hooks kill", name) || opened(name)
	if known || len(f.M.Call.Own) == 0 || w.Reads == nil {
		return
	}
	reached := ""
	if paths.Own(f.M.Call.Own, f.Cwd) {
		reached = f.Cwd
	}
	for _, a := range argv[1:] {
		reached = cmp.Or(reached, reaches(f, name, a))
	}
	if reached != "" && !w.Reads(append([]string{name}, shellword.Texts(argv[1:])...)) {
		f.Act(effect.Act{Kind: effect.DropRegistration, Ref: reached, Path: reached}, argv)
	}
}

// reaches is the guarded path that a word leads a program to, "" where it leads to none.
func reaches(f *shell.Frame, name string, a shellword.Word) string {
	// Of xargs, or of a variable that was read: it may be what the call names elsewhere.
	if shellword.Blank(a.Text) {
		named := func(own string) bool { return strings.Contains(f.M.Call.CommandText(), own) }
		if i := slices.IndexFunc(f.M.Call.Own, named); i >= 0 {
			return f.M.Call.Own[i]
		}
		return ""
	}
	for _, p := range pathsOf(a.Text) {
		full := f.Resolve(p)
		switch {
		case full == "":
		case ownPath(f, full, a), spreads(name) && holdsOwn(f, full),
			name == "git" && paths.Registers(full),
			!copies(name) && f.KindAt(shellword.Lit(p)) == paths.Registration:
			return full
		}
	}
	return ""
}

// copies reports whether it is known of a program, word by word, what it writes and what it only
// reads.
func copies(name string) bool {
	return shellword.DataProgram(name) ||
		shellword.Has("git install tar rsync scp zip dd tee patch", name)
}

// opened reports whether a program's inner command is read in turn.
func opened(name string) bool {
	_, wraps := wrapSpec(name)
	return wraps || shellword.Has("env xargs ssh autossh", name)
}

// ownPath reports whether a path, or a pattern, reaches one of the loop's own.
func ownPath(f *shell.Frame, full string, w shellword.Word) bool {
	if w.Pat == "" {
		return f.Own(full)
	}
	pat := strings.Split(path.Clean(w.Pat), "/")
	return slices.ContainsFunc(f.M.Call.Own, func(own string) bool {
		n := min(len(pat), strings.Count(own, "/")+1)
		matches, _ := path.Match(strings.Join(pat[:n], "/"), own)
		return matches
	})
}

// spreads reports whether a program writes into a folder under names that it is not given.
func spreads(name string) bool {
	return shellword.Has(`tar unzip 7z rsync unison rclone chmod chown chgrp setfacl chattr mount
cpio bsdtar`, name)
}

// holdsOwn reports whether a folder holds one of the loop's own files and not the project.
func holdsOwn(f *shell.Frame, full string) bool {
	holdsProject := strings.HasPrefix(f.M.Call.Cwd+"/", strings.TrimSuffix(full, "/")+"/")
	holds := func(own string) bool { return full == path.Dir(own) }
	return !holdsProject && slices.ContainsFunc(f.M.Call.Own, holds)
}

// paths are the texts that a program may take for a path: the word, and the value of its flag.
func pathsOf(text string) []string {
	list := []string{text}
	if _, value, ok := strings.Cut(text, "="); ok {
		list = append(list, value)
	}
	if len(text) > 2 && text[0] == '-' && text[1] != '-' {
		list = append(list, text[2:])
	}
	if from, to, ok := strings.Cut(text, ":"); ok {
		list = append(list, from, to)
	}
	return list
}
