package app

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
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

// DeliverWord is the program's first argument when it runs a person's command for itself, detached
// from the client.
const DeliverWord = "deliver"

// deliverTime bounds how long that command may run.
const deliverTime = 10 * time.Second

// notification is one thing that a person who looks elsewhere is notified of.
type notification struct {
	title, text string
	way         string // the project's
}

// notice keeps a notice until the reply is printed. Its text ends with the next step, so only the
// words before that are shortened.
func (h *handler) notice(t *loopState, n loop.Notice) {
	title, text := "hooks: a question waits for you", ""
	next := "answer in the session's dialog"
	if n.Gate != nil {
		text = fmt.Sprintf("[%s] %s", n.Gate.Name, n.Gate.Question)
	} else {
		title = fmt.Sprintf("hooks: the %s loop has %s", n.Run.Skill, n.Run.Status)
		text, next = report.StopLine(n.Run), report.Next(n.Run, t.Elsewhere())
	}
	text = report.Short(text) + " — next: " + report.Short(next)
	h.notices = append(h.notices, notification{
		title, text, strings.ToLower(h.config(t).Notify),
	})
}

// notify puts the notices into the answer, in the way that the person wants. Without notices it
// reads nothing.
func (h *handler) notify(answer *Answer) {
	if h.syncs {
		defer func() {
			before := answer.Notify
			answer.Notify = func() error {
				if before == nil {
					return h.startSync()
				}
				return errors.Join(before(), h.startSync())
			}
		}()
	}
	if len(h.notices) == 0 {
		return
	}
	way := h.notifyWay(h.notices[0].way)
	switch {
	case way == "bell" && h.attended():
		answer.Reply = answer.Reply.Ring()
	case way == "bell":
		answer.Notify = ringTerminal
	case way != "" && way != "off":
		answer.Notify = func() error { return h.deliver(h.notices) }
	}
}

// notifyWay is "bell", "off", a command, or nothing. A project may come from anybody, so its own
// configuration can choose bell and off, never a command.
func (a *App) notifyWay(project string) string {
	if way := a.ownWay(); way != "" {
		return way
	}
	if project == "bell" || project == "off" {
		return project
	}
	return ""
}

// ownWay is the person's own choice, from the environment, else from their CLAUDE.md.
func (a *App) ownWay() string {
	if way := strings.TrimSpace(a.Env("HOOKS_NOTIFY")); way != "" {
		return way
	}
	return config.User(a.clientDir()).Notify
}

// clientDir is where the client keeps the person's own configuration.
func (a *App) clientDir() string {
	dir, err := install.ClientDir(a.Env)
	if err != nil {
		return ""
	}
	return dir
}

// ringTerminal sounds the bell of the terminal that this process belongs to, because a headless
// client draws nothing.
func ringTerminal() error {
	tty, err := os.OpenFile("/dev/tty", os.O_WRONLY, 0)
	if err != nil {
		return nil
	}
	_, err = tty.WriteString("\a")
	return errors.Join(err, tty.Close())
}

// deliver has the command run with the texts of all notices.
func (h *handler) deliver(list []notification) error {
	var title, text []string
	for _, n := range list {
		title, text = loop.AppendNew(title, n.title), append(text, n.text)
	}
	return h.startDetached("notify", DeliverWord,
		"HOOKS_TITLE="+report.Short(strings.Join(title, "; ")),
		"HOOKS_TEXT="+strings.Join(text, "; "))
}

// startDetached starts this program once more, detached from the client, which does not wait for
// it.
func (h *handler) startDetached(what, word string, env ...string) error {
	program, err := os.Executable()
	if err != nil {
		return fmt.Errorf("%s: %w", what, err)
	}
	cmd := exec.Command(program, word)
	cmd.Env = append(append(os.Environ(), env...), "HOOKS_PROJECT="+h.project)
	detach(cmd)
	if err := cmd.Start(); err != nil {
		return fmt.Errorf("%s: %w", what, err)
	}
	return cmd.Process.Release()
}

// Deliver runs the person's command, with the text in its environment and on its stdin, and ends
// it when it takes too long. No shell reads the text; the command's words are split at blanks,
// and quotes keep words together. A command that the guard would refuse an agent is not run,
// because something may have written it where only the person writes.
func (a *App) Deliver() {
	way := a.ownWay()
	words := loop.SplitWords(way)
	if len(words) == 0 || way == "bell" || way == "off" || toolcall.Forbidden(way, a.cwd()) {
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), deliverTime)
	defer cancel()
	cmd := exec.CommandContext(ctx, words[0], words[1:]...)
	cmd.Stdin = strings.NewReader(a.Env("HOOKS_TEXT") + "\n")
	cmd.WaitDelay = time.Second
	ownGroup(cmd)
	_ = cmd.Run() // no one reads its error
}

// SyncWord is the program's first argument when it sends a task loop's events for itself, detached
// from the client.
const SyncWord = "sync"

// syncTime bounds one run of a person's Sync command.
const syncTime = 30 * time.Second

// syncWay is the person's own Sync command; a project's files never name one (T73).
func (a *App) syncWay() string {
	if way := a.Env("HOOKS_SYNC"); way != "" {
		return way
	}
	return config.User(a.clientDir()).Sync
}

// queue keeps events for the Sync command, which is started once the reply is printed. Without a
// command nothing is kept.
func (h *handler) queue(list []loop.SyncEvent) error {
	if h.syncWay() == "" {
		return nil
	}
	h.syncs = true
	return h.files.Queue(list)
}

// startSync has what is queued sent.
func (h *handler) startSync() error { return h.startDetached("sync", SyncWord) }

// Sync sends the queued events, oldest first, each to one run of the person's command: one JSON
// object and a line break on its stdin. An event whose command exits with 0 is sent and never
// again; at another one the rest waits for the next time. A crash in between sends one twice, with
// the same key. Only one process sends.
func (a *App) Sync() {
	project := a.Env("HOOKS_PROJECT")
	words := loop.SplitWords(a.syncWay())
	if len(words) == 0 || toolcall.Forbidden(a.syncWay(), a.cwd()) || !store.Exists(project) {
		return
	}
	files, err := store.Open(project)
	if err != nil {
		return
	}
	h := &handler{App: a, now: a.now(), project: project, files: files}
	ctx, cancel := context.WithTimeout(context.Background(), syncTime)
	defer cancel()
	release, first := files.Sender(ctx)
	if !first {
		return
	}
	defer func() { _ = release() }()
	for {
		list := files.Unsent()
		if len(list) == 0 {
			return
		}
		text, _ := json.Marshal(list[0])
		_, err := child.Run(context.Background(), child.Command{
			Dir: project, Args: words, In: string(text) + "\n", Wait: syncTime,
			Last: true, Most: 4096,
		})
		if err != nil {
			return
		}
		if h.withStateLock(func() error { return files.Sent(list[0].Key) }) != nil {
			return
		}
	}
}
