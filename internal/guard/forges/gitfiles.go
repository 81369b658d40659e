package forges

import (
	"slices"
	"strings"

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
		gitClean(&h, g, fl, how)
	case "stash":
		all := fl.On("-a", "--all")
		if all && (len(fl.Pos) == 0 || shellword.Has("push save", fl.Arg(0).Text)) {
			h.StateAct(how)
		}
		if fl.Arg(0).Text == "push" {
			overwritten(f, g, fl.Pos[1:])
		}
	case "rm", "mv":
		if fl.On("--cached") && !fl.On("--no-cached") || dry(fl) {
			return
		}
		for _, w := range fl.Pos {
			h.Takes(w, how, true)
		}
		if to := len(fl.Pos) - 1; cmd == "mv" && to > 0 {
			h.Brings(fl.Pos[to], how)
			for _, w := range fl.Pos[:to] {
				h.Brings(shellword.Lit(fl.Pos[to].Text+"/"+shellword.ProgramName(w.Text)), how)
			}
		}
	case "restore":
		overwritten(f, g, fl.Pos)
	}
}

// gitClean removes ignored files, which the loop's own are, only by force and with -x or -X.
// Without a path the loop's folder goes as a whole, so only with -d.
func gitClean(f *plain.Frame, g gitRun, fl shellword.Flags, how string) {
	forced := fl.On("-f", "--force", "-i", "--interactive") ||
		setting(f, g, "clean.requireforce") != ""
	kept := slices.ContainsFunc(fl.All("-e", "--exclude"), func(w shellword.Word) bool {
		return strings.Contains(w.Text, ".sdd")
	})
	if !forced || kept || !fl.On("-x", "-X") || dry(fl) {
		return
	}
	for _, w := range fl.Pos {
		f.Takes(w, how, true)
	}
	unknown := shellword.HasUnknown(f.Cwd) || f.Cwd == ""
	if len(fl.Pos) == 0 && fl.On("-d") &&
		(unknown || f.Covers(shellword.Lit(f.Cwd)) || f.Guarded(f.Cwd)) {
		f.StateAct(how)
	}
}

// overwritten are paths that git writes from a commit.
func overwritten(f *plain.Frame, g gitRun, paths []shellword.Word) {
	h := *f
	h.Cwd = g.dir
	for _, w := range paths {
		h.Writes(w, shellword.Clip(shellword.Join(g.argv), 300))
		h.Brings(w, shellword.Clip(shellword.Join(g.argv), 300))
	}
}
