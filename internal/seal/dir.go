package seal

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/natefinch/atomic"
	"github.com/tidwall/gjson"

	"hooks/internal/safefile"
)

// maxRecord is the maximum size of a record in bytes. It leaves room for the largest files of every
// kind of loop, including their new contents during a change.
const maxRecord = 64 << 20

// ErrUnwritable is returned if this process cannot write to the user's state directory, for example
// in the client's sandbox.
var ErrUnwritable = errors.New("cannot write to the user's state directory")

// Dir is the user's state directory. The zero value has no path, so lookups find nothing and saving
// fails.
//
// A record is in on/ while a loop governs its session, and in off/ otherwise, so that a later
// --resume can be checked against it. A save appends a note about the change to the record's file
// in one write, or replaces the file. Neither is synced, so records survive the death of any
// process, but not a machine crash.
type Dir struct {
	path string
	last *parsed
}

// parsed caches the record that was last read or written, and its file info, because one event
// reads the same record several times.
type parsed struct {
	path   string
	file   fs.FileInfo
	whole  bool // whether a note can be appended
	record *Record
}

// At returns the state directory at path. An empty path means no directory.
func At(path string) Dir { return Dir{path, new(parsed)} }

// Path returns the directory's path, or "" for the zero value.
func (d Dir) Path() string { return d.path }

func (d Dir) off(session string) string { return filepath.Join(d.path, "off", FileName(session)) }

// Active returns the session's record if a loop governs the session, and nil otherwise. It is the
// only lookup that every event in a session without a loop pays for.
func (d Dir) Active(session string) (r *Record, err error) {
	if d.path != "" && session != "" {
		r, _, err = d.read(SwitchPath(d.path, session), session)
	}
	return r, err
}

// Record returns the record with that file name if a loop governs its session, and nil otherwise.
func (d Dir) Record(name string) (r *Record, err error) {
	if d.path != "" {
		r, _, err = d.read(SwitchPath(d.path, name), "")
	}
	return r, err
}

// Find returns a session's record, even if no loop governs the session, or nil if there is none.
func (d Dir) Find(session string) (*Record, error) {
	r, err := d.Active(session)
	if r == nil && err == nil && d.path != "" && session != "" {
		r, _, err = d.read(d.off(session), session)
	}
	return r, err
}

// Of returns the records of all sessions in a project, as matched by Adopt. It skips unreadable
// records and joins their errors, except those of records that name another project.
func (d Dir) Of(project string) ([]*Record, error) {
	list, err := d.all(project)
	return slices.DeleteFunc(list, func(r *Record) bool { return !r.Adopt(project) }), err
}

// RecordOf returns the record that contains a run, in any project, or nil if there is none.
func (d Dir) RecordOf(run string) (record *Record) {
	list, _ := d.all("")
	for _, r := range list {
		if slices.ContainsFunc(r.Loops, func(l Loop) bool { return l.RunID == run }) {
			record = r
		}
	}
	return record
}

// Projects returns the projects that have records, sorted. It skips unreadable records and joins
// their errors.
func (d Dir) Projects() (projects []string, err error) {
	list, err := d.all("")
	for _, r := range list {
		projects = append(projects, r.Project)
	}
	slices.Sort(projects)
	return slices.Compact(projects), err
}

// all returns every session's record. It joins the errors of unreadable records, except those of
// other projects if project is not empty.
func (d Dir) all(project string) (list []*Record, _ error) {
	if d.path == "" {
		return nil, nil
	}
	seen := map[string]bool{}
	var errs []error
	for _, folder := range []string{"on", "off"} {
		entries, err := os.ReadDir(filepath.Join(d.path, folder))
		if err != nil && !absent(err) {
			errs = append(errs, err)
		}
		for _, e := range entries {
			path := filepath.Join(d.path, folder, e.Name())
			if strings.HasPrefix(e.Name(), ".") {
				sweep(path, e)
				continue
			}
			if seen[e.Name()] {
				continue
			}
			r, of, err := d.read(path, "")
			seen[e.Name()] = r != nil || err != nil
			switch {
			case r != nil:
				list = append(list, r)
			case err == nil: // left empty by a power cut
				sweep(path, e)
			case project == "" || of == "" || (&Record{Project: of}).Adopt(project):
				errs = append(errs, err)
			}
		}
	}
	return list, errors.Join(errs...)
}

// litterAge is how old an unfinished record must be to count as abandoned.
const litterAge = time.Minute

// sweep removes an unfinished or empty record that a crash left behind.
func sweep(path string, e fs.DirEntry) {
	if info, err := e.Info(); err == nil && time.Since(info.ModTime()) > litterAge {
		_ = os.Remove(path)
	}
}

func absent(err error) bool {
	return errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR)
}

// orAbsent returns nil if err means that a file is missing, and err otherwise.
func orAbsent(err error) error {
	if absent(err) {
		return nil
	}
	return err
}

