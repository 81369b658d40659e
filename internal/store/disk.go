package store

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"sync"
	"syscall"

	"github.com/natefinch/atomic"
)

const (
	dirMode  = 0o700
	fileMode = 0o600
	// maxState is the maximum size in bytes of a state file read into memory. It keeps a planted
	// file from exhausting a hook's memory.
	maxState = 1 << 20
	// nonblock is set for every file that disk opens. It keeps a hook from blocking on a pipe
	// planted in place of a file, and saves the four system calls that os makes to try to set a
	// file to non-blocking mode.
	nonblock = syscall.O_NONBLOCK
)

// disk performs all file operations in one folder. It holds the folder open as an os.Root, so no
// symlink can lead out of it. Each operation has a label, such as "rename work.budget.json", which
// a test can use to make it fail.
type disk struct {
	root  *os.Root
	shown string                   // the folder's path in error messages
	fail  func(label string) error // nil in the program
	dirty bool                     // names changed since the folder was last synced
}

// do performs an operation, or returns the error that a test injects.
func (d *disk) do(op, name string, do func() error) error {
	if d.fail != nil {
		if err := d.fail(op + " " + name); err != nil {
			return err
		}
	}
	return do()
}

// path returns a file's path for use in messages.
func (d *disk) path(name string) string {
	if d.shown == "" {
		return name
	}
	return d.shown + "/" + name
}

// stat returns an error if the file is not a regular file, even if it is a symlink to one. The
// error is fs.ErrNotExist if the file is missing.
func (d *disk) stat(name string) (fs.FileInfo, error) {
	info, err := d.root.Lstat(name)
	if err == nil && !info.Mode().IsRegular() {
		err = damage(d.path(name), "it is not a regular file")
	}
	return info, err
}

// reader opens a state file for reading. f is nil if the file is missing.
func (d *disk) reader(name string) (f *os.File, size int64, err error) {
	err = d.do("read", name, func() error {
		info, err := d.stat(name)
		if err == nil {
			size = info.Size()
			f, err = d.open(name, os.O_RDONLY)
		}
		return orAbsent(err) // another process may have removed the file since stat
	})
	if err != nil {
		err = fmt.Errorf("read %s: %w", d.path(name), err)
	}
	return f, size, err
}

// read returns the contents of a state file, or nil if the file is missing.
func (d *disk) read(name string) ([]byte, error) {
	f, size, err := d.reader(name)
	if f == nil {
		return nil, err
	}
	defer f.Close()
	var text bytes.Buffer
	text.Grow(int(min(size, maxState)) + bytes.MinRead) // enough for one read
	if _, err = text.ReadFrom(io.LimitReader(f, maxState+1)); err != nil {
		err = fmt.Errorf("read %s: %w", d.path(name), err)
	} else if text.Len() > maxState {
		err = fmt.Errorf("read %s: %w", d.path(name), damage(d.path(name), "it is over 1 MiB"))
	}
	return text.Bytes(), err
}

// orAbsent returns nil for fs.ErrNotExist and any other error unchanged.
func orAbsent(err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}

func (d *disk) open(name string, flag int) (f *os.File, err error) {
	err = patiently(func() error {
		f, err = d.root.OpenFile(name, flag|nonblock, fileMode)
		return err
	})
	return f, err
}

// create creates a new file with mode 0600. It fails if the name exists.
func (d *disk) create(name string) (f *os.File, err error) {
	err = d.do("create", name, func() error {
		const flag = os.O_WRONLY | os.O_CREATE | os.O_EXCL | nonblock
		f, err = d.root.OpenFile(name, flag, fileMode)
		if err != nil || runtime.GOOS == "windows" {
			return err
		}
		// The umask may also have cleared the owner's permission bits.
		if err = f.Chmod(fileMode); err != nil {
			_ = f.Close()
		}
		return err
	})
	return f, err
}

// write writes text in a single call. If a test injects a failure, it writes half of the text, as
// happens on a full disk.
func (d *disk) write(f *os.File, name string, text []byte) error {
	written := false
	err := d.do("write", name, func() error {
		written = true
		_, err := f.Write(text)
		return err
	})
	if !written {
		_, _ = f.Write(text[:len(text)/2])
	}
	return err
}

func (d *disk) sync(f *os.File, name string) error { return d.do("sync", name, f.Sync) }

func (d *disk) truncate(name string, size int64) error {
	return d.do("truncate", name, func() error {
		f, err := d.open(name, os.O_WRONLY)
		if err != nil {
			return err
		}
		return errors.Join(f.Truncate(size), f.Close())
	})
}

