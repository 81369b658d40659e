package app

import (
	"context"
	"encoding/json"
	"time"

	"hooks/internal/child"
	"hooks/internal/config"
	"hooks/internal/loop"
	"hooks/internal/store"
)

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
	if len(words) == 0 || forbidden(a.syncWay()) || !store.Exists(project) {
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
