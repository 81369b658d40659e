package doctor

import (
	"cmp"
	"context"
	"errors"
	"path/filepath"
	"strings"
	"time"

	"hooks/internal/config"
	"hooks/internal/english"
	"hooks/internal/tracker"
	"hooks/internal/tracker/backlog"
	"hooks/internal/tracker/forge"
)

// repository checks that the default branch is known. If it is not, the guard protects only main,
// master, trunk and release branches.
func repository(m *machine, n *notes) {
	if m.repo.Top == "" {
		n.skip("%s is not in a git repository", m.project)
		return
	}
	if m.repo.Default == "" && len(m.repo.Remotes) > 0 {
		n.warn("run `git remote set-head origin --auto`", "the remote's default branch is "+
			"unknown, so only main, master, trunk and release branches are protected")
	}
	n.note("default branch %s", cmp.Or(m.repo.Default, "unknown"))
}

func configuration(m *machine, n *notes) {
	c := m.config
	for _, w := range append(c.Warnings, c.Unread...) {
		n.warn("write it as described in docs/configuration.md; until then it is ignored", "%s", w)
	}
	own := config.User(m.client)
	for _, w := range append(own.Warnings, own.Unread...) {
		n.warn("correct it, or move it to a project's "+config.SettingsFile, "%s", w)
	}
	n.note("%s, %s, %s, tracker %s, do-not-merge label %q",
		english.Plural(len(c.Rates), "price row"),
		english.Plural(len(c.Patterns), "redaction pattern"),
		english.Plural(len(c.AgentLogins), "agent login"),
		cmp.Or(c.Tracker.Type, "from the remote"), c.DoNotMerge)
	ctx, cancel := context.WithTimeout(context.Background(), childTime)
	defer cancel()
	settings := filepath.Join(m.project, filepath.FromSlash(config.SettingsFile))
	ignored, err := tracker.Ignored(ctx, m.project, config.SettingsFile)
	if exists(settings) && err == nil && ignored {
		n.warn("to share it, run `git add -f "+config.SettingsFile+"`",
			"git ignores %s, so its settings apply only in this checkout", config.SettingsFile)
	}
}

// askTime is the time limit for the backlog request.
const askTime = 20 * time.Second

// forgeClient requests the backlog from the tracker, as a loop does.
func forgeClient(m *machine, n *notes) {
	ctx, cancel := context.WithTimeout(context.Background(), askTime)
	defer cancel()
	q := forge.Question{Project: m.project, Env: m.Env, Config: m.config, Backlog: true}
	a := forge.Ask(ctx, q)
	f := (*forge.Failure)(nil)
	switch errors.As(a.Err, &f); {
	case f == nil:
		n.note("%s can read %s", forge.Program(a.Place), a.Place)
		for _, i := range a.Issues {
			if list := strings.Join(i.Loose, ", "); i.State == backlog.Unblocked && list != "" {
				n.warn("if it does, add a line `Depends on "+list+"` to the issue",
					"#%d seems to depend on %s, but its text does not say so in a form that "+
						"hooks reads", i.Number, list)
			}
		}
	case f.Why == forge.Unconfigured && m.config.Tracker == (config.Tracker{}):
		n.skip("%v; %s", f, f.Hint())
	case f.Why == forge.NoProgram && a.Place.Kind == forge.Command:
		n.fail("give its full path in the Tracker block", "%v", f)
	default:
		n.warn(cmp.Or(f.Hint(), "see `hooks backlog`")+
			"; until then, backlog, labels and PR states come only from the model's reports",
			"%v", f)
	}
}
