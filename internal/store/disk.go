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
	"strings"
	"syscall"
	"time"

	"github.com/natefinch/atomic"
)

const (
	dirMode  = 0o700
	fileMode = 0o600
	// maxState bounds a state file, in bytes, so that no file put there can exhaust a hook.
	maxState = 1 << 20
	// nonblock is in the flags of every opening: a pipe that somebody put in a file's place must
	// not make a hook wait, and os tries to make any other file non-blocking with four more calls.
	nonblock = syscall.O_NONBLOCK
)

// disk is every operation on the files of one folder. The folder is held open, so no symlink leads
// out of it. Each operation has a label, such as "rename work.budget.json", by which a test makes
// it fail.
type disk struct {
	root  *os.Root
	shown string                   // the folder as errors name it
	fail  func(label string) error // nil in the program
	dirty bool                     // names changed since the last sync of the folder
}

func (d *disk) at(op, name string) error {
	if d.fail == nil {
		return nil
	}
	return d.fail(op + " " + name)
}

// path is a file's name as people read it.
func (d *disk) path(name string) string {
	if d.shown == "" {
		return name
	}
	return d.shown + "/" + name
}

// stat refuses anything but a regular file, a symlink too. Absent files give fs.ErrNotExist.
func (d *disk) stat(name string) (fs.FileInfo, error) {
	info, err := d.root.Lstat(name)
	if err == nil && !info.Mode().IsRegular() {
		err = damage(d.path(name), "it is not a regular file")
	}
	return info, err
}

// reader opens a state file for reading; it is nil when the file is absent.
func (d *disk) reader(name string) (f *os.File, size int64, err error) {
	if err := d.at("read", name); err != nil {
		return nil, 0, err
	}
	info, err := d.stat(name)
	if err == nil {
		f, err = d.open(name, os.O_RDONLY)
	}
	if err != nil {
		return nil, 0, orAbsent(err) // a lock may have been released since stat
	}
	return f, info.Size(), nil
}

// read is the text of a state file, nil when the file is absent.
func (d *disk) read(name string) ([]byte, error) {
	f, size, err := d.reader(name)
	if f == nil {
		return nil, err
	}
	defer f.Close()
	var text bytes.Buffer
	text.Grow(int(min(size, maxState)) + bytes.MinRead) // in one read
	_, err = text.ReadFrom(io.LimitReader(f, maxState+1))
	if err == nil && text.Len() > maxState {
		err = damage(d.path(name), "it is over 1 MiB")
	}
	return text.Bytes(), err
}

// orAbsent takes an absent file for no error.
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

// create makes a new file and never opens an existing one.
func (d *disk) create(name string) (*os.File, error) {
	if err := d.at("create", name); err != nil {
		return nil, err
	}
	f, err := d.root.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL|nonblock, fileMode)
	if err != nil || runtime.GOOS == "windows" {
		return f, err
	}
	// A umask may have taken more away than others' access.
	if err := f.Chmod(fileMode); err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return f, nil
}

// write writes everything with one call. A failure made by a test leaves half, as a full disk does.
func (d *disk) write(f *os.File, name string, text []byte) error {
	if err := d.at("write", name); err != nil {
		_, _ = f.Write(text[:len(text)/2])
		return err
	}
	_, err := f.Write(text)
	return err
}

func (d *disk) sync(f *os.File, name string) error {
	if err := d.at("sync", name); err != nil {
		return err
	}
	return f.Sync()
}

func (d *disk) truncate(name string, size int64) error {
	if err := d.at("truncate", name); err != nil {
		return err
	}
	f, err := d.open(name, os.O_WRONLY)
	if err != nil {
		return err
	}
	return errors.Join(f.Truncate(size), f.Close())
}

// change does something to the names in the folder.
func (d *disk) change(op, name string, do func() error) error {
	if err := d.at(op, name); err != nil {
		return err
	}
	d.dirty = true
	return patiently(do)
}

func (d *disk) rename(from, to string) error {
	return d.change("rename", to, func() error { return d.root.Rename(from, to) })
}

func (d *disk) link(from, to string) error {
	return d.change("link", to, func() error { return d.root.Link(from, to) })
}

// remove makes a file absent. An absent one is fine.
func (d *disk) remove(name string) error {
	return orAbsent(d.change("remove", name, func() error { return d.root.Remove(name) }))
}

