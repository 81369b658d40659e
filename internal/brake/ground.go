package brake

import (
	"cmp"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/tidwall/gjson"

	"hooks/internal/guard/effect"
	"hooks/internal/loop"
	"hooks/internal/seal"
	"hooks/internal/store"
)

// Pass consumes the loop's pass for one act on a PR. kind is effect.MergePR or effect.ApprovePR;
// sha is the head commit that the command names, or empty. If ok is false, why is the reason, such
// as "the permission for PR #142 was already used", and at is the one permitted commit, or empty.
type Pass func(home, session string, kind effect.Kind, pr int, sha string) (
	ok bool, why, at string)

// ground holds the facts about a loop that a link needs to judge a program. The zero value
// describes an unknown loop. Under it every merge is refused.
type ground struct {
	// project is the absolute path of the loop's project. It is empty if the sealed record cannot
	// be read; then every merge is refused.
	project string
	runs    []loop.Tracker // trackers that the session's runs began with
	config  string         // the runs' configuration; empty if an older version began them
	pass    Pass
	links   folder        // the session's links, for pass
	phase   loop.Confined // what the loop's current phase forbids
	// ended reports whether all of the session's loops have ended and the person has not typed
	// since.
	ended bool
	// unread reports whether the sealed record exists but cannot be read. The loop may then be in a
	// phase where nothing may leave the worktree.
	unread bool
}

// ground returns the facts about a session's loop. on reports whether the session's links judge
// programs. They do not if no loop is active, or if all loops have ended and no gate of an ended
// loop blocks the current turn.
func (f folder) ground(pass Pass) (g ground, on bool) {
	path := seal.SwitchPath(f.home, f.session)
	if _, err := os.Lstat(path); errors.Is(err, fs.ErrNotExist) {
		return ground{}, false
	}
	g.pass, g.links = pass, f
	record, err := seal.At(f.home).Record(f.session)
	if err != nil || record == nil {
		g.unread = err != nil
		return g, true
	}
	if filepath.IsAbs(record.Project) {
		g.project = filepath.Clean(record.Project)
	}
	for _, l := range record.Loops {
		if !l.On {
			continue
		}
		g.phase = cmp.Or(g.phase, confined(l))
		g.config = cmp.Or(g.config, gjson.Get(l.State.Budget, "config").Str)
		if t := gjson.Get(l.State.Budget, "tracker"); t.Exists() {
			g.runs = append(g.runs, loop.Tracker{
				Host: t.Get("host").Str, Repo: t.Get("repo").Str, URL: t.Get("url").Str,
			})
		}
	}
	g.ended = !record.Runs()
	return g, !g.ended || record.Shut()
}

// confined returns the restrictions of an active loop's current phase.
func confined(l seal.Loop) loop.Confined {
	kind := loop.KindOf(loop.Skill(l.Skill))
	if kind.Confine == nil || gjson.Get(l.State.Budget, "status").Str != string(loop.Active) {
		return loop.Confined{}
	}
	own := gjson.Get(l.State.Budget, kind.Run.Name)
	return kind.Confine(func(path string) string { return own.Get(path).String() })
}

// noteStarts records what an allowed program is about to do on a forge, so that the session's next
// event counts it, regardless of how the program was started.
func (f folder) noteStarts(g ground, s Start, acts []effect.Act) {
	for _, a := range acts {
		n := store.NotedStart{
			Tool: s.Argv[0], Kind: string(a.Kind), PR: a.PR, Repo: a.Repo, Cwd: s.Cwd,
			Issue: strings.Contains(a.Command, "issue"), At: stamp(),
		}
		if a.Kind == effect.SetLabel || a.Kind == effect.DropLabel {
			n.Label = a.Ref
		}
		f.append(g, store.Note{Started: &n})
	}
}

func stamp() string { return time.Now().UTC().Format(time.RFC3339) }

// append saves a note for the session's next event in the project. It ignores errors.
func (f folder) append(g ground, n store.Note) {
	if n.Session = f.session; g.project != "" {
		_ = store.AppendNote(g.project, n)
	}
}
