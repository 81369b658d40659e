package ledger

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/gofrs/flock"

	"hooks/internal/hint"
	"hooks/internal/markdown"
	"hooks/internal/safefile"
)

const (
	lockWait = 10 * time.Second
	lockPoll = 3 * time.Millisecond
	maxEnd   = 1 << 20 // bytes read from the end of a ledger; a section is far shorter
)

// Append adds a turn with an empty feedback section to a ledger (L1, L28). A crash leaves either
// the old contents or the new, and two concurrent appends keep both turns. Append reads only the
// end of the ledger; the kernel copies the rest.
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

// lock excludes other appends in the ledger's folder. The kernel releases it if the process dies.
func lock(path string) (unlock func() error, err error) {
	dir := filepath.Dir(path)
	l := flock.New(dir, flock.SetFlag(os.O_RDONLY))
	if runtime.GOOS == "windows" { // a folder cannot be locked on Windows
		l = flock.New(filepath.Join(dir, ".ledger.lock"))
	}
	ctx, cancel := context.WithTimeout(context.Background(), lockWait)
	defer cancel()
	_, err = l.TryLockContext(ctx, lockPoll)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		_, _, err = open(path) // its hint names the command that creates a ledger
		return nil, err
	case errors.Is(err, context.DeadlineExceeded):
		return nil, hint.New("try again", "another append in %s is still running after %s",
			dir, lockWait)
	}
	return l.Unlock, err
}

// add atomically replaces a ledger with a copy that ends with the turn.
func add(path, turn string) error {
	old, info, err := open(path)
	if err != nil {
		return err
	}
	defer old.Close()
	size := info.Size()
	text := make([]byte, min(size, maxEnd))
	_, err = old.ReadAt(text, size-int64(len(text)))
	if err != nil && !errors.Is(err, io.EOF) {
		return err
	}
	end := string(text)
	if !closed(end, size <= maxEnd) {
		return hint.New("find the line with `hooks ledger lint "+path+"`, fix it, and append again",
			"the last turn of %s is not closed", path)
	}
	added, err := extend(end, turn)
	if err != nil {
		return err
	}
	whole := io.MultiReader(old, strings.NewReader(added))
	return safefile.Replace(path, info.Mode().Perm(), whole, func() error {
		now, err := os.Lstat(path)
		if err != nil {
			return err
		}
		if !os.SameFile(now, info) || now.Size() != info.Size() || now.ModTime() != info.ModTime() {
			return errors.New("the ledger changed during the append, so nothing was written")
		}
		return nil
	})
}

// closed reports whether a turn may be appended to a ledger with the given end. whole reports
// whether end is the whole ledger, which may have no turn yet.
func closed(end string, whole bool) bool {
	// usually, the last section has its separator, and nothing follows it
	if at := strings.LastIndex("\n"+end, "\n"+heading); at >= 0 {
		last := parse(split(end[at:]), 0)
		if len(last) == 1 && last[0].Section == 1 && last[0].Separator > 0 {
			return true
		}
	}
	if !whole {
		return false
	}
	turns := Parse(end)
	// An open comment or code block would swallow the next turn.
	opens := len(Parse(end+"\n\nNext.\n\n"+Block)) == len(turns)+1
	return opens && (len(turns) == 0 || turns[len(turns)-1].Separator > 0)
}

// extend returns what a turn adds to a closed ledger with the given end: a blank line, the turn and
// the feedback block, with the ledger's line endings (L1, L12, L29). It refuses an empty turn, one
// with a feedback section (L27), and one that would hide the block.
func extend(end, turn string) (string, error) {
	turn = strings.ReplaceAll(strings.TrimPrefix(turn, "\ufeff"), "\r\n", "\n")
	turn = trim(turn)
	if err := check(turn); err != nil {
		return "", err
	}
	added := turn + "\n\n" + Block
	switch {
	case strings.Trim(end, "\ufeff\r\n") == "":
	case !strings.HasSuffix(end, "\n"):
		added = "\n\n" + added
	case !strings.HasSuffix(strings.ReplaceAll(end, "\r", ""), "\n\n"):
		added = "\n" + added
	}
	if at := strings.LastIndexByte(end, '\n'); at > 0 && end[at-1] == '\r' {
		added = strings.ReplaceAll(added, "\n", "\r\n")
	}
	return added, nil
}

// check returns an error if the text is not exactly one turn of a ledger.
func check(turn string) error {
	if turn == "" {
		return hint.New("pass the turn on stdin: `hooks ledger append FILE < turn.md`",
			"the turn is empty")
	}
	if !utf8.ValidString(turn) {
		return hint.New("write the turn as UTF-8", "the turn is not UTF-8")
	}
	for l := range markdown.Lines(turn) {
		if isFeedback(l) {
			return hint.New("leave the section out; an empty one is added for a person to fill in",
				"line %d of the turn: %s: a turn must not contain a `%s` section",
				l.No, BodyFeedback, heading)
		}
	}
	lines := split(turn + "\n\n" + Block)
	turns := parse(lines, 0)
	switch n := len(turns); {
	case n == 0 || turns[n-1].Separator != len(lines)-1 || turns[n-1].Feedback != "":
		return hint.New("close every ``` and <!-- in the turn",
			"the turn leaves a code block or a comment open, which would hide its feedback section")
	case n > 1:
		return hint.New("append one turn at a time",
			"line %d of the text begins a second turn", turns[1].Line)
	}
	return nil
}
