package ledger

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"unicode"

	"hooks/internal/hint"
	"hooks/internal/safefile"
)

// MaxSize is the largest ledger that Read accepts, in bytes.
const MaxSize = 64 << 20

// Root returns the folder whose changes/ holds the ledgers. It searches dir and the folders above
// it, up to the top of the repository. If none of them contains changes/, it returns the top of the
// repository, or dir outside a repository.
func Root(dir string) string {
	for at := dir; ; at = filepath.Dir(at) {
		if safefile.IsDir(filepath.Join(at, "changes")) {
			return at
		}
		if _, err := os.Lstat(filepath.Join(at, ".git")); err == nil {
			return at
		}
		if at == filepath.Dir(at) {
			return dir
		}
	}
}

// Find lists the files in the changes/<name>/loops folders below root, as sorted slash-separated
// paths relative to it. It skips hidden files.
func Find(root string) []string {
	list, _ := fs.Glob(os.DirFS(root), "changes/*/loops/[^.]*") // the pattern is well formed
	return list
}

// Check returns the absolute path of a ledger named by a person or the model. It returns an error
// if the file does not have a ledger's name, or if its folder, with symlinks resolved, is not
// changes/<name>/loops.
func Check(path string) (string, error) {
	full, err := filepath.Abs(path)
	if err != nil {
		return "", err
	}
	dir, err := real(filepath.Dir(full))
	if err != nil {
		return "", err
	}
	_, name, ok := Place(filepath.ToSlash(filepath.Join(dir, filepath.Base(full))))
	if !ok {
		return "", hint.New("give a path of the form changes/<name>/loops/<phase>.md",
			"%s is not in a ledger folder", path)
	}
	if found := CheckName(name); found != nil {
		return "", hint.New("name the file after a phase: "+strings.Join(Phases(), ", "),
			"%s: %s: %s", path, found.Rule, found.Text)
	}
	return full, nil
}

// real resolves the symlinks in a folder's path. The last elements of the path need not exist.
func real(dir string) (string, error) {
	full, err := filepath.EvalSymlinks(dir)
	if above := filepath.Dir(dir); errors.Is(err, fs.ErrNotExist) && above != dir {
		full, err = real(above)
		return filepath.Join(full, filepath.Base(dir)), err
	}
	return full, err
}

// Read returns the contents of a ledger. It returns an error if the ledger is larger than MaxSize.
func Read(path string) (string, error) {
	f, info, err := open(path)
	if err != nil {
		return "", err
	}
	defer f.Close()
	if info.Size() > MaxSize {
		return "", hint.New("move the oldest turns into a file in another folder",
			"%s is over %d MiB", path, MaxSize>>20)
	}
	text, err := io.ReadAll(io.LimitReader(f, MaxSize+1))
	return string(text), err
}

// open opens a ledger, which must be an existing regular file and not a symlink.
func open(path string) (*os.File, fs.FileInfo, error) {
	info, err := os.Lstat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, nil, hint.New("create it with `hooks ledger new PHASE CHANGE`",
			"%s does not exist", path)
	case err != nil:
		return nil, nil, err
	case !info.Mode().IsRegular():
		return nil, nil, hint.New("name a regular file", "%s is not a regular file", path)
	}
	return safefile.Open(path)
}

// New creates the ledger of a phase, containing only its title, and returns its path relative to
// root. It returns an error if the ledger exists.
func New(root, phase, change, number string) (string, error) {
	name, title, err := Name(phase, number)
	if err != nil {
		return "", err
	}
	if !plain(change) {
		return "", hint.New("give the name of a folder in changes/, such as add-login",
			"%q is not the name of a change", change)
	}
	path := filepath.Join("changes", change, "loops", name)
	full := filepath.Join(root, path)
	if _, err := Check(full); err != nil {
		return "", err
	}
	if err := os.MkdirAll(filepath.Dir(full), 0o755); err != nil {
		return "", err
	}
	f, err := os.OpenFile(full, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if errors.Is(err, fs.ErrExist) {
		return "", hint.New("run `hooks ledger append "+path+"`", "%s already exists", path)
	} else if err != nil {
		return "", err
	}
	_, err = f.WriteString(title)
	return path, errors.Join(err, f.Sync(), f.Close())
}

// plain reports whether a word is the name of a single visible folder.
func plain(word string) bool {
	return word != "" && filepath.IsLocal(word) && !strings.ContainsAny(word, `/\`) &&
		!strings.ContainsAny(word[:1], ".-") && !strings.ContainsFunc(word, unicode.IsControl)
}
