package store

import (
	"bytes"
	"context"
	"errors"
	"path/filepath"
	"slices"

	"github.com/tidwall/gjson"

	"hooks/internal/codec"
	"hooks/internal/loop"
)

// Names of the event queue for a person's Sync command, and of its sender's lock file (T73).
const (
	syncName = "task.sync.jsonl"
	sendName = "task.sync.lock"
)

// maxQueued is the maximum queue length, including sent events. The oldest are dropped first.
const maxQueued = 500

// Queued is an event in the queue. Sent events stay in the queue so that they are not sent again.
type Queued struct {
	loop.SyncEvent
	Sent bool `json:"sent,omitempty"`
}

// events returns the queue, oldest first.
func (s *Store) events() (list []Queued) {
	text, _ := s.disk.read(syncName)
	for line := range bytes.Lines(text) {
		var e Queued
		read := gjson.ValidBytes(line) && codec.Decode(gjson.ParseBytes(line), &e) == nil
		if read && e.Key != "" {
			list = append(list, e)
		}
	}
	return list
}

// Unsent returns the events not yet sent, oldest first.
func (s *Store) Unsent() (list []loop.SyncEvent) {
	for _, e := range s.events() {
		if !e.Sent {
			list = append(list, e.SyncEvent)
		}
	}
	return list
}

// Queue adds the events whose key is new. The caller must hold the guard.
func (s *Store) Queue(list []loop.SyncEvent) error {
	all := s.events()
	before := len(all)
	for _, e := range list {
		if !slices.ContainsFunc(all, func(q Queued) bool { return q.Key == e.Key }) {
			all = append(all, Queued{SyncEvent: e})
		}
	}
	if len(all) == before {
		return nil
	}
	return s.keepEvents(all[max(0, len(all)-maxQueued):])
}

// Sent marks an event as sent. The caller must hold the guard.
func (s *Store) Sent(key string) error {
	all := s.events()
	for i := range all {
		all[i].Sent = all[i].Sent || all[i].Key == key
	}
	return s.keepEvents(all)
}

func (s *Store) keepEvents(list []Queued) error {
	var text []byte
	for _, e := range list {
		line, _ := codec.Encode(e) // strings always encode
		text = append(append(text, line...), '\n')
	}
	err := s.disk.replace(syncName, text)
	return wrap("keep sync events", errors.Join(err, s.settle()))
}

// Asker makes this process the only one that passes a run's questions to a person's command. Like
// Sender, it waits until an earlier process has ended.
func (s *Store) Asker(ctx context.Context, skill loop.Skill) (release func() error, ok bool) {
	return s.only(ctx, askerName.of(skill))
}

// Sender makes this process the only one that sends events. It waits until an earlier sender has
// ended; ok is false if ctx ends first.
func (s *Store) Sender(ctx context.Context) (release func() error, ok bool) {
	return s.only(ctx, sendName)
}

func (s *Store) only(ctx context.Context, name string) (release func() error, ok bool) {
	lock := lockFile(filepath.Join(s.disk.root.Name(), name))
	ok, err := lock.TryLockContext(ctx, guardPoll)
	return lock.Unlock, ok && err == nil
}
