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

	"github.com/natefinch/atomic"
)

const (
	dirMode  = 0o700
	fileMode = 0o600
	// maxState bounds a state file, so that no file put there can exhaust a hook.
	maxState = 1 << 20
)

// disk is every operation on the files of one folder. The folder is held open, so no symlink leads out of it. Each
// operation has a label, such as "rename work.budget.json", by which a test makes it fail.
type disk struct {
	root  *os.Root
	shown string                   // the folder as errors name it
	fail  func(label string) error // nil in the program
	dirty bool                     // names changed since the last syncDir
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

// regular is a file's size; anything else than a file, a symlink too, is refused. Absent files give fs.ErrNotExist.
func (d *disk) regular(name string) (int64, error) {
	info, err := d.root.Lstat(name)
	if err != nil {
		return 0, err
	}
	if !info.Mode().IsRegular() {
		return 0, &DamagedError{Path: d.path(name), Why: "it is not a regular file"}
	}
	return info.Size(), nil
}

// read is the text of a state file, nil when there is none.
func (d *disk) read(name string) ([]byte, error) {
	if err := d.at("read", name); err != nil {
		return nil, err
	}
	size, err := d.regular(name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	} else if err != nil {
		return nil, err
	}
	var f *os.File
	err = patiently(func() (err error) { f, err = d.root.OpenFile(name, os.O_RDONLY|syscall.O_NONBLOCK, 0); return err })
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil // removed since: a lock that was just released
	} else if err != nil {
		return nil, err
	}
	defer f.Close()
	var text bytes.Buffer
	text.Grow(int(min(size, maxState)) + bytes.MinRead) // in one read
	_, err = text.ReadFrom(io.LimitReader(f, maxState+1))
	if err == nil && text.Len() > maxState {
		err = &DamagedError{Path: d.path(name), Why: "it is over 1 MiB"}
	}
	return text.Bytes(), err
}

// create makes a new file and never opens an existing one.
func (d *disk) create(name string) (*os.File, error) {
	if err := d.at("create", name); err != nil {
		return nil, err
	}
	f, err := d.root.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, fileMode)
	if err != nil || runtime.GOOS == "windows" {
		return f, err
	}
	if err := f.Chmod(fileMode); err != nil { // a umask may have taken more away than others' access
		return nil, errors.Join(err, f.Close())
	}
	return f, nil
}

// write writes everything with one call. A made failure leaves half of it, as a full disk does.
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

func (d *disk) truncate(f *os.File, name string, size int64) error {
	if err := d.at("truncate", name); err != nil {
		return err
	}
	return f.Truncate(size)
}

func (d *disk) rename(from, to string) error {
	if err := d.at("rename", to); err != nil {
		return err
	}
	d.dirty = true
	return patiently(func() error { return d.root.Rename(from, to) })
}

func (d *disk) link(from, to string) error {
	if err := d.at("link", to); err != nil {
		return err
	}
	d.dirty = true
	return d.root.Link(from, to)
}

// remove makes a file absent; an absent one is fine.
func (d *disk) remove(name string) error {
	if err := d.at("remove", name); err != nil {
		return err
	}
	d.dirty = true
	err := patiently(func() error { return d.root.Remove(name) })
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
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
	if err == nil && runtime.GOOS != "windows" { // a umask may have taken more away than others' access
		err = d.root.Chmod(name, dirMode)
	}
	return err
}

// syncDir makes the folder's changed names durable, if any changed.
func (d *disk) syncDir() error {
	if !d.dirty || runtime.GOOS == "windows" { // Windows cannot sync a folder; its files were synced one by one
		return nil
	}
	if err := d.at("sync", "folder"); err != nil {
		return err
	}
	f, err := d.root.Open(".")
	if err != nil {
		return err
	}
	defer f.Close()
	err = f.Sync()
	if err == nil || errors.Is(err, syscall.EINVAL) || errors.Is(err, errors.ErrUnsupported) {
		d.dirty = false
		return nil
	}
	return fmt.Errorf("sync folder: %w", err)
}

// temp is a new name for an unfinished file: hidden, and known to the sweep by its ends.
func temp(name string) string {
	return "." + name + "-" + strconv.FormatUint(rand.Uint64(), 36) + ".tmp"
}

func isTemp(name string) bool {
	return strings.HasPrefix(name, ".") && strings.HasSuffix(name, ".tmp")
}

// complete writes a whole, durable file under a new temporary name.
func (d *disk) complete(name string, text []byte) (tmp string, err error) {
	tmp, f, err := d.start(name, text)
	if err != nil {
		return tmp, err
	}
	if err = errors.Join(d.sync(f, name), f.Close()); err != nil {
		_ = d.remove(tmp) // the sweep takes it if this fails too
	}
	return tmp, err
}

// start is complete but for the sync.
func (d *disk) start(name string, text []byte) (tmp string, f *os.File, err error) {
	tmp = temp(name)
	if f, err = d.create(tmp); err != nil {
		return "", nil, err
	}
	if err = d.write(f, name, text); err != nil {
		_ = errors.Join(f.Close(), d.remove(tmp))
	}
	return tmp, f, err
}

// unfinished is a whole file under a temporary name that is being made durable.
type unfinished struct {
	disk      *disk
	tmp, name string
	synced    chan error
}

// begin is replace up to the sync, which it does not wait for.
func (d *disk) begin(name string, text []byte) (*unfinished, error) {
	tmp, f, err := d.start(name, text)
	if err != nil {
		return nil, err
	}
	u := &unfinished{d, tmp, name, make(chan error, 1)}
	failed := d.at("sync", name)
	go func() { u.synced <- errors.Join(failed, f.Sync(), f.Close()) }()
	return u, nil
}

// end waits for the sync and gives the file its name.
func (u *unfinished) end() error {
	err := <-u.synced
	if err == nil {
		err = u.disk.over(u.tmp, u.name)
	}
	if err != nil {
		_ = u.disk.remove(u.tmp)
	}
	return err
}

// replace gives a file a new text: a reader sees the old one or the new one, whole (R112). It is durable once the
// folder is synced.
func (d *disk) replace(name string, text []byte) error {
	if _, err := d.regular(name); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	tmp, err := d.complete(name, text)
	if err != nil {
		return err
	}
	if err = d.over(tmp, name); err != nil {
		_ = d.remove(tmp)
	}
	return err
}

// over puts a complete file in another's place. The library knows how each system does that in one step; both names
// are our own and plain, in a folder that was opened without leaving the project.
func (d *disk) over(tmp, name string) error {
	if err := d.at("rename", name); err != nil {
		return err
	}
	d.dirty = true
	return patiently(func() error {
		return atomic.ReplaceFile(filepath.Join(d.root.Name(), tmp), filepath.Join(d.root.Name(), name))
	})
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
