package program

import (
	"path"
	"strings"

	"hooks/internal/guard/paths"
	"hooks/internal/guard/plain"
	"hooks/internal/guard/shellword"
)

// judgeWriter judges programs that write, move or remove files, which must not be the loop's own.
// Paths count as they are written; the seal sees what is reached in another way. ok is false for
// any other program.
func judgeWriter(f *plain.Frame, name string, args []shellword.Word) (ok bool) {
	how := name + " " + shellword.Join(args)
	switch name {
	case "rm", "rmdir", "unlink", "shred":
		fl := shellword.ParseFlags(args, "-n --iterations -s --size")
		for _, w := range fl.Pos {
			f.Takes(w, how, fl.On("-r", "-R", "--recursive"))
		}
	case "mv", "cp", "install", "ln", "rsync", "scp":
		judgeCopy(f, name, args, how)
	case "sed", "yq", "prettier": // they print what they make of a file, unless a flag says write
		judgeInPlace(f, args, how)
	case "truncate", "touch", "mkdir", "chmod", "chown", "sponge", "patch", "mkfifo", "tee", "sd",
		"dd":
		if name == "tee" {
			f.Saves()
		}
		for _, w := range args {
			w.Text = strings.TrimPrefix(w.Text, "of=") // dd's
			folder := w.Known() && strings.HasSuffix(path.Clean("/"+w.Text), "/.sdd/loop")
			if name == "mkdir" && folder { // it is there while a loop is on, so nothing changes
				continue
			}
			f.Writes(w, how)
			if strings.HasPrefix(name, "ch") && isState(f, w) {
				f.StateAct(how)
			}
		}
	default:
		return false
	}
	return true
}

// judgeCopy judges cp, mv, ln and similar programs, whose last word is the destination of the
// others. A link gives the loop's files a second name, and later writes under that name would go
// unnoticed.
func judgeCopy(f *plain.Frame, name string, args []shellword.Word, how string) {
	fl := shellword.ParseFlags(args, `-t --target-directory -S --suffix -m --mode -o --owner -g
--group -e --rsh --exclude --include`)
	srcs := fl.Pos
	dst, named := fl.Get("-t", "--target-directory")
	if !named && len(srcs) > 0 {
		dst, srcs = srcs[len(srcs)-1], srcs[:len(srcs)-1]
	}
	if dst.Text == "" {
		return
	}
	f.Writes(dst, how)
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
		switch {
		case links && isState(f, s):
			f.StateAct(how)
		case links:
			f.Writes(s, how)
		case name == "mv" || fl.On("--remove-source-files"):
			f.Takes(s, how, true)
		}
		into := shellword.Lit(strings.TrimSuffix(dst.Text, "/") + "/" +
			shellword.ProgramName(s.Text))
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

// judgeInPlace judges the programs that change a file in place by a flag, and sed's w command.
func judgeInPlace(f *plain.Frame, args []shellword.Word, how string) {
	inPlace := false
	for _, w := range args {
		inPlace = inPlace || shellword.HasPart(w.Text, "--in-place --inplace --write") ||
			!strings.ContainsAny(w.Text, " /") &&
				(shellword.Shorts(w.Text, 'i') || w.Text == "-w")
		if i := strings.LastIndex(w.Text, "w "); i >= 0 && w.Text[0] != '-' {
			f.Writes(shellword.Lit(strings.TrimSpace(w.Text[i+2:])), how)
		}
	}
	for _, w := range args {
		if inPlace {
			f.Writes(w, how)
		}
	}
}
