package app

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"hooks/internal/config"
	"hooks/internal/guard"
	"hooks/internal/hint"
	"hooks/internal/regular"
	"hooks/internal/store"
	"hooks/internal/tracker"
)

// foreignState refuses state that the repository itself brought: its locks, its counters and its "answers" are whoever's
// committed them. Our own is never committed, for the folder ignores itself.
func (v *visit) foreignState() error {
	if !store.Exists(v.project) {
		return nil
	}
	ctx, cancel := context.WithTimeout(context.Background(), gitTime)
	defer cancel()
	for _, path := range tracker.Committed(ctx, v.project, store.Dir) {
		if filepath.Base(path) != ".gitignore" {
			return &hint.Error{Err: fmt.Errorf("%s is part of the repository, so it says nothing about a loop of yours", path),
				Way: "look at it, then: git rm -r --cached " + store.Dir + "; rm -r " + store.Dir}
		}
	}
	return nil
}

// files lets the guard read what a command would run, inside the project and bounded.
type files struct{ root string }

const mostScript = 256 << 10

// ReadFile is part of guard.Files.
func (f files) ReadFile(path string) (string, bool) {
	return regular.Read(f.absolute(path), mostScript)
}

// RealPath is part of guard.Links.
func (f files) RealPath(path string) string { return tracker.RealPath(f.absolute(path)) }

func (f files) absolute(path string) string {
	if filepath.IsAbs(path) {
		return path
	}
	return filepath.Join(f.root, path)
}

// own are the loop's paths outside of .sdd/loop: what the session says of itself, and this program.
func (v *visit) own() []string {
	var list []string
	if v.ev.Transcript != "" {
		list = append(list, v.ev.Transcript)
	}
	if exe, err := os.Executable(); err == nil {
		list = append(list, exe)
	}
	return list
}

// reconfigures names the project's own CLAUDE.md or AGENTS.md where a call would write it and the SDD Configuration would
// not surely stay what it is: prices, redaction, labels and logins are a person's to set. A file tool is held against what
// it leaves; what a shell leaves is not known. A worktree's copy is a file like any other.
func (v *visit) reconfigures(acts []guard.Act) string {
	if v.past != nil { // what the file held then is not known
		return ""
	}
	for _, a := range acts {
		dir, name := filepath.Split(tracker.RealPath(a.Ref))
		if a.Kind != guard.WriteConfig || filepath.Clean(dir) != tracker.RealPath(v.project) {
			continue
		}
		if text, known := v.leaves(filepath.Join(v.project, name)); known {
			if config.Edited(v.project, name, text).Same(v.config()) {
				continue
			}
			return name
		}
		command, _ := v.ev.ShellCommand()
		if !v.config().Same(config.Parse("")) || strings.Contains(strings.ToLower(command), "sdd configuration") {
			return name
		}
	}
	return ""
}

// leaves is the text that a file tool would leave.
func (v *visit) leaves(path string) (text string, known bool) {
	switch v.ev.Tool {
	case "Write":
		return v.ev.Text("content"), true
	case "Edit":
		old, ok := regular.Read(path, config.MaxFile)
		if n := 1; ok {
			if v.ev.Flag("replace_all") {
				n = -1
			}
			return strings.Replace(old, v.ev.Text("old_string"), v.ev.Text("new_string"), n), true
		}
	}
	return "", false
}

// elsewhere names the repository that a merge is about, and the project's own, where they are not the same: a person is
// asked about the project's only.
func (v *visit) elsewhere(a guard.Act) (other, own string) {
	if v.past != nil {
		return "", ""
	}
	known := tracker.Repo(v.Env, v.project).Remotes
	own = address(known["origin"])
	if a.Repo != "" {
		if len(known) > 0 && !slices.ContainsFunc(remotes(known), func(url string) bool { return leads(url, a.Repo) }) {
			return a.Repo, own
		}
		return "", own
	}
	if a.Cwd == "" {
		return "", own
	}
	if there := tracker.Repo(v.Env, a.Cwd); there.Top != "" && there.Remotes["origin"] != known["origin"] {
		return "that of " + there.Top, own
	}
	return "", own
}

// address is a remote as people may see it: without a password, and without its .git.
func address(url string) string {
	if scheme, rest, ok := strings.Cut(url, "://"); ok {
		url = scheme + "://" + rest[strings.LastIndexByte(rest, '@')+1:]
	}
	return strings.TrimSuffix(url, ".git")
}

func remotes(m map[string]string) []string {
	var list []string
	for _, url := range m {
		list = append(list, url)
	}
	return list
}

// leads says that a remote's address is that of owner/name or host/owner/name.
func leads(url, repo string) bool {
	url = "/" + strings.ReplaceAll(strings.TrimSuffix(strings.ToLower(url), ".git"), ":", "/")
	return strings.HasSuffix(url, "/"+strings.TrimSuffix(strings.ToLower(repo), ".git"))
}
