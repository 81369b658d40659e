package brake

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
)

// keptName is the folder of kept programs, beside those of links.
const keptName = ".program"

// Keep copies a program into the state directory, once for each build, and gives the copy's path:
// links that lead there work on while the program itself is updated, moved or made unusable.
func Keep(home, exe string) (string, error) {
	info, err := os.Stat(exe)
	if err != nil {
		return "", fmt.Errorf("keep program: %w", err)
	}
	name := fmt.Sprintf("%x-%x", info.Size(), info.ModTime().UnixNano())
	kept := filepath.Join(home, "brake", keptName, name)
	old, err := os.Stat(kept)
	if err == nil && old.Size() == info.Size() && old.Mode()&0o500 == 0o500 {
		return kept, nil
	}
	if err := copyProgram(exe, kept); err != nil {
		return "", fmt.Errorf("keep program: %w", err)
	}
	return kept, nil
}

func copyProgram(from, to string) error {
	if err := os.MkdirAll(filepath.Dir(to), 0o700); err != nil {
		return err
	}
	in, err := os.Open(from)
	if err != nil {
		return err
	}
	defer in.Close()
	tmp := fmt.Sprintf("%s.%d", to, os.Getpid())
	out, err := os.OpenFile(tmp, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o700)
	if err != nil {
		return err
	}
	_, err = io.Copy(out, in)
	if err = errors.Join(err, out.Close()); err == nil {
		err = os.Rename(tmp, to)
	}
	if err != nil {
		_ = os.Remove(tmp)
	}
	return err
}
