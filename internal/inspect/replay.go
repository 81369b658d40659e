package inspect

import (
	"path/filepath"
	"strings"

	"hooks/internal/config"
	"hooks/internal/hint"
	"hooks/internal/install"
	"hooks/internal/loop"
	"hooks/internal/replay"
	"hooks/internal/report"
	"hooks/internal/usage"
)

// Replay applies the rules to a past session. session is its id, the beginning of an id, or the
// path of its transcript. ceilings are the loop's own flags, each followed by its value; they
// override those of the session. Dollars are counted at the current project's rates. Nothing is
// run; the transcript is the only source.
func (i *Inspector) Replay(session string, ceilings []string) (report.Replay, error) {
	// the loop's own parser, so that flags have the same meaning as in a loop
	flags, _, err := loop.ParseFlags(loop.Kinds[0].Name,
		strings.Join(append([]string{"--loop"}, ceilings...), " "))
	if err != nil {
		return report.Replay{}, hint.New("a ceiling is a whole number from 1; for dollars, an "+
			"amount, or 0 for none", "%w", err)
	}
	limit := func(c loop.Ceilings) loop.Ceilings { return c.With(flags.Ceilings, ceilings) }
	client, _ := install.ClientDir(i.Env)
	path, err := usage.Find(client, session)
	if err != nil {
		return report.Replay{}, err
	}
	cfg := config.Load(i.Project())
	script := replay.Script{Names: []loop.Names{cfg.Names(), config.User(client).Names()}}
	var notes []string // unreadable lines and unknown models
	for m, err := range usage.Moments(path) {
		if err != nil {
			notes = append(notes, err.Error())
			continue
		}
		script.Add(m)
	}
	script.Sort()
	uncertain, err := usage.Timeline(path, usage.NewTable(cfg.Rates), script.Spend)
	switch {
	case !script.Empty():
	case err != nil:
		return report.Replay{}, err
	default:
		return report.Replay{}, hint.New("a transcript is a session's own .jsonl file, below "+
			"projects in the client's folder", "%s holds no session", path)
	}
	r := script.Play(strings.TrimSuffix(filepath.Base(path), ".jsonl"), limit)
	r.Transcript, r.Notes = path, append(notes, uncertain...)
	return r, nil
}
