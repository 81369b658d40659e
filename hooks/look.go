package main

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"strconv"
	"strings"
	"time"

	"github.com/alecthomas/kong"
	xterm "golang.org/x/term"

	"hooks/internal/app"
	"hooks/internal/child"
	"hooks/internal/drive"
	"hooks/internal/hint"
	"hooks/internal/inspect"
	"hooks/internal/loop"
	"hooks/internal/page"
	"hooks/internal/report"
	"hooks/internal/safefile"
	"hooks/internal/toolcall"
)

type statusCmd struct {
	which
	JSON  bool `xor:"form" help:"Print the result as JSON: a list of loops."`
	All   bool `help:"One line per project on this machine; those that need you come first."`
	Watch bool `xor:"form" help:"Redraw every two seconds until Ctrl-C; only on a terminal."`
}

func (st statusCmd) Run(c caller) error {
	c.Everywhere = st.All
	if st.Watch {
		return st.watch(c)
	}
	list, err := c.Stands(st.skills())
	if st.All && !st.JSON && len(list) > 0 {
		return c.show(false, report.Projects(list), err)
	}
	return showEach(c, st.JSON, list, err, c.noLoop(st.which))
}

// noLoop returns the message for an empty list of loops.
func (c caller) noLoop(w which) string {
	kind := strings.TrimLeft(w.Skill+" loop ", " ")
	return "no " + kind + report.Where(c.screen(), c.Everywhere)
}

// watchEvery is the refresh interval of --watch. An unchanged page is not redrawn.
const watchEvery = 2 * time.Second

// watch redraws the status on the terminal's alternate screen until a signal, and then restores the
// terminal.
func (st statusCmd) watch(c caller) error {
	fd, terminal := terminalOf(c.out)
	if !terminal {
		return hint.New("leave out --watch, or use --json",
			"--watch needs a terminal to draw on")
	}
	signals, stop := drive.Signals()
	defer stop()
	fmt.Fprint(c.out, "\x1b[?1049h\x1b[?25l")
	defer fmt.Fprint(c.out, "\x1b[?25h\x1b[?1049l")
	tick := time.NewTicker(watchEvery)
	defer tick.Stop()
	for before := ""; ; {
		list, err := c.Stands(st.skills())
		text := page.DrawAll(c.screen(), list)
		if err != nil {
			text += fmt.Sprintf("\nerror: %v", err)
		}
		rows := strings.Split(cmp.Or(text, c.noLoop(st.which)), "\n")
		if _, height, err := xterm.GetSize(fd); err == nil && height > 0 {
			rows = rows[:max(1, min(height-1, len(rows)))] // more rows would scroll the first off
		}
		text = strings.Join(rows, "\n")
		if text != before {
			fmt.Fprint(c.out, "\x1b[H"+strings.ReplaceAll(text, "\n", "\x1b[K\n")+"\x1b[K\n\x1b[J")
			before = text
		}
		select {
		case <-signals:
			return nil
		case <-tick.C:
		}
	}
}

type statuslineCmd struct{}

// Run prints the client's status line. The client asks for it many times a minute, so
// `hooks statusline` without arguments bypasses the command parser, like the hook words.
func (statuslineCmd) Run(c caller) error {
	debug.SetGCPercent(-1)
	debug.SetMemoryLimit(24 << 20)
	if typed(c.in) {
		c.in = strings.NewReader("")
	}
	if line := c.StatusLine(c.in, c.screen()); line != "" {
		fmt.Fprintln(c.out, line)
	}
	return nil
}

type explainCmd struct {
	which
	Command *string `help:"Explain a shell command instead: how the guard reads it and what would happen."`
	JSON    bool    `help:"Print the result as JSON."`
}

// Run explains why a loop stopped or what would stop it, or how the guard reads a command.
func (e explainCmd) Run(a *app.App, c caller) error {
	if e.Command != nil {
		return c.show(e.JSON, toolcall.Explain(*e.Command, a.Env), nil)
	}
	list, err := c.Why(e.skills())
	none := cmp.Or(loop.KindOf(loop.Skill(e.Skill)).None, c.noLoop(e.which))
	return showEach(c, e.JSON, list, err, none)
}

