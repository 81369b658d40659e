package app

import (
	"context"
	"testing"
	"time"

	"hooks/internal/loop"
	"hooks/internal/store"
)

// TestADriverLooksBetweenTwoChanges: a driver that looks at a run may complete a change that a kill
// interrupted, so it waits for the hook of a process that is still in the middle of one.
func TestADriverLooksBetweenTwoChanges(t *testing.T) {
	dir := t.TempDir()
	a := &App{Env: func(name string) string {
		return map[string]string{"CLAUDE_PROJECT_DIR": dir}[name]
	}}
	files, err := store.Create(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer files.Close()
	tx, err := files.Begin(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	looked := make(chan error, 1)
	go func() {
		_, err := (&driven{App: a, skill: loop.Tasks}).Next()
		looked <- err
	}()
	select {
	case <-looked:
		t.Fatal("it looked in the middle of a change")
	case <-time.After(200 * time.Millisecond):
	}
	if err := tx.End(); err != nil {
		t.Fatal(err)
	}
	if err := <-looked; err != nil {
		t.Error(err)
	}
}
