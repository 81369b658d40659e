package program

import (
	"strings"

	"hooks/internal/guard/place"
	"hooks/internal/guard/shell"
	"hooks/internal/guard/word"
)

// writer runs the programs that write, move or remove files: what they leave can be run later on, and none of it may be
// the loop's own.
func writer(f *shell.Frame, name string, argv []word.Word) bool {
	if !word.Has(`rm rmdir unlink shred trash srm mv cp install ln truncate touch mkdir chmod chown chgrp chattr setfacl
mkfifo mknod sd dos2unix unix2dos dd sponge patch unzip gzip gunzip bzip2 xz zstd 7z split csplit fallocate scp sftp sort go-sponge logrotate rename mmv mount ex-sponge trash-put trash-rm`, name) {
		return false
	}
	writerOf(f, name, argv[1:])
	return true
}

// inPlace judges programs that print what they make of a file, unless a flag has them write it back.
func inPlace(f *shell.Frame, name string, args []word.Word) {
	if !word.Has("yq jaq prettier", name) {
		return
	}
	fl := word.ParseFlags(args, "")
	if fl.On("-i", "--inplace", "--in-place", "-w", "--write") {
		for _, w := range fl.Pos {
			f.Writes(w, word.Clip(name+" "+word.Join(args), 300))
		}
	}
}

// writerOf judges a writing program's arguments.
func writerOf(f *shell.Frame, name string, args []word.Word) {
	how := word.Clip(name+" "+word.Join(args), 300)
	switch name {
	case "mount":
		for _, w := range word.ParseFlags(args, "-t -o -L -U").Pos {
			renames(f, w, how)
		}
	case "rm", "rmdir", "unlink", "shred", "trash", "srm", "trash-put", "trash-rm":
		fl := word.ParseFlags(args, "-n --iterations -s --size")
		whole := fl.On("-r", "-R", "--recursive") || name != "rm" && name != "shred" && name != "unlink"
		for _, w := range fl.Pos {
			f.Takes(w, how, whole)
			f.Gone(w)
		}
	case "mv", "rename", "mmv":
		moved(f, word.ParseFlags(args, "-t --target-directory -S --suffix"), how, true)
	case "cp", "install", "ln", "scp", "rsync":
		moved(f, word.ParseFlags(args, copyFlags(name)), how, name == "rsync" && word.HasWord(args, "--remove-source-files"))
	case "tar", "unzip", "7z":
		unpacked(f, name, args, how)
	case "dd":
		for _, w := range args {
			if to, ok := strings.CutPrefix(w.Text, "of="); ok {
				f.Writes(word.Lit(to), how)
				f.WriteFile(to, word.Hole, false)
			}
		}
	case "sed":
		sedInPlace(f, args, how)
	case "sort":
		fl := word.ParseFlags(args, "-o --output -k --key -t -S -T")
		for _, w := range fl.All("-o", "--output") {
			f.Writes(w, how)
		}
	case "patch":
		fl := word.ParseFlags(args, "-d -i -p -o -r -B -D -F -V -Y -z --directory --input --strip --output")
		for _, w := range append(fl.Pos, fl.All("-d", "--directory", "-o", "--output")...) {
			f.Writes(w, how)
		}
	case "chmod", "chown", "chgrp", "chattr", "setfacl":
		for _, w := range word.ParseFlags(args, "").Pos {
			if f.Writes(w, how); place.Matches(word.ProgramName(f.Resolve(w.Text)), ".sdd") {
				f.StateAct(how)
			}
		}
	default:
		for _, w := range word.ParseFlags(args, "-s --size -r --reference -d --date -t -m --mode --context -b -n -l -a").Pos {
			f.Writes(w, how)
		}
	}
}

// copyFlags are the flags of a copying program that take a value.
func copyFlags(name string) string {
	switch name {
	case "rsync":
		return "-e --rsh --exclude --include -f --filter --files-from --exclude-from --max-size --bwlimit --port --partial-dir --backup-dir --chmod --chown --log-file"
	case "scp":
		return "-P -i -o -F -c -l -S -J"
	case "install":
		return "-t --target-directory -S --suffix -m --mode -o --owner -g --group"
	}
	return "-t --target-directory -S --suffix"
}