type backlogCmd struct {
	Scope []string `arg:"" optional:"" help:"Issues, such as 12 15-18 label:NAME; all by default."`
	JSON  bool     `help:"Print the result as JSON."`
}

// Run asks the tracker and prints the backlog, even if it is incomplete.
func (b backlogCmd) Run(c caller) error {
	board, err := c.Backlog(b.Scope)
	if err != nil && board.Issues == nil && !b.JSON {
		return err
	}
	return c.show(b.JSON, board, err)
}

type prCmd struct {
	Number int  `arg:"" help:"The PR's number."`
	JSON   bool `help:"Print the result as JSON."`
}

func (p prCmd) Run(c caller) error {
	if p.Number < 1 {
		return hint.New("give the PR's number, for example `hooks pr 142`",
			"the PR number %d is less than 1", p.Number)
	}
	pr, err := c.PR(p.Number)
	return c.show(p.JSON, pr, err)
}

type historyCmd struct {
	which
	RunID string `name:"run" placeholder:"ID" help:"Only the run with this id, with all its iterations."`
	All   bool   `help:"The runs of all projects on this machine."`
	Last  *uint  `short:"n" xor:"form" placeholder:"N" help:"Only the last N iterations in the table; 0 for all, 40 by default."`
	JSON  bool   `xor:"form" help:"One JSON array with one iteration per line, as stored on disk: hooks history --json | jq '.[].outcome'."`
	CSV   bool   `xor:"form" help:"Comma-separated values with a header."`
}

// maxRows is the default number of iterations in a table. A table of a single run shows all.
const maxRows = 40