// change performs an operation that changes names in the folder.
func (d *disk) change(op, name string, change func() error) error {
	return d.do(op, name, func() error {
		d.dirty = true
		return patiently(change)
	})
}

func (d *disk) rename(from, to string) error {
	return d.change("rename", to, func() error { return d.root.Rename(from, to) })
}

func (d *disk) link(from, to string) error {
	return d.change("link", to, func() error { return d.root.Link(from, to) })
}

// remove deletes a file. A missing file is not an error.
func (d *disk) remove(name string) error {
	return orAbsent(d.change("remove", name, func() error { return d.root.Remove(name) }))
}

// folder opens a subfolder. If the subfolder is missing, folder creates it and syncs d.
func (d *disk) folder(name string) (*disk, error) {
	err := d.do("mkdir", name, func() error {
		err := d.root.Mkdir(name, dirMode)
		d.dirty = d.dirty || err == nil
		if err == nil && runtime.GOOS != "windows" { // see create
			err = d.root.Chmod(name, dirMode)
		}
		return err
	})
	if err == nil || errors.Is(err, fs.ErrExist) {
		err = d.syncDir()
	}
	if err != nil {
		return nil, err
	}
	root, err := d.root.OpenRoot(name)
	if err != nil {
		return nil, err
	}
	return &disk{root: root, shown: d.path(name), fail: d.fail}, nil
}

// syncDir makes name changes in the folder durable.
func (d *disk) syncDir() error {
	// Windows cannot sync a folder, but each file was already synced individually.
	if !d.dirty || runtime.GOOS == "windows" {
		return nil
	}
	return d.do("sync", "folder", func() error {
		f, err := d.open(".", os.O_RDONLY)
		if err != nil {
			return err
		}
		err = errors.Join(f.Sync(), f.Close())
		if err != nil && !errors.Is(err, syscall.EINVAL) &&
			!errors.Is(err, errors.ErrUnsupported) {
			return fmt.Errorf("sync folder: %w", err)
		}
		d.dirty = false
		return nil
	})
}

// temp returns a new hidden name for an unfinished file. A killed process may leave such a file
// behind; git ignores it.
func temp(name string) string {
	return "." + name + "-" + strconv.FormatUint(rand.Uint64(), 36) + ".tmp"
}

// draft is a complete file that still has a temporary name.
type draft struct {
	disk   *disk
	tmp    string
	to     string       // full path of the file to replace
	wait   func() error // syncs and closes the file, once
	placed bool
}

// begin writes text to a temporary file that will replace name.
func (d *disk) begin(name string, text []byte) (*draft, error) {
	tmp := temp(name)
	f, err := d.create(tmp)
	if err != nil {
		return nil, err
	}
	if err := d.write(f, name, text); err != nil {
		return nil, errors.Join(err, f.Close(), d.root.Remove(tmp))
	}
	wait := sync.OnceValue(func() error { return errors.Join(d.sync(f, name), f.Close()) })
	return &draft{disk: d, tmp: tmp, to: filepath.Join(d.root.Name(), name), wait: wait}, nil
}

// place syncs the file and atomically renames it to u.to, replacing any file there. It needs no
// os.Root, because the program chose both names and a rename replaces a symlink instead of
// following it.
func (u *draft) place() error {
	err := u.wait()
	if err == nil {
		err = u.disk.change("rename", filepath.Base(u.to), func() error {
			return atomic.ReplaceFile(filepath.Join(u.disk.root.Name(), u.tmp), u.to)
		})
	}
	u.placed = err == nil
	return err
}

func (u *draft) drop() {
	if !u.placed {
		_ = u.wait()
		_ = u.disk.remove(u.tmp)
	}
}

// replace atomically replaces the contents of a file. A reader sees either the old or the new
// contents (R112). The change is durable once the folder is synced.
func (d *disk) replace(name string, text []byte) error {
	if _, err := d.stat(name); orAbsent(err) != nil {
		return err
	}
	u, err := d.begin(name, text)
	if err != nil {
		return err
	}
	defer u.drop()
	return u.place()
}

// free returns the first unused name among name(1), name(2) and so on.
func (d *disk) free(name func(n int) string) (string, error) {
	for n := 1; ; n++ {
		switch _, err := d.root.Lstat(name(n)); {
		case errors.Is(err, fs.ErrNotExist):
			return name(n), nil
		case err != nil:
			return "", err
		}
	}
}
