package tracker

import (
	"context"
	"fmt"
	"hash/fnv"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"hooks/internal/safefile"
)

// ExcludeFile returns the path of the repository's info/exclude, or an empty string outside a
// repository.
func ExcludeFile(project string) string {
	place, ok := findGit(filepath.Clean(project))
	if !ok {
		return ""
	}
	return filepath.Join(place.common, "info", "exclude")
}

// Ignores returns the uncommitted files that can hide other files from git: files in .git/info,
// files named in the repository's settings, and .gitignore and .gitattributes files that are
// ignored themselves. It omits files named in the user's own settings, and a .gitignore that a tool
// uses to ignore its own hidden directory. Each entry is a name and a hash of the file's lines, for
// example "exclude in .git/info 1f2e3d". Comments and the lines in except do not count.
func (t Tree) Ignores(ctx context.Context, project string, except []string) (list []string,
	err error) {
	place, ok := findGit(filepath.Clean(project))
	if !ok {
		return nil, nil
	}
	own, err := settings(ctx, project)
	add := func(name, file string) {
		var lines []string
		text, ok := readSmall(file)
		if _, err := os.Lstat(file); err == nil && !ok {
			text = "unread"
		}
		for line := range strings.Lines(text) {
			line = strings.TrimSpace(line)
			if line != "" && line[0] != '#' && !slices.Contains(except, line) {
				lines = append(lines, line)
			}
		}
		hidden := strings.HasPrefix(path.Base(path.Dir(name)), ".") && path.Dir(name) != "."
		if tool := hidden && slices.Equal(lines, []string{"*"}); len(lines) == 0 || tool {
			return
		}
		sum := fnv.New64a()
		fmt.Fprintf(sum, "%q", lines)
		list = append(list, fmt.Sprintf("%s %x", name, sum.Sum64()))
	}
	add("exclude in .git/info", ExcludeFile(project))
	add("attributes in .git/info", filepath.Join(place.common, "info", "attributes"))
	if last(own, true, "core.sparsecheckout") == "true" {
		add("sparse-checkout in .git/info", filepath.Join(place.dir, "info", "sparse-checkout"))
	}
	for _, key := range []string{"core.excludesFile", "core.attributesFile"} {
		if file := last(own, true, strings.ToLower(key)); file != "" {
			if rest, home := strings.CutPrefix(file, "~/"); home {
				file = filepath.Join(os.Getenv("HOME"), rest)
			}
			add(key+" "+file, safefile.Absolute(place.top, file))
		}
	}
	for _, name := range t.rules {
		add(name, filepath.Join(place.top, filepath.FromSlash(name)))
	}
	return list, err
}
