package forges

import (
	"strings"

	"hooks/internal/guard/shell"
	"hooks/internal/guard/word"
)

// gitFiles judges git commands that write or remove files of the working tree.
func gitFiles(f *shell.Frame, g gitRun, cmd string, args []word.Word) {
	h := *f
	h.Cwd = g.dir
	how := word.Clip(word.Join(g.argv), 300)
	switch cmd {
	case "clean":
		fl := word.ParseFlags(args, "-e --exclude")
		forced := fl.On("-f", "--force", "-i", "--interactive")
		if !forced && setting(f, g, "clean.requireforce") == "" {
			return // git refuses
		}
		gitClean(&h, args, how)
	case "stash":
		fl := word.ParseFlags(args, "-m --message")
		if fl.On("-a", "--all") && (len(fl.Pos) == 0 || word.Has("push save", fl.Arg(0).Text)) {
			h.StateAct(how)
		}
		if fl.Arg(0).Text == "push" {
			overwritten(&h, g, fl.Pos[1:])
		}
	case "rm", "mv":
		fl := word.ParseFlags(args, "")
		if fl.On("--cached") && !fl.On("--no-cached") || dry(fl) {
			return
		}
		for _, w := range fl.Pos {
			h.Takes(w, how, true)
		}
	case "restore":
		overwritten(&h, g, word.ParseFlags(args, "-s --source").Pos)
	}
}

// gitClean removes ignored files only with -x or -X; the loop's files are ignored.
func gitClean(f *shell.Frame, args []word.Word, how string) {
	fl := word.ParseFlags(args, "-e --exclude")
	if !fl.On("-x", "-X") || dry(fl) {
		return
	}
	for _, w := range fl.All("-e", "--exclude") {
		if strings.Contains(w.Text, ".sdd") {
			return
		}
	}
	if len(fl.Pos) == 0 {
		// The loop's folder holds nothing but ignored files: it goes as a whole, or not at all.
		if !fl.On("-d") {
			return
		}
		here := word.Lit(f.Cwd)
		if word.Unknown(f.Cwd) || f.Cwd == "" || f.Covers(here) || f.Guarded(f.Cwd) {
			f.StateAct(how)
		}
	}
	for _, w := range fl.Pos {
		f.Takes(w, how, true)
	}
}

// overwritten are paths that git writes from a commit.
func overwritten(f *shell.Frame, g gitRun, paths []word.Word) {
	h := *f
	h.Cwd = g.dir
	for _, w := range paths {
		h.Writes(w, word.Clip(word.Join(g.argv), 300))
	}
}