// moved judges cp, mv, ln and their kin: the last word is where the others go.
func moved(f *shell.Frame, fl word.Flags, how string, takes bool) {
	srcs, dst := fl.Pos, word.Word{}
	if t, ok := fl.Get("-t", "--target-directory"); ok {
		dst = t
	} else if len(srcs) > 0 {
		dst, srcs = srcs[len(srcs)-1], srcs[:len(srcs)-1]
	}
	if dst.Text == "" {
		return
	}
	if len(fl.Pos) > 1 || len(srcs) > 0 {
		f.Writes(dst, how)
	}
	if strings.HasPrefix(how, "ln ") && place.Matches(word.ProgramName(f.Resolve(dst.Text)), ".sdd") {
		f.StateAct(how) // another directory in its place
	}
	links := strings.HasPrefix(how, "ln ") || strings.HasPrefix(how, "cp ") && fl.On("-l", "--link", "-s", "--symbolic-link")
	for _, s := range srcs {
		if links {
			renames(f, s, how)
		}
		if takes {
			f.Takes(s, how, true)
		}
		writesInto(f, dst, s, how)
		f.CopyFile(s.Text, dst.Text)
		f.CopyFile(s.Text, strings.TrimSuffix(dst.Text, "/")+"/"+word.ProgramName(s.Text))
	}
}

// renames records that the loop's files get a second name, under which nothing would know them later on.
func renames(f *shell.Frame, s word.Word, how string) {
	if f.KindAt(s) == place.State || place.Matches(word.ProgramName(f.Resolve(s.Text)), ".sdd") {
		f.StateAct(how)
	}
}

// builds judges what a compiler or another program writes to the file that its -o names.
func builds(f *shell.Frame, argv []word.Word) {
	for i, w := range argv[1:] {
		to, joined := strings.CutPrefix(w.Text, "--output=")
		if (w.Text == "-o" || w.Text == "--output") && i+2 < len(argv) {
			to, joined = argv[i+2].Text, true
		}
		if joined && to != "" {
			f.Writes(word.Lit(to), word.Clip(word.Join(argv), 300))
		}
	}
}

// writesInto is a file or tree put into a directory under its own name.
func writesInto(f *shell.Frame, dst, src word.Word, how string) {
	name := word.ProgramName(strings.TrimSuffix(src.Text, "/"))
	if strings.HasSuffix(src.Text, "/.") || strings.HasSuffix(src.Text, "/") || name == "." {
		if place.Matches(word.ProgramName(f.Resolve(dst.Text)), ".sdd") {
			f.StateAct(how)
		}
		return
	}
	into := dst
	into.Text, into.Pat = strings.TrimSuffix(dst.Text, "/")+"/"+name, ""
	if f.KindAt(into) == place.State && f.KindAt(dst) == place.Ordinary {
		f.Writes(into, how)
	}
}

func unpacked(f *shell.Frame, name string, args []word.Word, how string) {
	fl := word.ParseFlags(args, "-C --directory -d -f --file -T -X")
	for _, w := range fl.All("-C", "--directory", "-d") {
		if f.KindAt(w) != place.Ordinary || place.Matches(word.ProgramName(f.Resolve(w.Text)), ".sdd") && name != "tar" {
			f.Writes(w, how)
		}
	}
	if word.HasWord(args, "--remove-files") {
		for _, w := range fl.Pos {
			f.Takes(w, how, true)
		}
	}
	for _, w := range fl.All("-f", "--file") {
		f.Writes(w, how)
	}
}

// sedInPlace judges sed -i and sed's w command.
func sedInPlace(f *shell.Frame, args []word.Word, how string) {
	inPlace := false
	for _, w := range args {
		t := w.Text
		inPlace = inPlace || strings.HasPrefix(t, "--in-place") || word.Shorts(t, 'i') && !strings.ContainsAny(t, " /")
		if i := strings.LastIndex(t, "w "); i >= 0 && !strings.HasPrefix(t, "-") {
			f.Writes(word.Lit(strings.TrimSpace(t[i+2:])), how)
		}
	}
	if !inPlace {
		return
	}
	fl := word.ParseFlags(args, "-e -f -l --expression --file")
	files := fl.Pos
	if len(fl.All("-e", "--expression", "-f", "--file")) == 0 && len(files) > 1 {
		files = files[1:]
	}
	for _, w := range files {
		f.Writes(w, how)
		f.Blur(w.Text)
	}
}
