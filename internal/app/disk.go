package app

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"hash/fnv"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"hooks/internal/hint"
	"hooks/internal/loop"
	"hooks/internal/safefile"
	"hooks/internal/store"
	"hooks/internal/tracker"
)

// readOwn reads the file at a path relative to root. An empty path reads as an empty file.
func readOwn(root, what, path string) ([]byte, error) {
	if path == "" {
		return nil, nil
	}
	full, ok := below(root, path)
	if !ok {
		return nil,
			hint.New("give a path below the project", "the %s %q lies outside of the project",
				what, path)
	}
	f, info, err := safefile.Open(full)
	if err != nil {
		return nil, hint.New("give the path of a file", "the %s %s cannot be read: %w", what, path,
			err)
	}
	defer f.Close()
	if info.Size() > maxTaskFile {
		return nil, hint.New("split it", "the %s %s has %d bytes, over %d", what, path, info.Size(),
			maxTaskFile)
	}
	text, _ := safefile.Read(full, maxTaskFile)
	return []byte(text), nil
}

// keptFile reads a file that the loop writes in the project. there is false if the file does not
// exist. A link, a folder or a file over 1 MiB is an error, so that nothing else is read or
// overwritten.
func keptFile(path string) (text []byte, there bool, err error) {
	info, err := os.Lstat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, false, nil
	case err == nil && !info.Mode().IsRegular():
		err = errors.New("it is not a regular file")
	case err == nil && info.Size() > maxTaskFile:
		err = fmt.Errorf("it has %d bytes, over %d", info.Size(), maxTaskFile)
	case err == nil:
		read, ok := safefile.Read(path, maxTaskFile)
		if ok {
			return []byte(read), true, nil
		}
		err = errors.New("it cannot be read")
	}
	return nil, false, hint.New("move it away, or name another file with SDD_STATE_FILE or "+
		"SDD_PROGRESS_FILE", "the task loop keeps %s, and cannot: %w", path, err)
}

// sameFile reports whether two paths name the same file, even through a link.
func sameFile(a, b string) bool {
	one, err := os.Stat(a)
	two, failed := os.Stat(b)
	return tracker.RealPath(a) == tracker.RealPath(b) ||
		err == nil && failed == nil && os.SameFile(one, two)
}

func isFile(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.Mode().IsRegular()
}

// sum returns a short hash of text.
func sum(text []byte) string {
	s := sha256.Sum256(text)
	return hex.EncodeToString(s[:8])
}

// treeSum returns a hash of the names, sizes and times of the uncommitted files, not their
// contents. It returns "" if there are none.
func treeSum(root string, dirty []string) string {
	if top, _ := tracker.LinkedWorktree(root); top != "" {
		root = top
	}
	if len(dirty) == 0 {
		return ""
	}
	sum := fnv.New64a()
	for _, path := range dirty {
		fmt.Fprintf(sum, "%s\x00", path)
		if info, err := os.Lstat(filepath.Join(root, path)); err == nil {
			fmt.Fprintf(sum, "%d %d\x00", info.Size(), info.ModTime().UnixNano())
		}
	}
	return strconv.FormatUint(sum.Sum64(), 36)
}

// gitTime bounds one call of git. After that its result is unknown.
const gitTime = 5 * time.Second

// maxTaskFile bounds a spec, a task list or a progress file, in bytes.
const maxTaskFile = 1 << 20

// root returns the folder in which a loop works: an audit loop's worktree, or the project.
func (h *handler) root(t *store.State) string {
	return cmp.Or(t.Budget.Attempts().Root, h.project)
}

// tree reads the working tree without the loop's own files and those that the person excluded.
func (h *handler) tree(ctx context.Context, root string) (tracker.Tree, error) {
	tree, err := tracker.ReadTree(ctx, root)
	own := []string{h.inRepo(h.progressPath()), h.inRepo(h.viewPath())}
	state := h.inRepo(filepath.Join(h.project, ".sdd", "loop")) + "/"
	kept := tree.Dirty[:0]
	for _, path := range tree.Dirty {
		if path != own[0] && path != own[1] && !strings.HasPrefix(path, state) {
			kept = append(kept, path)
		}
	}
	if tree.Dirty = kept; len(kept) > 0 {
		left := h.leftOut(root)
		tree.Dirty = slices.DeleteFunc(kept, func(path string) bool {
			return slices.Contains(left, path)
		})
	}
	return tree, err
}

func (h *handler) relative(path string) string {
	rel, err := filepath.Rel(h.project, path)
	if err != nil {
		return path
	}
	return filepath.ToSlash(rel)
}

// inRepo returns path relative to the root of the repository, as git names it. The project may be a
// folder inside the repository.
func (h *handler) inRepo(path string) string {
	top := tracker.Root(h.project)
	rel, err := filepath.Rel(tracker.RealPath(top), tracker.RealPath(h.project))
	if top == "" || err != nil {
		rel = "."
	}
	return filepath.ToSlash(filepath.Join(rel, filepath.FromSlash(h.relative(path))))
}

// leftOut returns the files that a person excluded from the run that works in root.
func (h *handler) leftOut(root string) []string {
	for _, kind := range slices.Backward(loop.Kinds) {
		if kind.Run.Of == nil {
			continue
		}
		b := h.runOf(kind.Name)
		if b != nil && b.Own != nil && cmp.Or(b.Attempts().Root, h.project) == root {
			return b.LeftOut
		}
	}
	return nil
}

// excluded returns the ignore lines for the loop's own two files.
func (h *handler) excluded() []string {
	return []string{"/" + h.inRepo(h.viewPath()), "/" + h.inRepo(h.progressPath())}
}
