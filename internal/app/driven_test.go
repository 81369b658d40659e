package app

import (
	"context"
	"errors"
	"testing"
	"time"

	"hooks/internal/drive"
	"hooks/internal/store"
)

// TestADriverLooksBetweenTwoChanges: a driver that looks at a run may complete a change that a kill
// interrupted, so it waits for the hook of a process that is still in the middle of one.
func TestADriverLooksBetweenTwoChanges(t *testing.T) {
	d, tx := busy(t)
	looked := make(chan error, 1)
	go func() {
		_, err := d.Next()
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

// A change that takes long, as on a slow disk, is waited for. It does not end the run.
func TestADriverWaitsForALongChange(t *testing.T) {
	t.Parallel()
	d, tx := busy(t)
	o, err := d.Next()
	if err != nil || o.Do != drive.Wait {
		t.Errorf("%+v, %v", o, err)
	}
	if err := tx.End(); err != nil {
		t.Error(err)
	}
}

// So is one that is under way as a process ends.
func TestAnEndWaitsForALongChange(t *testing.T) {
	t.Parallel()
	d, tx := busy(t)
	ended := make(chan error, 1)
	go func() {
		_, err := d.Ended(drive.Verdict{Kind: drive.Ended})
		ended <- err
	}()
	time.Sleep(2500 * time.Millisecond) // more than one hook waits
	if err := errors.Join(tx.End(), <-ended); err != nil {
		t.Error(err)
	}
}

// busy is the driver of a project whose state somebody changes.
func busy(t *testing.T) (*driven, *store.Tx) {
	t.Helper()
	dir := t.TempDir()
	a := New(func(name string) string {
		return map[string]string{"CLAUDE_PROJECT_DIR": dir}[name]
	})
	files, err := store.Create(dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(files.Close)
	tx, err := files.Begin(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	return &driven{App: a, skill: "task"}, tx
}
