package forges

import (
	"slices"
	"strings"

	"hooks/internal/guard/paths"
	"hooks/internal/guard/plain"
	"hooks/internal/guard/shellword"
)

// gitFiles judges git commands that write or remove files of the working tree.
func gitFiles(f *plain.Frame, g gitRun, cmd string, args []shellword.Word) {
	h := *f
	h.Cwd = g.dir
	fl := shellword.ParseFlags(args, "-e --exclude -m --message -s --source")
	how := shellword.Clip(shellword.Join(g.argv), 300)
	switch cmd {
	case "clean":
		if fl.On("-x") { // with -X no pattern keeps the folder
			h.Passes = "git clean -fdx -e .sdd"
		}
		gitClean(&h, g, fl, how)
	case "stash":
		h.Passes = "git stash -a -- . ':!.sdd'"
		gitStash(&h, g, fl, how)
	case "restore":
		for _, w := range fl.Pos {
			h.Writes(w, how)
		}
	case "rm", "mv":
		if fl.On("--cached") && !fl.On("--no-cached") || dry(fl) {
			return
		}
		for _, w := range fl.Pos {
			h.Takes(w, how, true)
		}
	}
}

// gitClean removes ignored files, which the loop's own are, only by force and with -x or -X.
// Without a path the loop's folder goes as a whole, so only with -d. With -X the patterns of -e
// are removed, too.
func gitClean(f *plain.Frame, g gitRun, fl shellword.Flags, how string) {
	forced := fl.On("-f", "--force", "-i", "--interactive") ||
		setting(f, g, "clean.requireforce") != ""
	kept := fl.On("-x") && slices.ContainsFunc(fl.All("-e", "--exclude"), isSDD)
	if !forced || kept || !fl.On("-x", "-X") || dry(fl) {
		return
	}
	for _, w := range fl.Pos {
		f.Takes(w, how, true)
	}
	unknown := shellword.HasUnknown(f.Cwd) || f.Cwd == ""
	if len(fl.Pos) == 0 && fl.On("-d") &&
		(unknown || f.Covers(shellword.Lit(f.Cwd)) ||
			f.KindAt(shellword.Lit(f.Cwd)) != paths.Ordinary) {
		f.StateAct(how)
	}
}

// gitStash moves ignored files, too, with -a: all of the repository, or those that the paths name.
func gitStash(f *plain.Frame, g gitRun, fl shellword.Flags, how string) {
	cmd, from := fl.Arg(0).Text, fl.Pos
	if shellword.Has("push save", cmd) {
		from = fl.Pos[1:]
	}
	kept := func(w shellword.Word) bool {
		_, path, ok := strings.Cut(strings.NewReplacer("!", ")", "^", ")").Replace(w.Text), ")")
		return ok && isSDD(shellword.Lit(path)) && !strings.HasPrefix(w.Text, ":(top")
	}
	switch {
	case !fl.On("-a", "--all"):
	case len(from) == 0, cmd == "save":
		f.StateAct(how)
	case !slices.ContainsFunc(from, kept):
		for _, w := range from {
			f.Takes(w, how, true)
		}
	}
}

// isSDD reports whether a pattern is of the folder that has the loop's own.
func isSDD(w shellword.Word) bool { return strings.Trim(w.Text, "/") == ".sdd" }
