package doctor

import (
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"

	"github.com/tidwall/gjson"
)

// home checks that the person's own folder is known: without it neither the user's settings nor the
// seal are found, by the client and by the program alike.
func home(m *machine, n *notes) {
	name := "HOME"
	if runtime.GOOS == "windows" {
		name = "USERPROFILE"
	}
	dir := m.Env(name)
	info, err := os.Stat(dir)
	switch {
	case dir == "":
		n.fail("set it to your own folder where loops are started",
			"%s is not set: your settings and the seal of a loop cannot be found", name)
	case !filepath.IsAbs(dir):
		n.fail("set it to a full path",
			"%s is %q, which is another folder in every directory", name, dir)
	case err != nil || !info.IsDir():
		n.fail("make the folder, or correct "+name, "%s is %s, which is no folder", name, dir)
	default:
		n.say("%s", dir)
	}
}

// onPath checks which program a person starts by typing hooks.
func onPath(m *machine, n *notes) {
	path, err := exec.LookPath("hooks")
	way := "add " + filepath.Dir(m.self.Path) + " to PATH in your shell's start file"
	switch {
	case err != nil:
		n.warn(way, "hooks is not on PATH: hints that say `hooks …` mean %s",
			m.shown(m.self.Path))
	case same(path, m.self.Path):
		n.say("%s", path)
	case build(path) != "" && build(path) == m.self.Build:
		n.say("%s, the same build", path)
	default:
		n.warn(way+", before "+filepath.Dir(path),
			"typing hooks starts %s, which is another program than %s", path, m.self.Path)
	}
}

// permissions finds rules that keep the questions of a loop, or its reports, from happening.
func permissions(m *machine, n *notes) {
	for _, s := range m.hooks().files {
		for _, rule := range s.body.Get("permissions.deny").Array() {
			deniedTool(m, n, s, rule)
		}
		switch mode := s.body.Get("permissions.defaultMode").Str; {
		case s.root != "" || mode != "dontAsk" && mode != "plan":
		default:
			n.warn("leave it to the session",
				"%s: permissions.defaultMode is %s, in which a loop cannot do its work",
				m.shown(s.path), mode)
		}
	}
	if len(n.problems) == 0 {
		n.say("nothing denies the dialog or the reports")
	}
}

func deniedTool(m *machine, n *notes, s *settings, rule gjson.Result) {
	tool, what, _ := strings.Cut(strings.TrimSuffix(strings.TrimSpace(rule.Str), ")"), "(")
	what = strings.TrimRight(what, " :*")
	const way = "take the rule out of permissions.deny"
	switch {
	case tool == "AskUserQuestion":
		n.fail(way, "%s denies AskUserQuestion: nobody can be asked, so every gate pauses the run",
			m.shown(s.path))
	case tool == "Skill" && what == "":
		n.fail(way, "%s denies Skill: the model cannot run a tick", m.shown(s.path))
	case tool == "Bash" && (what == "" || strings.HasPrefix(what+" ", "hooks ")):
		n.fail(way, "%s denies %s: the model cannot report its facts", m.shown(s.path), rule.Str)
	case (tool == "CronCreate" || tool == "ScheduleWakeup") && what == "":
		n.warn(way, "%s denies %s: a loop cannot schedule its next tick", m.shown(s.path), tool)
	}
}