// Run prints the iterations of one run or of all runs, including archived ones.
func (h historyCmd) Run(c caller) error {
	rows := maxRows
	switch {
	case h.Last != nil:
		rows = int(*h.Last)
	case h.RunID != "":
		rows = 0
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
	RunID string `name:"run" placeholder:"ID" help:"Only the run with this id."`
	All   bool   `help:"The spending of loops in all projects on this machine."`
	Since string `placeholder:"TIME" help:"Only iterations that ended since then: 7d, 12h or 2026-11-20."`
	Rates bool   `help:"The price table in use, with the source of each row; takes no other flag except --json."`
	JSON  bool   `help:"Print the result as JSON."`
}

func (o costCmd) Run(c caller) error {
	if o.Rates {
		if o.By != "run" || o.RunID != "" || o.All || o.Since != "" {
			return hint.New("run `hooks cost --rates` or `hooks cost --rates --json`",
				"--rates takes no other flag except --json")
		}
		return c.show(o.JSON, c.Rates(), nil)
	}
	from, err := since(o.Since, c.Now())
	if err != nil {
		return err
	}
	c.Everywhere = o.All
	cost, err := c.Cost(inspect.CostQuery{By: o.By, RunID: o.RunID, Since: from})
	if err != nil && len(cost.Rows) == 0 {
		return err
	}
	return c.show(o.JSON, cost, err)
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
	if text, inDays := strings.CutSuffix(text, "d"); inDays {
		days, derr := strconv.Atoi(text)
		ago, err = time.Duration(days)*24*time.Hour, derr
	}
	if err != nil || ago <= 0 {
		return time.Time{}, hint.New("use --since 7d, --since 12h or --since 2026-11-20",
			"--since %q is not a time in the past", text)
	}
	return now.Add(-ago), nil
}

type replayCmd struct {
	Session       string `arg:"" help:"A session's id, the beginning of its id, or the path of its transcript."`
	MaxDollars    string `placeholder:"N" help:"Try this ceiling; 0 for none."`
	MaxIterations string `placeholder:"N" help:"Try this ceiling."`
	MaxPRs        string `name:"max-prs" placeholder:"N" help:"Try this ceiling."`
	MaxMinutes    string `placeholder:"N" help:"Try this ceiling."`
	JSON          bool   `own:"" help:"Print the result as JSON."`
}

func (c replayCmd) Run(k *kong.Context, p caller) error {
	debug.SetMemoryLimit(48 << 20) // a long transcript produces a lot of garbage
	r, err := p.Replay(c.Session, loopFlags(k))
	return p.show(c.JSON, r, err)
}

// resultCmd reports a session's result to a script, as output and as the exit code.
type resultCmd struct {
	Session string `placeholder:"ID" help:"The session's id; by default the newest session here."`
	JSON    bool   `help:"Print the result as JSON."`
}

// Help lists the exit codes.
func (resultCmd) Help() string {
	return "The exit code is 0 if the loop succeeded or can continue, 3 if it waits for a " +
		"person, 4 if it stopped at a ceiling, 5 if it failed, 6 if the session had no loop, and " +
		"1 if the result cannot be determined, for example because the loop is still running. " +
		"See docs/ci.md."
}

func (r resultCmd) Run(c caller) error {
	found, err := c.Result(r.Session)
	if err = c.show(r.JSON, found, err); err == nil && found.Code != 0 {
		return exitError{code: found.Code}
	}
	return err
}

type reportCardCmd struct {
	which
	RunID string `name:"run" placeholder:"ID" help:"The run with this id instead of the newest."`
	All   bool   `help:"List all projects on this machine; with --html, include their pages."`
	HTML  string `xor:"form" placeholder:"FILE" help:"Write it to one HTML file."`
	Open  bool   `help:"Open it in the browser, as a temporary file unless --html is given."`
	JSON  bool   `xor:"form" help:"Print the result as JSON: a list of runs."`
}

// Run prints the report cards of the present runs or of one run, or writes them as a page.
func (r reportCardCmd) Run(c caller) error {
	c.Everywhere = r.All
	switch {
	case r.JSON && r.Open:
		return hint.New("leave out --json or --open", "--open shows the HTML page, not JSON")
	case r.HTML != "" || r.Open:
		return r.write(c)
	}
	list, err := c.Cards(r.skills(), r.RunID)
	if r.All && len(list) > 0 && !r.JSON {
		return c.show(false, report.Index(list), err)
	}
	none := "no loop has run " + report.Where(c.screen(), r.All)
	return showEach(c, r.JSON, list, err, none)
}

// write writes the page to a file, even if part of the history is damaged.
func (r reportCardCmd) write(c caller) error {
	if r.Open && c.Env("CLAUDECODE") != "" {
		return hint.New("run the command in your own terminal, or leave out --open",
			"no browser can be opened from inside the agent")
	}
	if r.HTML == "" {
		// not removed, because the browser reads it after this process has ended
		dir, err := os.MkdirTemp("", "hooks-report-")
		if err != nil {
			return err
		}
		r.HTML = filepath.Join(dir, "report.html")
	}
	if err := writable(r.HTML); err != nil {
		return err
	}
	cards, err := c.Cards(r.skills(), r.RunID)
	if len(cards) == 0 && err != nil {
		return err
	}
	page := strings.NewReader(report.PageHTML(c.screen(), cards))
	werr := safefile.Replace(r.HTML, 0o600, page, nil) // readable only by the user
	if werr != nil {
		return errors.Join(err, hint.New("name a file in a folder that you can write to",
			"write the page: %v", werr))
	}
	path, perr := filepath.Abs(r.HTML)
	if perr == nil {
		perr = c.say("written: " + path)
	}
	if r.Open && perr == nil {
		perr = open(path)
	}
	return errors.Join(err, perr)
}

// writable returns an error if a page must not be written to path. A page may replace only an
// earlier page. The required extension protects settings and state.
func writable(path string) error {
	if ext := strings.ToLower(filepath.Ext(path)); ext != ".html" && ext != ".htm" {
		return hint.New("use a name that ends in .html, such as `--html report.html`",
			"--html %q does not name an HTML file", path)
	}
	head, _ := safefile.ReadHead(path, int64(len(report.PageMark)))
	if _, err := os.Lstat(path); err == nil && head != report.PageMark {
		return hint.New("name another file, or remove that one",
			"--html %q already exists and is not a report card", path)
	}
	return nil
}

// open opens a file with the system's default program.
func open(path string) error {
	args := []string{"xdg-open", path}
	switch runtime.GOOS {
	case "darwin":
		args[0] = "open"
	case "windows":
		args = []string{"rundll32", "url.dll,FileProtocolHandler", path}
	}
	if err := child.Detach("", nil, args...); err != nil {
		return hint.New("open the file by hand", "show %s in a browser: %s: %v", path, args[0], err)
	}
	return nil
}
