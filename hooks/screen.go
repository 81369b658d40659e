package main

import (
	"io"
	"os"
	"runtime"
	"strconv"
	"strings"

	"golang.org/x/term"

	"hooks/internal/desk"
	"hooks/internal/report"
)

// pipeWidth is how wide a text is that goes into a file or another program, where COLUMNS does not say. Where the person
// at the other end of a pager has a narrower terminal, that one's width counts.
const pipeWidth = 100

// screen is what out is for the one who reads it: COLUMNS, the terminal's size, NO_COLOR, the locale.
func screen(d *desk.Desk, out io.Writer) report.Screen {
	fd, terminal := terminalOf(out)
	s := report.Screen{Width: pipeWidth, ASCII: !utf8Locale(d.Env), Now: d.Now()}
	s.Color = terminal && d.Env("NO_COLOR") == "" && d.Env("TERM") != "dumb"
	if terminal {
		if width, _, err := term.GetSize(fd); err == nil && width > 0 {
			s.Width = width
		}
	} else if width, _, err := term.GetSize(int(os.Stderr.Fd())); err == nil && width > 0 {
		s.Width = min(pipeWidth, width)
	}
	if n, err := strconv.Atoi(d.Env("COLUMNS")); err == nil && n > 0 {
		s.Width = min(n, 1000)
	}
	return s
}

// whole is a screen for what other programs search line by line: neither wrapped nor narrowed, but on a terminal.
func whole(d *desk.Desk, out io.Writer) report.Screen {
	s := screen(d, out)
	if _, terminal := terminalOf(out); !terminal && d.Env("COLUMNS") == "" {
		s.Width = 1 << 16
	}
	return s
}

// verbatim is a screen for words that are recorded: only a terminal changes their signs.
func verbatim(d *desk.Desk, out io.Writer) report.Screen {
	s := whole(d, out)
	if _, terminal := terminalOf(out); !terminal {
		s.ASCII = false
	}
	return s
}

// fitting is a finished text for who reads it: wrapped on a terminal, and where COLUMNS says how wide, as it is elsewhere.
func fitting(d *desk.Desk, out io.Writer, text string) string { return beside(d, out, 0, text) }

// beside is fitting for a text that stands a few columns in.
func beside(d *desk.Desk, out io.Writer, columns int, text string) string {
	if _, terminal := terminalOf(out); !terminal && d.Env("COLUMNS") == "" {
		return text
	}
	s := screen(d, out)
	s.Width -= columns
	return report.Fit(s, text)
}

// rows is the height of a terminal, much where it is not known.
func rows(out io.Writer) int {
	fd, _ := terminalOf(out)
	if _, height, err := term.GetSize(fd); err == nil && height > 0 {
		return height
	}
	return 1000
}

func terminalOf(out io.Writer) (fd int, terminal bool) {
	f, ok := out.(*os.File)
	if !ok {
		return 0, false
	}
	return int(f.Fd()), term.IsTerminal(int(f.Fd()))
}

// utf8Locale: the first of the three that is set decides, as in the C library. Windows has none of them and takes UTF-8.
func utf8Locale(env func(string) string) bool {
	for _, name := range []string{"LC_ALL", "LC_CTYPE", "LANG"} {
		if v := strings.ToLower(env(name)); v != "" {
			return strings.Contains(v, "utf-8") || strings.Contains(v, "utf8")
		}
	}
	return runtime.GOOS == "windows"
}
