package program

import (
	"path"
	"slices"
	"strings"

	"hooks/internal/guard/plain"
	"hooks/internal/guard/shellword"
)

// judgeWriter judges a program that writes, moves or removes files named on its command line. The
// seal detects changes made in other ways. judgeWriter returns false for any other program.
func judgeWriter(f *plain.Frame, name string, args []shellword.Word) (ok bool) {
	how := name + " " + shellword.Join(args)
	switch name {
	case "rm", "rmdir", "unlink", "shred":
		fl := shellword.ParseFlags(args, "-n --iterations -s --size")
		for _, w := range fl.Pos {
			f.Takes(w, how, fl.On("-r", "-R", "--recursive"))
		}
		return true
	case "mv", "cp", "install", "ln", "rsync", "scp":
		judgeCopy(f, name, args, how)
		return true
	case "sed":
		if !slices.ContainsFunc(args, func(w shellword.Word) bool {
			return shellword.Shorts(w.Text, 'i') || strings.HasPrefix(w.Text, "--in-place")
		}) {
			return true // it only prints
		}
	case "tee":
		f.Saves()
	case "mkdir", "truncate", "touch", "chmod", "chown", "sponge", "patch", "mkfifo", "sd", "dd":
	default:
		return false
	}
	for _, w := range args {
		w.Text = strings.TrimPrefix(w.Text, "of=") // for dd
		// .sdd/loop exists during a loop, so mkdir has no effect on it.
		if name != "mkdir" || !strings.HasSuffix(path.Clean("/"+w.Text), "/.sdd/loop") {
			f.Writes(w, how)
		}
	}
	return true
}

// judgeCopy judges cp, mv, ln and the like. The destination is the value of -t or the last operand.
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
	for _, s := range srcs {
		base := shellword.ProgramName(s.Text)
		if strings.Contains(s.Text, "/") && shellword.NamesClient(base) ||
			!s.Known() && shellword.NamesClient(s.Src) { // cp $(which gh) x
			f.OpaqueForge(how, "a forge client under another name bypasses the brake")
		}
		switch {
		case name == "mv" || fl.On("--remove-source-files"):
			f.Takes(s, how, true)
		case name == "ln", fl.On("-l", "--link"): // the link gives write access to the file
			f.Writes(s, how)
		}
		f.Writes(shellword.Lit(strings.TrimSuffix(dst.Text, "/")+"/"+base), how)
	}
}
