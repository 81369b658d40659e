package ledgerfile

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"time"

	"github.com/gofrs/flock"

	"hooks/internal/hint"
	"hooks/internal/ledger"
	"hooks/internal/safefile"
)

const (
	lockWait  = 10 * time.Second
	lockPoll  = 3 * time.Millisecond
	firstRead = 16 << 10 // bytes of a ledger's end that are read at first
)

// Append adds a turn with an empty feedback section to a ledger (L1, L28). A crash leaves the old
// text or the new one, whole, and two appends at once leave both turns. Only the end of the ledger
// is read; the system copies the rest.
func Append(path, turn string) error {
	path, err := Check(path)
	if err != nil {
		return err
	}
	unlock, err := lock(path)
	if err != nil {
		return err
	}
	return errors.Join(add(path, turn), unlock())
}

// lock keeps other appends in the ledger's folder out. The kernel frees it when the process dies.
func lock(path string) (unlock func() error, err error) {
	dir := filepath.Dir(path)
	l := flock.New(dir, flock.SetFlag(os.O_RDONLY))
	if runtime.GOOS == "windows" { // where a folder cannot be locked
		l = flock.New(filepath.Join(dir, ".ledger.lock"))
	}
	ctx, cancel := context.WithTimeout(context.Background(), lockWait)
	defer cancel()
	_, err = l.TryLockContext(ctx, lockPoll)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		_, _, err = open(path) // whose hint names the command that makes it
		return nil, err
	case errors.Is(err, context.DeadlineExceeded):
		return nil, hint.New("try again", "another append to %s takes over %s", dir, lockWait)
	}
	return l.Unlock, err
}

func add(path, turn string) error {
	old, info, err := open(path)
	if err != nil {
		return err
	}
	defer old.Close()
	end, closed, err := endOf(old, info.Size())
	if err != nil {
		return err
	}
	if !closed {
		return hint.New("`hooks ledger lint "+path+"` names the line; mend it, then append again",
			"the last turn of %s is not closed", path)
	}
	added, err := ledger.Append(end, turn)
	if err != nil {
		return err
	}
	return replace(path, old, info, added)
}

// endOf reads as much of a ledger's end as shows whether its last turn is closed.
func endOf(f io.ReaderAt, size int64) (end string, closed bool, err error) {
	for n := min(size, firstRead); ; n = min(size, 8*n) {
		if n > MaxSize {
			return "", false, fmt.Errorf("no end of a turn in the last %d MiB", MaxSize>>20)
		}
		text := make([]byte, n)
		if _, err := f.ReadAt(text, size-n); err != nil && !errors.Is(err, io.EOF) {
			return "", false, err
		}
		closed, known := ledger.Closed(string(text), n == size)
		if known {
			return string(text), closed, nil
		}
	}
}

// errChanged means that another program wrote the ledger meanwhile.
var errChanged = errors.New("the ledger changed while the turn was added; nothing was written")

// replace puts a copy of a ledger with a longer text in its place.
func replace(path string, old *os.File, info fs.FileInfo, added string) error {
	text := io.MultiReader(old, strings.NewReader(added))
	return safefile.Replace(path, info.Mode().Perm(), text, func() error {
		now, err := os.Lstat(path)
		if err != nil {
			return err
		}
		if !os.SameFile(now, info) || now.Size() != info.Size() || now.ModTime() != info.ModTime() {
			return errChanged
		}
		return nil
	})
}
