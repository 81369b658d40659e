package doctor

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"hooks/internal/config"
	"hooks/internal/install"
	"hooks/internal/tracker/backlog"
	"hooks/internal/tracker/forge"
)

// home checks that the person's own folder is known. Without it neither the client nor the program
// finds the user's settings or the seal.
func home(m *machine, n *notes) {
	name := install.HomeVariable()
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
		n.note("%s", dir)
	}
}

// onPath checks which program a person starts by typing hooks.
func onPath(m *machine, n *notes) {
	path, err := exec.LookPath("hooks")
	hint := "add " + filepath.Dir(m.self.Path) + " to PATH in your shell's start file"
	switch {
	case err != nil:
		n.warn(hint, "hooks is not on PATH: hints that say `hooks …` mean %s",
			m.shown(m.self.Path))
	case install.Same(path, m.self.Path), build(path) != "" && build(path) == m.self.Build:
		n.note("%s", path)
	default:
		n.warn(hint+", before "+filepath.Dir(path),
			"typing hooks starts %s, which is another program than %s", path, m.self.Path)
	}
}

// askTime bounds the question to the tracker; one call to its program takes 5 seconds at most.
const askTime = 20 * time.Second

// forgeClient asks the tracker what a loop asks it.
func forgeClient(m *machine, n *notes) {
	ctx, cancel := context.WithTimeout(context.Background(), askTime)
	defer cancel()
	q := forge.Question{Project: m.project, Env: m.Env, Config: m.config, Backlog: true}
	a := forge.Ask(ctx, q)
	f := (*forge.Failure)(nil)
	switch errors.As(a.Err, &f); {
	case f == nil:
		n.note("%s answers for %s", a.Place.Program(), a.Place)
		for _, i := range a.Issues {
			if list := strings.Join(i.Loose, ", "); i.State == backlog.Unblocked && list != "" {
				n.warn("if so, write `Depends on "+list+"` on a line of its own",
					"#%d may wait for %s: its text names them in no form that counts", i.Number,
					list)
			}
		}
	case f.Why == forge.Unconfigured && m.config.Tracker == (config.Tracker{}):
		n.skip("%v; %s", f, f.Hint())
	case f.Why == forge.NoProgram && a.Place.Kind == forge.Command:
		n.fail("give its full path in the Tracker block", "%v", f)
	default:
		n.warn(cmp.Or(f.Hint(), "see `hooks backlog`")+
			"; until then backlog, labels and PR states come from reports alone", "%v", f)
	}
}

// branchProtection checks whether the forge itself would refuse what the guard cannot see.
func branchProtection(m *machine, n *notes) {
	p, err := forge.Choose(m.Env, m.config.Tracker, m.repo)
	if err != nil || p.Kind != forge.GitHub {
		n.skip("no GitHub repository")
		return
	}
	branch := cmp.Or(m.repo.Default, "main")
	ask := func(what, field string) (string, error) {
		path := strings.Join([]string{"repos", p.Owner, p.Repo, what, branch}, "/")
		return m.run("gh", "api", "--hostname", p.Host, path, "--jq", field)
	}
	out, err := ask("branches", ".protected")
	if err != nil || out != "true" && out != "false" {
		n.skip("the forge does not answer: %s", cmp.Or(out, fmt.Sprint(err)))
		return
	}
	if rules, _ := ask("rules/branches", "length"); out == "true" || rules != "" && rules != "0" {
		n.note("%s is protected", branch)
		return
	}
	n.warn("protect it on the forge: it is the backstop of every guard",
		"%s of %s is not protected", branch, p)
}