// over puts a complete file in another's place. Both names are our own and plain, in a folder that
// was opened without leaving the project.
func (d *disk) over(tmp, name string) error {
	return d.moveTo(filepath.Join(d.root.Name(), name), tmp)
}

// moveTo moves a complete file to a path and replaces what is there. The library knows how each
// system does that in one step.
func (d *disk) moveTo(path, tmp string) error {
	return d.change("rename", filepath.Base(path), func() error {
		return atomic.ReplaceFile(filepath.Join(d.root.Name(), tmp), path)
	})
}

// mkdir makes a folder unless it exists.
func (d *disk) mkdir(name string) error {
	if err := d.at("mkdir", name); err != nil {
		return err
	}
	err := d.root.Mkdir(name, dirMode)
	if errors.Is(err, fs.ErrExist) {
		return nil
	}
	d.dirty = d.dirty || err == nil
	if err == nil && runtime.GOOS != "windows" { // see create
		err = d.root.Chmod(name, dirMode)
	}
	return err
}

// syncDir makes the folder's changed names durable, if any changed.
func (d *disk) syncDir() error {
	// Windows cannot sync a folder. Its files were synced one by one.
	if !d.dirty || runtime.GOOS == "windows" {
		return nil
	}
	if err := d.at("sync", "folder"); err != nil {
		return err
	}
	f, err := d.open(".", os.O_RDONLY)
	if err != nil {
		return err
	}
	err = errors.Join(f.Sync(), f.Close())
	if err != nil && !errors.Is(err, syscall.EINVAL) && !errors.Is(err, errors.ErrUnsupported) {
		return fmt.Errorf("sync folder: %w", err)
	}
	d.dirty = false
	return nil
}

// temp is a new name for an unfinished file. It is hidden, and the sweep knows it by its ends.
func temp(name string) string {
	return "." + name + "-" + strconv.FormatUint(rand.Uint64(), 36) + ".tmp"
}

func isTemp(name string) bool {
	return strings.HasPrefix(name, ".") && strings.HasSuffix(name, ".tmp")
}

// unfinished is a whole file under a temporary name, on its way to the disk.
type unfinished struct {
	disk      *disk
	tmp, name string
	f         *os.File
	synced    chan error // nil until the sync has begun
	placed    bool
}

// begin writes the text of an unfinished file.
func (d *disk) begin(name string, text []byte) (*unfinished, error) {
	tmp := temp(name)
	f, err := d.create(tmp)
	if err != nil {
		return nil, err
	}
	if err := d.write(f, name, text); err != nil {
		return nil, errors.Join(err, f.Close(), d.remove(tmp))
	}
	return &unfinished{disk: d, tmp: tmp, name: name, f: f}, nil
}

// ahead begins to sync the file while the caller does something else.
func (u *unfinished) ahead() {
	u.synced = make(chan error, 1)
	failed := u.disk.at("sync", u.name)
	go func() {
		if failed == nil {
			failed = u.f.Sync()
		}
		u.synced <- errors.Join(failed, u.f.Close())
	}()
}

// wait returns once the file is durable.
func (u *unfinished) wait() error {
	if u.synced == nil {
		err := errors.Join(u.disk.sync(u.f, u.name), u.f.Close())
		u.synced = make(chan error, 1)
		u.synced <- err
	}
	err := <-u.synced
	u.synced <- err
	return err
}

// place gives the durable file its name.
func (u *unfinished) place() error {
	err := u.wait()
	if err == nil {
		err = u.disk.over(u.tmp, u.name)
	}
	u.placed = err == nil
	return err
}

// drop removes a file that did not get its place. The sweep takes it if that fails.
func (u *unfinished) drop() {
	if u != nil && !u.placed {
		_ = u.wait()
		_ = u.disk.remove(u.tmp)
	}
}

// replace gives a file a new text. A reader sees the old one or the new one, whole (R112). The new
// one is durable once the folder is synced.
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

// free is the first name of a numbered row, from 1, that no file has.
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

// patiently repeats an operation that fails only because another process has the file open at this
// moment, as happens on Windows, for at most a quarter of a second.
func patiently(do func() error) error {
	err := do()
	for pause := time.Millisecond; transient(err) && pause < 128*time.Millisecond; pause *= 2 {
		time.Sleep(pause)
		err = do()
	}
	return err
}
