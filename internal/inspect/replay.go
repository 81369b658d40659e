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
	script, notes, err := i.script(path)
	if err != nil {
		return report.Replay{}, err
	}
	r := script.Play(strings.TrimSuffix(filepath.Base(path), ".jsonl"), limit)
	r.Transcript, r.Notes = path, append(r.Notes, notes...)
	return r, nil
}

// script reads the steps of a session that the rules apply to, with the spend between them. The
// notes report unreadable lines, unknown models and calls beyond the bounds.
func (i *Inspector) script(path string) (*replay.Script, []string, error) {
	cfg := config.Load(i.Project())
	client, _ := install.ClientDir(i.Env)
	s := replay.Script{Names: []loop.Names{cfg.Names(), config.User(client).Names()}}
	notes := []string{}
	for m, err := range usage.Moments(path) {
		if err != nil {
			notes = append(notes, err.Error())
			continue
		}
		s.Add(m)
	}
	s.Sort()
	uncertain, err := usage.Timeline(path, usage.NewTable(cfg.Rates), s.Spend)
	switch {
	case !s.Empty():
	case err != nil:
		return nil, nil, err
	default:
		return nil, nil, hint.New("a transcript is a session's own .jsonl file, below projects "+
			"in the client's folder", "%s holds no session", path)
	}
	notes = append(notes, uncertain...)
	if s.Left > 0 {
		notes = append(notes, loop.Plural(s.Left, "event")+" beyond the most that are held: "+
			"their cost is counted, but they are not judged")
	}
	return &s, notes, nil
}
