package program

import (
	"path"
	"strings"

	"hooks/internal/guard/paths"
	"hooks/internal/guard/plain"
	"hooks/internal/guard/shellword"
)

// judgeWriter judges the programs that write, move or remove files: what they leave can be run
// later on, and none of it may be the loop's own. Paths count as they are written; what is reached
// in another way is seen by the seal. ok is false for any other program.
func judgeWriter(f *plain.Frame, name string, args []shellword.Word) (ok bool) {
	const writers = `rm rmdir unlink shred trash srm mv cp install ln truncate touch mkdir chmod
chown chgrp dd sponge gzip scp patch mkfifo tee sd rename yq jaq prettier`
	if ok = shellword.Has(writers, name); ok {
		judgeWrites(f, name, args)
	}
	return ok
}

// judgeWrites judges a writing program's arguments.
func judgeWrites(f *plain.Frame, name string, args []shellword.Word) {
	how := name + " " + shellword.Join(args)
	switch name {
	case "rm", "rmdir", "unlink", "shred", "trash", "srm":
		fl := shellword.ParseFlags(args, "-n --iterations -s --size")
		whole := fl.On("-r", "-R", "--recursive") || !shellword.Has("rm shred unlink", name)
		for _, w := range fl.Pos {
			f.Takes(w, how, whole)
		}
	case "mv", "cp", "install", "ln", "rsync", "scp":
		const longs = "--target-directory --recursive --archive --link --symbolic-link"
		args = shellword.Unabbreviated(args, longs)
		judgeCopy(f, name, shellword.ParseFlags(args, copyFlags(name)), how)
	case "dd":
		for _, w := range args {
			if to, ok := strings.CutPrefix(w.Text, "of="); ok {
				f.Writes(shellword.Lit(to), how)
			}
		}
	case "sed":
		judgeSedInPlace(f, args, how)
	case "yq", "jaq", "prettier": // they print what they make of a file, unless a flag says write
		fl := shellword.ParseFlags(args, "")
		if fl.On("-i", "--inplace", "--in-place", "-w", "--write") {
			for _, w := range fl.Pos {
				f.Writes(w, how)
			}
		}
	default:
		valued := "-s --size -r --reference -d --date -t -m --mode --context -b -n -l -a"
		if name == "tee" {
			valued = ""
			f.Saves()
		}
		for _, w := range shellword.ParseFlags(args, valued).Pos {
			folder := w.Known() && strings.HasSuffix(path.Clean("/"+w.Text), "/.sdd/loop")
			if name == "mkdir" && folder { // it is there while a loop is on, so nothing changes
				continue
			}
			f.Writes(w, how)
			if strings.HasPrefix(name, "ch") && isState(f, w) {
				f.StateAct(how)
			}
		}
	}
}

// copyFlags are the flags of a copying program that take a value.
func copyFlags(name string) string {
	switch name {
	case "rsync":
		return `-e --rsh --exclude --include -f --filter --files-from --exclude-from --max-size
--bwlimit --port`
	case "scp":
		return "-P -i -o -F -c -l -S -J"
	case "install":
		return "-t --target-directory -S --suffix -m --mode -o --owner -g --group"
	}
	return "-t --target-directory -S --suffix"
}

// judgeCopy judges cp, mv, ln and their kin: the last word is where the others go. A link gives the
// loop's files a second name, under which nothing would know them later on.
func judgeCopy(f *plain.Frame, name string, fl shellword.Flags, how string) {
	srcs, dst := fl.Pos, shellword.Word{}
	if t, ok := fl.Get("-t", "--target-directory"); ok {
		dst = t
	} else if len(srcs) > 0 {
		dst, srcs = srcs[len(srcs)-1], srcs[:len(srcs)-1]
	}
	if dst.Text == "" {
		return
	}
	f.Writes(dst, how)
	folders := !shellword.Has("cp install", name) ||
		fl.On("-r", "-R", "-a", "--recursive", "--archive")
	if folders {
		f.Brings(dst, how)
	}
	links := name == "ln" || name == "cp" && fl.On("-l", "--link", "-s", "--symbolic-link")
	if name == "ln" && isState(f, dst) {
		f.StateAct(how)
	}
	for _, s := range srcs {
		client := shellword.NamesClient(shellword.ProgramName(s.Text)) &&
			strings.Contains(s.Text, "/")
		if client || !s.Known() && shellword.NamesClient(s.Src) { // cp $(which gh) x
			f.OpaqueForge(how, "a forge's program under another name meets no link")
		}
		switch kind := f.KindAt(s); {
		case links && (kind == paths.State || isState(f, s)):
			f.StateAct(how)
		case links && kind == paths.Ledger:
			f.Writes(s, how)
		}
		if name == "mv" || fl.On("--remove-source-files") {
			f.Takes(s, how, true)
		}
		into := shellword.Lit(strings.TrimSuffix(dst.Text, "/") + "/" +
			shellword.ProgramName(s.Text))
		if folders && f.KindAt(dst) == paths.Ordinary && f.Near(into) {
			f.Brings(into, how)
		}
		kind := f.KindAt(into)
		if f.KindAt(dst) == paths.Ordinary && (kind == paths.State || kind == paths.Ledger) {
			f.Writes(into, how)
		}
	}
}

// isState reports whether a path is the folder that holds the loop's files.
func isState(f *plain.Frame, w shellword.Word) bool {
	return paths.Matches(shellword.ProgramName(f.Resolve(w.Text)), ".sdd")
}

// judgeSedInPlace judges sed -i and sed's w command.
func judgeSedInPlace(f *plain.Frame, args []shellword.Word, how string) {
	inPlace := false
	for _, w := range args {
		t := w.Text
		inPlace = inPlace || strings.HasPrefix(t, "--in-place") ||
			shellword.Shorts(t, 'i') && !strings.ContainsAny(t, " /")
		if i := strings.LastIndex(t, "w "); i >= 0 && !strings.HasPrefix(t, "-") {
			f.Writes(shellword.Lit(strings.TrimSpace(t[i+2:])), how)
		}
	}
	if !inPlace {
		return
	}
	fl := shellword.ParseFlags(args, "-e -f -l --expression --file")
	files := fl.Pos
	if len(fl.All("-e", "--expression", "-f", "--file")) == 0 && len(files) > 1 {
		files = files[1:]
	}
	for _, w := range files {
		f.Writes(w, how)
	}
}
