// Package notify runs a person's own commands, detached from the client: one that notifies a person
// who looks elsewhere, and one that gets the events of a task loop.
package notify

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"strings"
	"time"

	"hooks/internal/child"
	"hooks/internal/config"
	"hooks/internal/install"
	"hooks/internal/loop"
	"hooks/internal/report"
	"hooks/internal/store"
	"hooks/internal/toolcall"
)

// The program's first argument when it runs one of these commands for itself.
const (
	DeliverWord = "deliver"
	SyncWord    = "sync"
)

// Bounds of one run of a command.
const (
	deliverTime = 10 * time.Second
	syncTime    = 30 * time.Second
)

// Person is the person of a loop, with what they are to learn once the reply is printed.
type Person struct {
	Env     func(string) string
	Project string
	way     string // to notify, as the project names it
	titles  []string
	texts   []string
	syncs   bool // events of a task loop are queued
}

// Notice keeps a notice until the reply is printed. way is how the project notifies, and next the
// step to take, which is not cut off with the text.
func (p *Person) Notice(way, title, text, next string) {
	if len(p.texts) == 0 {
		p.way = strings.ToLower(way)
	}
	p.titles = loop.AppendNew(p.titles, title)
	p.texts = append(p.texts, report.Short(text)+" — next: "+report.Short(next))
}

// own is the person's own configuration.
func (p *Person) own() config.Config { return config.User(p.clientDir()) }

// clientDir is the folder of the person's own client configuration, or "" if it is not known or the
// project's settings say where it is.
func (p *Person) clientDir() string {
	for _, name := range []string{"CLAUDE_CONFIG_DIR", "HOME", "USERPROFILE"} {
		if p.Env(name) != "" && p.variable(name) == "" {
			return ""
		}
	}
	dir, err := install.ClientDir(p.Env)
	if err != nil {
		return ""
	}
	return dir
}

// notifyWay is "bell", "off", a command, or nothing: the person's own choice, from the environment
// or their CLAUDE.md. A project may come from anybody, so it can choose bell and off, never a
// command.
func (p *Person) notifyWay() string {
	way := p.variable("HOOKS_NOTIFY")
	if way == "" {
		way = p.own().Notify
	}
	if way == "" && (p.way == "bell" || p.way == "off") {
		return p.way
	}
	return way
}

// syncWay is the person's own Sync command; a project's files never name one (T73).
func (p *Person) syncWay() string {
	if way := p.variable("HOOKS_SYNC"); way != "" {
		return way
	}
	return p.own().Sync
}

// Queue keeps events for the Sync command, which is started once the reply is printed. Without a
// command nothing is kept.
func (p *Person) Queue(files *store.Store, list []loop.SyncEvent) error {
	if p.syncWay() == "" {
		return nil
	}
	p.syncs = true
	return files.Queue(list)
}

// Later returns what runs once the reply is printed, nil for nothing, and whether the reply rings
// the bell; in a headless session, whose client draws nothing, the terminal itself is rung. Without
// notices and events nothing is read.
func (p *Person) Later(attended bool) (run func() error, ring bool) {
	way := ""
	if len(p.texts) > 0 {
		way = p.notifyWay()
	}
	ring = way == "bell" && attended
	if (way == "" || way == "off" || ring) && !p.syncs {
		return nil, ring
	}
	return func() (err error) {
		switch {
		case way == "bell" && !ring:
			err = ringTerminal()
		case way != "" && way != "off" && way != "bell":
			err = p.start("notify", DeliverWord, "",
				"HOOKS_TITLE="+report.Short(strings.Join(p.titles, "; ")),
				"HOOKS_TEXT="+strings.Join(p.texts, "; "))
		}
		if p.syncs {
			err = errors.Join(err, p.start("sync", SyncWord, ""))
		}
		return err
	}, ring
}

// ringTerminal sounds the bell of the terminal that this process belongs to.
func ringTerminal() error {
	tty, err := os.OpenFile("/dev/tty", os.O_WRONLY, 0)
	if err != nil {
		return nil
	}
	_, err = tty.WriteString("\a")
	return errors.Join(err, tty.Close())
}

// start starts this program once more, detached from the client, which does not wait for it. in is
// a short text for its stdin.
func (p *Person) start(what, word, in string, env ...string) error {
	program, err := os.Executable()
	if err == nil {
		err = child.Detach(in, append(env, "HOOKS_PROJECT="+p.Project), program, word)
	}
	if err != nil {
		return fmt.Errorf("%s: %w", what, err)
	}
	return nil
}

// command returns the words of a person's command. It returns nil for a command that the guard
// would refuse an agent, because something may have written it in a place that only the person
// writes to. No shell reads it; the words are split at blanks, and quotes keep words together.
func command(way string) []string {
	cwd, _ := os.Getwd()
	if words := loop.SplitWords(way); len(words) > 0 && !toolcall.Forbidden(way, cwd) {
		return words
	}
	return nil
}

// Deliver runs the person's command, with the text in its environment and on its stdin, and ends it
// when it takes too long.
func Deliver(env func(string) string) {
	way := (&Person{Env: env, Project: env("HOOKS_PROJECT")}).notifyWay()
	if way == "bell" || way == "off" {
		return
	}
	if words := command(way); words != nil {
		_, _ = child.Run(context.Background(), child.Command{ // no one reads its error
			Args: words, In: env("HOOKS_TEXT") + "\n", Wait: deliverTime, Silent: true,
		})
	}
}

// Sync sends the queued events, oldest first, each to one run of the person's command: one JSON
// object and a line break on its stdin. An event whose command exits with 0 is sent and never
// again; at another one the rest waits for the next time. A crash in between sends one twice, with
// the same key. Only one process sends.
func Sync(env func(string) string) {
	p := Person{Env: env, Project: env("HOOKS_PROJECT")}
	words := command(p.syncWay())
	if words == nil || !store.Exists(p.Project) {
		return
	}
	files, err := store.Open(p.Project)
	if err != nil {
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), syncTime)
	defer cancel()
	release, first := files.Sender(ctx)
	if !first {
		return
	}
	defer func() { _ = release() }()
	for list := files.Unsent(); len(list) > 0; list = files.Unsent() {
		text, _ := json.Marshal(list[0])
		_, err := child.Run(context.Background(), child.Command{
			Dir: p.Project, Args: words, In: string(text) + "\n", Wait: syncTime, Last: true,
			Most: 4096,
		})
		if err != nil {
			return
		}
		tx, err := files.Begin(context.Background())
		if err != nil {
			return
		}
		err = files.Sent(list[0].Key)
		if errors.Join(err, tx.End()) != nil {
			return
		}
	}
}
