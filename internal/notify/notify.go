// Package notify runs the commands that a person configured, detached from the client: Notify for
// notices, Ask for questions, and Sync for task-loop events.
package notify

import (
	"cmp"
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

// DeliverWord and SyncWord, as the first argument, make this program run Deliver or Sync.
const (
	DeliverWord = "deliver"
	SyncWord    = "sync"
)

// deliverTime and syncTime bound one run of the Notify command and of the Sync command.
const (
	deliverTime = 10 * time.Second
	syncTime    = 30 * time.Second
)

// Person queues notices and events, and starts the person's commands once the reply is printed.
type Person struct {
	Env     func(string) string
	Project string
	way     string // the project's Notify setting
	titles  []string
	texts   []string
	syncs   bool // whether task-loop events are queued
}

// Notice queues a notice until the reply is printed. way is the project's Notify setting. next is
// the step that the person should take; it is shortened separately from text.
func (p *Person) Notice(way, title, text, next string) {
	if len(p.texts) == 0 {
		p.way = strings.ToLower(way)
	}
	p.titles = loop.AppendNew(p.titles, title)
	p.texts = append(p.texts, report.Short(text)+" — next: "+report.Short(next))
}

// clientDir returns the person's client configuration folder. It returns "" if the folder is
// unknown or if the project's settings may change a variable that determines it.
func (p *Person) clientDir() string {
	for _, name := range []string{"CLAUDE_CONFIG_DIR", "HOME", "USERPROFILE"} {
		if p.Env(name) != "" && p.variable(name) == "" {
			return ""
		}
	}
	dir, _ := install.ClientDir(p.Env)
	return dir
}

// notifyWay returns the command that notifies the person, or "". bell reports whether to ring the
// bell instead. Only the person's environment and CLAUDE.md can set a command. The project may come
// from a stranger, so it can choose only bell or off.
func (p *Person) notifyWay() (command string, bell bool) {
	way := cmp.Or(p.variable("HOOKS_NOTIFY"), config.User(p.clientDir()).Notify)
	switch cmp.Or(way, p.way) {
	case "bell":
		return "", true
	case "off":
		return "", false
	}
	return way, false
}

// syncWay returns the person's Sync command. A project's files cannot set it (T73).
func (p *Person) syncWay() string {
	return cmp.Or(p.variable("HOOKS_SYNC"), config.User(p.clientDir()).Sync)
}

// Queue stores events for the Sync command, which starts once the reply is printed. It does nothing
// if no command is configured.
func (p *Person) Queue(files *store.Store, list []loop.SyncEvent) error {
	if len(list) == 0 || p.syncWay() == "" {
		return nil
	}
	p.syncs = true
	return files.Queue(list)
}

// Later returns the function to run once the reply is printed, or nil. bell reports whether the
// reply rings the bell. Later reads the configuration only if a notice is queued.
func (p *Person) Later() (run func() error, bell bool) {
	command := ""
	if len(p.texts) > 0 {
		command, bell = p.notifyWay()
	}
	if command == "" && !p.syncs {
		return nil, bell
	}
	return func() (err error) {
		if command != "" {
			err = p.start("notify", DeliverWord, "",
				"HOOKS_TITLE="+report.Short(strings.Join(p.titles, "; ")),
				"HOOKS_TEXT="+strings.Join(p.texts, "; "))
		}
		if p.syncs {
			err = errors.Join(err, p.start("sync", SyncWord, ""))
		}
		return err
	}, bell
}

// start runs this program again, detached from the client, with in on its stdin.
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

// command splits a person's command line into words at blanks outside quotes, without a shell. It
// returns nil if the guard would refuse the command from an agent, because an agent may have
// written the person's configuration.
func command(way string) []string {
	cwd, _ := os.Getwd()
	if words := loop.SplitWords(way); len(words) > 0 && !toolcall.Forbidden(way, cwd) {
		return words
	}
	return nil
}

// Deliver runs the person's Notify command with the message in its environment and on its stdin. It
// stops the command after deliverTime.
func Deliver(env func(string) string) {
	way, _ := (&Person{Env: env, Project: env("HOOKS_PROJECT")}).notifyWay()
	if words := command(way); words != nil {
		// the process is detached, so its error cannot be shown
		_, _ = child.Run(context.Background(), child.Command{
			Args: words, In: env("HOOKS_TEXT") + "\n", Wait: deliverTime, Silent: true,
		})
	}
}

// Sync runs the person's Sync command once for each queued event, oldest first, with the event as
// one line of JSON on stdin. If the command exits with 0, the event is marked as sent. Otherwise
// this event and the later ones stay in the queue. After a crash an event may be sent twice, with
// the same key. Only one process sends at a time.
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
