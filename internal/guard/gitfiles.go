package guard

import "strings"

// gitFiles judges git commands that write or remove files of the working tree.
func (f *frame) gitFiles(g gitRun, cmd string, args []word) {
	h := *f
	h.cwd = g.dir
	how := clip(joinWords(g.argv), 300)
	switch cmd {
	case "clean":
		h.gitClean(args, how)
	case "stash":
		fl := parseFlags(args, "-m --message")
		if fl.on("-a", "--all") && (len(fl.pos) == 0 || has("push save", fl.arg(0).text)) {
			h.stateAct(nil, how)
		}
	case "rm", "mv":
		for _, w := range parseFlags(args, "").pos {
			h.takes(w, how, true)
		}
	case "restore":
		h.overwritten(g, parseFlags(args, "-s --source").pos)
	}
}

// gitClean removes ignored files only with -x or -X; the loop's files are ignored.
func (f *frame) gitClean(args []word, how string) {
	fl := parseFlags(args, "-e --exclude")
	if !fl.on("-x", "-X") || fl.on("-n", "--dry-run") {
		return
	}
	for _, w := range fl.all("-e", "--exclude") {
		if strings.Contains(w.text, ".sdd") {
			return
		}
	}
	if len(fl.pos) == 0 {
		f.stateAct(nil, how)
	}
	for _, w := range fl.pos {
		f.takes(w, how, true)
	}
}

// overwritten are paths that git writes from a commit.
func (f *frame) overwritten(g gitRun, paths []word) {
	h := *f
	h.cwd = g.dir
	for _, w := range paths {
		h.writes(w, clip(joinWords(g.argv), 300))
	}
}
