package install

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"
	"unicode"

	"github.com/gofrs/flock"
	"github.com/rogpeppe/go-internal/diff"
	"github.com/tidwall/gjson"
)

// Result is what became of a settings file.
type Result struct {
	Path    string // absolute
	Backup  string // the text before the registration, beside it; "" if there is none
	Diff    string // unified, without control characters; "" if nothing changed
	Removed bool   // the file is gone, as it was before
	Off     bool   // the file turns all hooks off
	Others  bool   // the file holds more than the program's entries
	Program string // that the entries start, of a registration
	Events  int    // that have an entry, of a registration
	Was     string // another binary that the entries started before; "" if there was none
}

// Install registers the program in the settings file, which is made if it is not there. A second time changes nothing.
// With dry, nothing is written.
func Install(path, program string, dry bool) (Result, error) {
	if err := mistyped(path); err != nil {
		return Result{}, err
	}
	was := otherProgram(legible(path), program)
	r, err := edit(path, dry, func(t texts) texts {
		text := ""
		if t.now != nil {
			text = *t.now
		}
		if _, bare := cutBOM(text); len(handlers(bare)) == 0 {
			t.before = t.now // whatever an earlier registration left is out of date
		}
		text = Add(text, program, t.before)
		t.now = &text
		return t
	})
	r.Program, r.Events, r.Was = program, len(entries(program)), was
	return r, err
}

// Uninstall takes the program out of the settings file. A file that the registration made is removed; otherwise only
// the program's own entries go, and if nothing else changed since, the file is as it was before, to the byte.
func Uninstall(path string, dry bool) (Result, error) {
	return edit(path, dry, func(t texts) texts {
		if t.now == nil {
			return t
		}
		text := Remove(*t.now, t.before)
		if text == *t.now {
			return t
		}
		if t.before != nil || !Empty(text) {
			return texts{now: &text}
		}
		return texts{}
	})
}

// mostTries bounds how often an edit starts over because another program wrote the file meanwhile.
const mostTries = 10

func edit(path string, dry bool, change func(texts) texts) (r Result, err error) {
	if !dry {
		defer serial()()
	}
	for range mostTries {
		if r, err = try(path, dry, change); !errors.Is(err, errChanged) {
			break
		}
	}
	if err != nil {
		return Result{}, fmt.Errorf("edit %s: %w", path, err)
	}
	return r, nil
}

func try(path string, dry bool, change func(texts) texts) (Result, error) {
	s, err := open(path)
	if err != nil {
		return Result{}, err
	}
	if s.now != nil {
		if err := Check(*s.now); err != nil {
			return Result{}, err
		}
	}
	next := change(s.texts)
	r := s.result(next)
	if dry || equal(s.now, next.now) {
		return r, nil
	}
	if err := s.save(next); err != nil {
		return Result{}, err
	}
	if r.Removed {
		tidy(path)
	}
	return r, nil
}

func (s *settings) result(next texts) Result {
	r := Result{Path: s.path, Removed: s.now != nil && next.now == nil, Others: s.now != nil && !Empty(Remove(*s.now, nil))}
	if next.before != nil {
		r.Backup = s.backup()
	}
	old, oldName := side(s.now, s.path)
	text, name := side(next.now, s.path)
	_, bare := cutBOM(text)
	r.Off = gjson.Get(bare, "disableAllHooks").Bool()
	r.Diff = shown(string(diff.Diff(oldName, []byte(old), name, []byte(text))))
	return r
}

func side(text *string, path string) (string, string) {
	if text == nil {
		return "", os.DevNull
	}
	return *text, path
}

// shown is a diff for a terminal: a settings file of a repository is foreign text.
func shown(text string) string {
	return strings.Map(func(r rune) rune {
		if r != '\n' && r != '\t' && (unicode.IsControl(r) || unicode.Is(unicode.Bidi_Control, r)) {
			return -1
		}
		return r
	}, text)
}

// mostWait is how long an edit waits for another one.
const mostWait = 10 * time.Second

// serial lets one edit of this user run at a time. Where no lock can be had the comparison before the rename stands
// alone; it also is all there is against programs that know nothing of the lock.
func serial() (release func()) {
	dir, err := os.UserCacheDir()
	if err == nil {
		err = os.MkdirAll(filepath.Join(dir, "hooks"), 0o700)
	}
	if err != nil {
		return func() {}
	}
	lock := flock.New(filepath.Join(dir, "hooks", "install.lock"))
	ctx, cancel := context.WithTimeout(context.Background(), mostWait)
	defer cancel()
	_, _ = lock.TryLockContext(ctx, 5*time.Millisecond)
	return func() { _ = lock.Unlock() }
}
