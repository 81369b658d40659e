package guard

import "strings"

// writer runs the programs that write, move or remove files: what they leave can be run later on, and none of it may be
// the loop's own.
func (f *frame) writer(name string, argv []word) bool {
	if !has(`rm rmdir unlink shred trash srm mv gmv cp gcp install ginstall ln truncate gtruncate touch mkdir chmod chown chgrp chattr setfacl
dd sponge patch unzip gzip gunzip bzip2 xz zstd 7z split csplit fallocate scp sftp sort go-sponge logrotate rename mmv mount ex-sponge trash-put trash-rm`, name) {
		return false
	}
	f.writerOf(name, argv[1:])
	return true
}

// writerOf judges a writing program's arguments.
func (f *frame) writerOf(name string, args []word) {
	how := clip(name+" "+joinWords(args), 300)
	switch name {
	case "mount":
		for _, w := range parseFlags(args, "-t -o -L -U").pos {
			f.renames(w, how)
		}
	case "rm", "rmdir", "unlink", "shred", "trash", "srm", "trash-put", "trash-rm":
		fl := parseFlags(args, "-n --iterations -s --size")
		whole := fl.on("-r", "-R", "--recursive") || name != "rm" && name != "shred" && name != "unlink"
		for _, w := range fl.pos {
			f.takes(w, how, whole)
			f.gone(w)
		}
	case "mv", "gmv", "rename", "mmv":
		f.moved(parseFlags(args, "-t --target-directory -S --suffix"), how, true)
	case "cp", "gcp", "install", "ginstall", "ln", "scp", "rsync":
		f.moved(parseFlags(args, copyFlags(name)), how, name == "rsync" && hasWord(args, "--remove-source-files"))
	case "tar", "gtar", "unzip", "7z":
		f.unpacked(name, args, how)
	case "dd":
		for _, w := range args {
			if to, ok := strings.CutPrefix(w.text, "of="); ok {
				f.writes(lit(to), how)
				f.writeFile(to, hole, false)
			}
		}
	case "sed":
		f.sedInPlace(args, how)
	case "sort":
		fl := parseFlags(args, "-o --output -k --key -t -S -T")
		for _, w := range fl.all("-o", "--output") {
			f.writes(w, how)
		}
	default:
		for _, w := range parseFlags(args, "-s --size -r --reference -d --date -t -m --mode --context -b -n -l -a").pos {
			f.writes(w, how)
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
	case "install", "ginstall":
		return "-t --target-directory -S --suffix -m --mode -o --owner -g --group"
	}
	return "-t --target-directory -S --suffix"
}

// moved judges cp, mv, ln and their kin: the last word is where the others go.
func (f *frame) moved(fl flags, how string, takes bool) {
	srcs, dst := fl.pos, word{}
	if t, ok := fl.get("-t", "--target-directory"); ok {
		dst = t
	} else if len(srcs) > 0 {
		dst, srcs = srcs[len(srcs)-1], srcs[:len(srcs)-1]
	}
	if dst.text == "" {
		return
	}
	if len(fl.pos) > 1 || len(srcs) > 0 {
		f.writes(dst, how)
	}
	if strings.HasPrefix(how, "ln ") && partMatches(programName(f.resolve(dst.text)), ".sdd") {
		f.stateAct(nil, how) // another directory in its place
	}
	links := strings.HasPrefix(how, "ln ") || strings.HasPrefix(how, "cp ") && fl.on("-l", "--link", "-s", "--symbolic-link")
	for _, s := range srcs {
		if links {
			f.renames(s, how)
		}
		if takes {
			f.takes(s, how, true)
		}
		f.writesInto(dst, s, how)
		f.copyFile(s.text, dst.text)
		f.copyFile(s.text, strings.TrimSuffix(dst.text, "/")+"/"+programName(s.text))
	}
}

// renames records that the loop's files get a second name, under which nothing would know them later on.
func (f *frame) renames(s word, how string) {
	if f.kindAt(s) == stateKind || partMatches(programName(f.resolve(s.text)), ".sdd") {
		f.stateAct(nil, how)
	}
}

// builds judges what a compiler or another program writes to the file that its -o names.
func (f *frame) builds(argv []word) {
	for i, w := range argv[1:] {
		to, joined := strings.CutPrefix(w.text, "--output=")
		if (w.text == "-o" || w.text == "--output") && i+2 < len(argv) {
			to, joined = argv[i+2].text, true
		}
		if joined && to != "" {
			f.writes(lit(to), clip(joinWords(argv), 300))
		}
	}
}

// writesInto is a file or tree put into a directory under its own name.
func (f *frame) writesInto(dst, src word, how string) {
	name := programName(strings.TrimSuffix(src.text, "/"))
	if strings.HasSuffix(src.text, "/.") || strings.HasSuffix(src.text, "/") || name == "." {
		if partMatches(programName(f.resolve(dst.text)), ".sdd") {
			f.stateAct(nil, how)
		}
		return
	}
	into := dst
	into.text, into.pat = strings.TrimSuffix(dst.text, "/")+"/"+name, ""
	if f.kindAt(into) == stateKind && f.kindAt(dst) == ordinary {
		f.writes(into, how)
	}
}

func (f *frame) unpacked(name string, args []word, how string) {
	fl := parseFlags(args, "-C --directory -d -f --file -T -X")
	for _, w := range fl.all("-C", "--directory", "-d") {
		if f.kindAt(w) != ordinary || partMatches(programName(f.resolve(w.text)), ".sdd") && name != "tar" {
			f.writes(w, how)
		}
	}
	if hasWord(args, "--remove-files") {
		for _, w := range fl.pos {
			f.takes(w, how, true)
		}
	}
	for _, w := range fl.all("-f", "--file") {
		f.writes(w, how)
	}
}

// sedInPlace judges sed -i and sed's w command.
func (f *frame) sedInPlace(args []word, how string) {
	inPlace := false
	for _, w := range args {
		t := w.text
		inPlace = inPlace || strings.HasPrefix(t, "--in-place") || shorts(t, 'i') && !strings.ContainsAny(t, " /")
		if i := strings.LastIndex(t, "w "); i >= 0 && !strings.HasPrefix(t, "-") {
			f.writes(lit(strings.TrimSpace(t[i+2:])), how)
		}
	}
	if !inPlace {
		return
	}
	fl := parseFlags(args, "-e -f -l --expression --file")
	files := fl.pos
	if len(fl.all("-e", "--expression", "-f", "--file")) == 0 && len(files) > 1 {
		files = files[1:]
	}
	for _, w := range files {
		f.writes(w, how)
		f.blur(w.text)
	}
}
