package main

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"time"

	"hooks/internal/child"
	"hooks/internal/hint"
	"hooks/internal/report"
	"hooks/internal/safefile"
)

type reportCardCmd struct {
	which
	RunID string `name:"run" placeholder:"ID" help:"An earlier run, by its id."`
	All   bool   `help:"Of all projects of this machine: an index; as HTML with pages."`
	HTML  string `xor:"form" placeholder:"FILE" help:"Write it to one HTML file."`
	Open  bool   `help:"Show it in the browser; without --html in a temporary file."`
	JSON  bool   `xor:"form" help:"Print the same as JSON: a list of runs."`
}

// Run prints the report card of the present runs or of one run, or writes it to a file.
func (r reportCardCmd) Run(c caller) error {
	c.Everywhere = r.All
	switch {
	case r.JSON && r.Open:
		return hint.New("leave out the other form", "--open shows the page, which is HTML")
	case r.HTML != "" || r.Open:
		return r.write(c)
	}
	list, err := c.Cards(r.skills(), r.RunID, false)
	if r.All && len(list) > 0 && !r.JSON {
		return show(c, false, list, err, report.CardIndex)
	}
	none := "no loop has run " + c.screen().Where(r.All)
	return showEach(c, r.JSON, list, err, none, report.CardText)
}

// write writes the page to a file, even if a part of the history is damaged.
func (r reportCardCmd) write(c caller) error {
	if r.Open && c.Env("CLAUDECODE") != "" {
		return hint.New("type it in a terminal of your own, or leave --open out",
			"no browser is opened from inside the agent")
	}
	if r.HTML == "" {
		// the browser reads it after this process has ended
		dir, err := os.MkdirTemp("", "hooks-report-")
		if err != nil {
			return err
		}
		r.HTML = filepath.Join(dir, "report.html")
	}
	if err := writable(r.HTML); err != nil {
		return err
	}
	cards, err := c.Cards(r.skills(), r.RunID, true)
	if len(cards) == 0 && err != nil {
		return err
	}
	page := strings.NewReader(report.PageHTML(c.screen(), cards))
	werr := safefile.Replace(r.HTML, 0o600, page, nil) // readable only by the person
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

// writable returns an error if a page must not be written to path. A page may only replace an
// earlier page, and the required extension protects settings and state.
func writable(path string) error {
	if ext := strings.ToLower(filepath.Ext(path)); ext != ".html" && ext != ".htm" {
		return hint.New("end it in .html, as in `--html report.html`",
			"--html %q does not name an HTML file", path)
	}
	info, err := os.Lstat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	} else if err == nil && !info.Mode().IsRegular() {
		return hint.New("name another file", "--html %q is not a regular file", path)
	}
	head, _ := safefile.ReadHead(path, int64(len(report.PageMark)))
	if head != report.PageMark {
		return hint.New("name another file, or remove that one",
			"--html %q is there already and is not a report card", path)
	}
	return nil
}

// openerWait is the time to wait for an error of the program that opens files.
const openerWait = 2 * time.Second

// open shows a file with the system's own opener.
func open(path string) error {
	args := []string{"xdg-open", path}
	switch runtime.GOOS {
	case "darwin":
		args[0] = "open"
	case "windows":
		args = []string{"rundll32", "url.dll,FileProtocolHandler", path}
	}
	if err := child.Leave(args, openerWait); err != nil {
		return hint.New("open the file by hand", "show %s in a browser: %s: %v", path, args[0], err)
	}
	return nil
}
