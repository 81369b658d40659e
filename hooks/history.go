package main

import (
	"cmp"
	"math"
	"runtime/debug"
	"strconv"
	"strings"
	"time"

	"github.com/alecthomas/kong"

	"hooks/internal/hint"
	"hooks/internal/inspect"
	"hooks/internal/report"
)

type historyCmd struct {
	which
	RunID string `name:"run" placeholder:"ID" help:"One run only, by its id, with all its iterations."`
	All   bool   `help:"The runs of all projects of this machine."`
	lastRows
	JSON bool `xor:"form" help:"One JSON array with one iteration per line, as stored on disk: hooks history --json | jq '.[].outcome'."`
	CSV  bool `xor:"form" help:"Comma-separated values with a header."`
}

// lastRows bounds a table for people. JSON and CSV output is complete.
type lastRows struct {
	Last *int `short:"n" placeholder:"N" help:"Only the last N iterations in a table; 0 for all of them, 40 if not given."`
}

// rows returns the number of iterations in a table, or 0 for all. The default for one run is all.
func (l lastRows) rows(runID string, table bool) (int, error) {
	switch {
	case l.Last == nil && (runID != "" || !table):
		return 0, nil
	case l.Last == nil:
		return report.MaxRows, nil
	case !table:
		return 0, hint.New("--csv or --json, and take the last lines of it",
			"--last is for the table: the forms for programs have every iteration")
	case *l.Last < 0:
		return 0, hint.New("--last 20, or --last 0 for all", "--last %d is below zero", *l.Last)
	}
	return *l.Last, nil
}

// Run prints the iterations of all runs, including archived ones, the oldest first.
func (h historyCmd) Run(c caller) error {
	rows, err := h.rows(h.RunID, !h.JSON && !h.CSV)
	if err != nil {
		return err
	}
	out := report.HistoryTable(c.out, c.screen(), rows, h.All)
	switch {
	case h.JSON:
		out = report.HistoryJSON(c.out)
	case h.CSV:
		out = report.HistoryCSV(c.out, h.All)
	}
	c.Everywhere = h.All
	return c.History(h.skills(), h.RunID, out)
}

type costCmd struct {
	By    string `enum:"model,iteration,run,task,phase,day,project" default:"run" help:"What to group by: model, iteration, run, task of a task loop, phase of an audit loop, day or project."`
	RunID string `name:"run" placeholder:"ID" help:"One run only, by its id."`
	All   bool   `help:"What the loops of all projects of this machine spent."`
	Since string `placeholder:"TIME" help:"Only iterations that ended since then: 7d, 12h or 2026-11-20."`
	lastRows
	Rates bool `help:"The price table in force, with the source of each row; alone or with --json."`
	JSON  bool `help:"Print the same as JSON."`
}

// Run prints the spend of loops, or the price table.
func (o costCmd) Run(c caller) error {
	if o.Rates {
		if o.By != "run" || o.RunID != "" || o.All || o.Since != "" || o.Last != nil {
			return hint.New("hooks cost --rates, or with --json",
				"--rates shows prices, which the other flags do not change")
		}
		return show(c, o.JSON, c.Rates(), nil, report.RateTable)
	}
	rows, err := o.rows(o.RunID, !o.JSON)
	if err != nil {
		return err
	}
	q := inspect.CostQuery{By: o.By, RunID: o.RunID, MaxRows: cmp.Or(rows, math.MaxInt)}
	if q.Since, err = since(o.Since, c.Now()); err != nil {
		return err
	}
	c.Everywhere = o.All
	cost, err := c.Cost(q)
	if err != nil && len(cost.Rows) == 0 {
		return err
	}
	return show(c, o.JSON, cost, err, report.Costs)
}

// since parses a time in the past: days, hours or minutes ago, or the beginning of a day. It
// returns the zero time if text is empty.
func since(text string, now time.Time) (time.Time, error) {
	if text == "" {
		return time.Time{}, nil
	}
	if day, err := time.ParseInLocation(time.DateOnly, text, now.Location()); err == nil {
		return day, nil
	}
	ago, err := time.ParseDuration(text)
	if days, isDays := strings.CutSuffix(text, "d"); isDays {
		var n int
		n, err = strconv.Atoi(days)
		ago = time.Duration(n) * 24 * time.Hour
	}
	if err != nil || ago <= 0 {
		return time.Time{}, hint.New("as in --since 7d, --since 12h or --since 2026-11-20",
			"--since %q is not a time in the past", text)
	}
	return now.Add(-ago), nil
}

type replayCmd struct {
	Session       string `arg:"" help:"A session's id, the beginning of one, or the path of its transcript."`
	MaxDollars    string `placeholder:"N" help:"Try this ceiling; 0 is none."`
	MaxIterations string `placeholder:"N" help:"Try this ceiling."`
	MaxPRs        string `name:"max-prs" placeholder:"N" help:"Try this ceiling."`
	MaxMinutes    string `placeholder:"N" help:"Try this ceiling."`
	JSON          bool   `help:"Print the same as JSON."`
}

// Run applies the rules to a past session and prints the result.
func (c replayCmd) Run(k *kong.Context, p caller) error {
	debug.SetMemoryLimit(48 << 20) // a long transcript produces much garbage
	r, err := p.Replay(c.Session, loopFlags(k))
	if err != nil {
		return err
	}
	return show(p, c.JSON, r, nil, report.Replays)
}

// resultCmd reports the result of a session to a job, also as the exit code.
type resultCmd struct {
	Session string `placeholder:"ID" help:"If not the newest begun here."`
	JSON    bool   `help:"Print the same as JSON."`
}

// Help lists the exit codes.
func (resultCmd) Help() string {
	return "The exit code is 0 if the loop ended as meant, 3 if it waits for a person, 4 if it " +
		"stopped at a ceiling, 5 if it failed, 6 if nothing was governed, and 1 if that cannot " +
		"be determined, for example while it runs. See docs/ci.md."
}

// Run prints the result in one line and exits with its code.
func (r resultCmd) Run(c caller) error {
	found, err := c.Result(r.Session)
	if found.Result == "" {
		return err
	}
	err = show(c, r.JSON, found, err, func(_ report.Screen, found report.Result) string {
		return found.Line()
	})
	if err == nil && found.Code != 0 {
		return exitError{code: found.Code}
	}
	return err
}
