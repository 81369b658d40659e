package main

import (
	"bufio"
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"reflect"
	"strconv"
	"strings"

	xterm "golang.org/x/term"

	"hooks/internal/codec"
	"hooks/internal/inspect"
	"hooks/internal/page"
	"hooks/internal/term"
)

// caller holds the streams of the person or script that started a command, and the Inspector that
// answers it.
type caller struct {
	*inspect.Inspector
	in        io.Reader
	out, errs io.Writer
}

// say prints a text that may contain foreign text. It prints nothing if the text is empty.
func (c caller) say(text string) error {
	if text == "" {
		return nil
	}
	_, err := fmt.Fprintln(c.out, term.Text(text))
	return err
}

// said prints the result of a command, even if err is set, and returns err with any printing error.
func (c caller) said(text string, err error) error { return errors.Join(c.say(text), err) }

// show prints a command's result, as JSON or drawn for people, even if err is set, but nothing if
// err left no result. It returns err joined with any error of printing.
func (c caller) show(asJSON bool, found page.Page, err error) error {
	switch {
	case err != nil && (found == nil || reflect.ValueOf(found).IsZero()):
		return err
	case asJSON:
		return errors.Join(c.json(found), err)
	}
	_, perr := fmt.Fprintln(c.out, page.Draw(c.screen(), found))
	return errors.Join(perr, err)
}

// showEach shows a list of pages, or the text none if the list is empty.
func showEach[T page.Page](c caller, asJSON bool, list []T, err error, none string) error {
	switch {
	case asJSON:
		return errors.Join(c.json(list), err)
	case len(list) == 0 && err != nil:
		return err
	}
	_, perr := fmt.Fprintln(c.out, cmp.Or(page.DrawAll(c.screen(), list), none))
	return errors.Join(perr, err)
}

// json prints a result as indented JSON with the encoding of the loop's files.
func (c caller) json(v any) error {
	text, err := codec.Encode(v)
	if err != nil {
		return err
	}
	var out bytes.Buffer
	if err := json.Indent(&out, text, "", "  "); err != nil {
		return err
	}
	out.WriteByte('\n')
	_, err = c.out.Write(term.JSON(out.Bytes()))
	return err
}

// screen describes the reader's terminal by its size, COLUMNS, NO_COLOR and TERM.
func (c caller) screen() page.Screen {
	s := page.Screen{Now: c.Now(), Dir: c.Project()}
	if fd, terminal := terminalOf(c.out); terminal {
		s.Color = c.Env("NO_COLOR") == "" && c.Env("TERM") != "dumb"
		if width, _, err := xterm.GetSize(fd); err == nil && width > 0 {
			s.Width = width
		}
	}
	if n, err := strconv.Atoi(c.Env("COLUMNS")); err == nil && n > 0 {
		s.Width = min(n, 1000)
	}
	return s
}

// height returns the rows of a terminal, or 1000 if they are not known.
func height(out io.Writer) int {
	fd, _ := terminalOf(out)
	if _, rows, err := xterm.GetSize(fd); err == nil && rows > 0 {
		return rows
	}
	return 1000
}

// terminalOf returns the file descriptor of a stream and reports whether it is a terminal.
func terminalOf(stream any) (fd int, terminal bool) {
	f, ok := stream.(*os.File)
	if !ok {
		return 0, false
	}
	return int(f.Fd()), xterm.IsTerminal(int(f.Fd()))
}

// typed reports whether in is a terminal. Events and facts are never typed at a terminal.
func typed(in io.Reader) bool {
	_, terminal := terminalOf(in)
	return terminal
}

// typedLine returns the next line that a person types. It is empty at the end of the input.
func typedLine(in io.Reader) string {
	keys := bufio.NewScanner(in)
	keys.Scan()
	return strings.TrimSpace(keys.Text())
}
