package tracker

import (
	"context"
	"os"
	"path/filepath"
	"strings"
)

// setting is a git setting. The key is as git prints it: section and name in lower case, the
// subsection as written. own reports that it comes from the repository's files, not the user's or
// the system's.
type setting struct {
	key, value string
	own        bool
}

// listing is the git command that prints all settings. Later ones override earlier ones.
var listing = []string{"config", "--list", "--show-scope", "--includes", "-z"}

// settings asks git for the settings that apply in a directory.
func settings(ctx context.Context, dir string) (list []setting, err error) {
	out, err := runGit(ctx, dir, nil, listing...)
	return listed(string(out), "command"), err // hardened sets those of the command
}

// listed returns the settings in the output of listing, but for those of one scope.
func listed(out, without string) (list []setting) {
	fields := strings.Split(out, "\x00")
	for i := 0; i+1 < len(fields); i += 2 {
		scope := fields[i]
		if scope == without {
			continue
		}
		key, value, set := strings.Cut(fields[i+1], "\n")
		if !set {
			value = "true"
		}
		list = append(list, setting{key, value, scope == "local" || scope == "worktree"})
	}
	return list
}

// last returns the last value of a key, in the repository's own files or in the others.
func last(list []setting, own bool, key string) (value string) {
	for _, s := range list {
		if s.key == key && s.own == own {
			value = s.value
		}
	}
	return value
}

// gitProgram returns the path of git. It skips the brake's links and copies of this program, which
// would ask for the settings again without end.
func gitProgram() string {
	exe, _ := os.Executable()
	self, _ := os.Stat(exe)
	for _, dir := range filepath.SplitList(os.Getenv("PATH")) {
		real, err := filepath.EvalSymlinks(dir)
		if err != nil || !filepath.IsAbs(dir) || filepath.Base(filepath.Dir(real)) == "brake" {
			continue
		}
		if git := executable(dir, "git"); git != nil && !os.SameFile(git, self) {
			return filepath.Join(dir, "git")
		}
	}
	return "git"
}
