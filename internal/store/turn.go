package store

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"strconv"
	"strings"
	"time"

	"hooks/internal/loop"
	"hooks/internal/proc"
)

// Turns stand in for the guard on a file system without locks, and beside it where a lock is taken away: a file system
// may say that it locks, and lock nobody out.
//
// The turn is a folder with one file, named after the process that made it. No two processes have it at once:
//
//   - The folder gets its name complete, file and all, by one rename, and no system renames one folder over another that
//     is not empty.
//   - The file is removed by its maker, or by others once its maker is dead. A name is never used twice, so whoever
//     judged one maker dead and comes late removes no other's file.
//   - The folder itself is only ever removed while it is empty, which is the system's own condition.
//
// From a rename until the file's maker removes it or dies there is thus a folder that is not empty, and no second rename
// succeeds. Nor is anybody kept out for ever: a dead maker's file is removed by the next one who looks, wherever it died,
// and of a maker that cannot be judged, on another host, the file counts for as long as no hook may run.
const (
	turnName = ".turn"
	turnAge  = 10 * time.Minute // well above every hook's timeout
)

// takeTurn waits as Guard does, and fails with ErrBusy while somebody else has the turn.
func (s *Store) takeTurn(ctx context.Context) error {
	if err := s.disk.at("turn", turnName); err != nil {
		return err
	}
	offer, own, err := s.disk.offerTurn()
	if err != nil {
		return fmt.Errorf("take turn: %w", err)
	}
	ctx, cancel := context.WithTimeout(ctx, guardWait)
	defer cancel()
	for {
		err := patiently(func() error { return s.disk.root.Rename(offer, turnName) })
		if err == nil || s.disk.has(turnName+"/"+own) { // over a network the answer to a rename that was made can be lost
			s.turn = own
			return nil
		}
		taken, err := s.disk.turnTaken(offer+"/"+own, err)
		if err == nil && ctx.Err() != nil {
			err = ErrBusy
		}
		if err != nil {
			_ = s.disk.root.RemoveAll(offer) // else it is swept later
			return fmt.Errorf("take turn: %w", err)
		}
		if taken {
			time.Sleep(guardPoll)
		}
	}
}

// leaveTurn removes the own file and, unless somebody was faster, the folder.
func (s *Store) leaveTurn() error {
	own := s.turn
	s.turn = ""
	err := patiently(func() error { return s.disk.root.Remove(turnName + "/" + own) })
	_ = s.disk.root.Remove(turnName)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return wrap("leave turn", err)
}

// inTurn does something in this process's turn, which it may have already.
func (s *Store) inTurn(do func() error) error {
	if s.turn != "" {
		return do()
	}
	if err := s.takeTurn(context.Background()); err != nil {
		return err
	}
	return errors.Join(do(), s.leaveTurn())
}

// offerTurn makes the folder under a temporary name. Nothing of it has to outlive the machine.
func (d *disk) offerTurn() (folder, own string, err error) {
	defer func(before bool) { d.dirty = before }(d.dirty)
	folder, own = temp(turnName[1:]), makerName(proc.Describe(os.Getpid(), ""))
	if err := d.mkdir(folder); err != nil {
		return "", "", err
	}
	f, err := d.create(folder + "/" + own)
	if err == nil {
		err = f.Close()
	}
	if err != nil {
		_ = d.root.RemoveAll(folder)
	}
	return folder, own, err
}

// turnTaken says whether a living process has the turn, after an offer failed for some reason, and removes what a dead one
// left. The age of a file is told by the file system's own clock, as the difference to that of the offer.
func (d *disk) turnTaken(offered string, why error) (taken bool, err error) {
	names, err := d.inTurnFolder()
	switch {
	case errors.Is(err, fs.ErrNotExist) && !errors.Is(why, fs.ErrExist):
		return false, why
	case errors.Is(err, fs.ErrNotExist): // left since
		return false, nil
	case err != nil:
		return false, err
	}
	for _, name := range names {
		if !d.leftTurn(turnName+"/"+name, offered) {
			return true, nil
		}
		if err := d.root.Remove(turnName + "/" + name); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return false, err
		}
	}
	err = d.root.Remove(turnName)
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, fs.ErrExist) { // another one was faster
		return false, nil
	}
	return false, err
}

func (d *disk) inTurnFolder() ([]string, error) {
	info, err := d.root.Lstat(turnName)
	if err != nil {
		return nil, err
	}
	if !info.IsDir() {
		return nil, &DamagedError{Path: d.path(turnName), Why: "it is not a folder"}
	}
	f, err := d.root.Open(turnName)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return f.Readdirnames(-1)
}

// leftTurn says that the maker of a file will never leave its turn by itself.
func (d *disk) leftTurn(name, offered string) bool {
	switch proc.Of(maker(name[len(turnName)+1:])) {
	case loop.Dead:
		return true
	case loop.Alive:
		return false
	}
	theirs, err := d.root.Lstat(name)
	if err != nil {
		return false
	}
	ours, err := d.root.Lstat(offered)
	return err == nil && ours.ModTime().Sub(theirs.ModTime()) > turnAge
}

func (d *disk) has(name string) bool {
	_, err := d.root.Lstat(name)
	return err == nil
}

// makerName is a new file name that tells a process, in letters that every file system takes.
func makerName(p loop.Process) string {
	plain := func(text string) string {
		return strings.Map(func(r rune) rune {
			if strings.ContainsRune("0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ-.@", r) {
				return r
			}
			return '_'
		}, text[:min(len(text), 64)])
	}
	return strings.Join([]string{strconv.Itoa(p.PID), plain(p.Start), plain(p.Host), strconv.FormatUint(rand.Uint64(), 36)}, "~")
}

// maker is the process that a file name tells. A name of another form tells none, whose liveness is unclear.
func maker(name string) loop.Process {
	parts := strings.Split(name, "~")
	if len(parts) != 4 {
		return loop.Process{}
	}
	pid, _ := strconv.Atoi(parts[0])
	return loop.Process{PID: pid, Start: parts[1], Host: parts[2]}
}