// read returns the record in a file, or nil if the file is missing. An empty session matches any
// record. If the record cannot be read, project is the project that it names, if any.
func (d Dir) read(path, session string) (r *Record, project string, err error) {
	if d.last.path == path && (session == "" || session == d.last.record.Session) {
		if info, err := os.Lstat(path); err == nil && same(info, d.last.file) {
			return d.last.record.clone(), "", nil
		}
	}
	f, info, err := safefile.Open(path)
	if absent(err) {
		return nil, "", nil
	} else if err != nil {
		return nil, "", fmt.Errorf("read record: %w", err)
	}
	defer f.Close()
	body := make([]byte, min(info.Size(), maxRecord+1))
	_, err = io.ReadFull(f, body)
	text, whole := string(body), false
	switch {
	case err != nil:
	case len(text) > maxRecord:
		err = errDamaged
	case strings.Trim(text, "\x00") == "": // a power cut leaves an empty file or zeros
		return nil, "", nil
	default:
		r, whole, err = decode(text)
	}
	if err == nil && session != "" && r.Session != session {
		err = errDamaged // two sessions have the same file name
	}
	if err == nil {
		*d.last = parsed{path, info, whole, r.clone()}
		return r, "", nil
	}
	// without a closing quote, the value was cut off
	if of := gjson.Get(text, "project"); strings.HasSuffix(of.Raw, `"`) {
		project = of.Str
	}
	return nil, project, fmt.Errorf("read record %s: %w", path, err)
}

// same reports whether info describes the same, unmodified file as before.
func same(info, before fs.FileInfo) bool {
	return os.SameFile(info, before) && info.Size() == before.Size() &&
		info.ModTime().Equal(before.ModTime())
}

// Save writes a record to on/ or off/, or removes it if it has no loops. A crash leaves either the
// old or the new record. If the directory cannot be written, the error is ErrUnwritable.
func (d Dir) Save(r *Record) error {
	if d.path == "" {
		return ErrUnwritable
	}
	on := SwitchPath(d.path, r.Session)
	if len(r.Loops) == 0 {
		off := d.off(r.Session)
		return writable(errors.Join(orAbsent(os.Remove(on)), orAbsent(os.Remove(off))))
	}
	if r.On() && d.append(on, r) {
		return nil
	}
	text, err := r.encode()
	if err != nil {
		return err
	}
	info, err := replace(on, text)
	if err != nil {
		return writable(err)
	}
	*d.last = parsed{on, info, true, r.clone()}
	off := d.off(r.Session)
	if r.On() {
		_ = os.Remove(off) // the record in on/ takes precedence
		return nil
	}
	if err := os.MkdirAll(filepath.Dir(off), 0o700); err != nil {
		return writable(err)
	}
	return writable(os.Rename(on, off))
}

// append adds a note about the change to a record's file, which costs a tenth of replacing the
// file. It returns false if no single note describes the change, or if the file has grown too long
// or has changed since this process last read or wrote it. Readers skip an incomplete note.
func (d Dir) append(path string, r *Record) bool {
	last := *d.last
	if last.path != path || !last.whole {
		return false
	}
	text := r.noted(last.record)
	if text == nil || last.file.Size()+int64(len(text)) > maxFile {
		return false
	}
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_APPEND|syscall.O_NONBLOCK, 0)
	if err != nil {
		return false
	}
	defer f.Close()
	if info, err := f.Stat(); err != nil || !same(info, last.file) {
		return false
	}
	_, err = f.Write(append([]byte(beforeNote), text...))
	info, serr := f.Stat()
	if err != nil || serr != nil {
		return false
	}
	*d.last = parsed{path, info, true, r.clone()}
	return true
}

// Probe returns an error if records cannot be saved here.
func (d Dir) Probe() error {
	if d.path == "" {
		return ErrUnwritable
	}
	tmp := temp(SwitchPath(d.path, "probe"))
	if _, err := create(tmp, nil); err != nil {
		return writable(err)
	}
	err := os.Remove(tmp)
	_, _ = os.Remove(filepath.Dir(tmp)), os.Remove(d.path) // removes only empty folders
	return writable(err)
}

func replace(path string, text []byte) (fs.FileInfo, error) {
	tmp := temp(path)
	info, err := create(tmp, text)
	if err != nil {
		return nil, err
	}
	if err := atomic.ReplaceFile(tmp, path); err != nil {
		_ = os.Remove(tmp)
		return nil, err
	}
	return info, nil
}

// create creates a file and, if necessary, its folder.
func create(path string, text []byte) (fs.FileInfo, error) {
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return nil, err
	}
	const flag = os.O_WRONLY | os.O_CREATE | os.O_EXCL | syscall.O_NONBLOCK
	f, err := os.OpenFile(path, flag, 0o600)
	if err != nil {
		return nil, err
	}
	_, err = f.Write(text)
	info, serr := f.Stat()
	if err = errors.Join(err, serr, f.Close()); err != nil {
		_ = os.Remove(path)
	}
	return info, err
}

func temp(path string) string {
	dir, name := filepath.Split(path)
	return filepath.Join(dir, "."+name+"-"+strconv.FormatUint(rand.Uint64(), 36))
}

// writable wraps an error in ErrUnwritable.
func writable(err error) error {
	if err != nil {
		return fmt.Errorf("%w: %w", ErrUnwritable, err)
	}
	return nil
}
