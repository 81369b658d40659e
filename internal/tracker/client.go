package tracker

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
)

// ForgeOf returns the kind of forge that a host name suggests, spelled as in the Tracker block of
// CLAUDE.md: github, gitlab or gitea. It returns an empty string for any other name.
func ForgeOf(host string) string {
	has := func(part string) bool { return strings.Contains(host, part) }
	switch {
	case has("github") || strings.HasSuffix(host, ".ghe.com"):
		return "github"
	case has("gitlab"):
		return "gitlab"
	case has("gitea") || has("forgejo") || host == "codeberg.org":
		return "gitea"
	}
	return ""
}

// forge describes a kind of forge: its client, the ref of a PR head, and the client's subcommand
// and flag for merging a PR at a given head.
type forge struct{ kind, client, pull, merge, head string }

// forges lists GitHub first, because forgeOf returns it for an unknown kind.
var forges = [...]forge{
	{"github", "gh", "refs/pull/%d/head", "pr merge", "--match-head-commit"},
	{"gitlab", "glab", "refs/merge-requests/%d/head", "mr merge", "--sha"},
	{"gitea", "tea", "refs/pull/%d/head", "pr merge", ""},
}

func forgeOf(kind string) forge {
	for _, f := range forges {
		if f.kind == kind {
			return f
		}
	}
	return forges[0]
}

// ForgeOfClient returns the kind of forge that a program is a client of, or "" if it is none.
func ForgeOfClient(program string) string {
	if program == "hub" {
		return forges[0].kind
	}
	for _, f := range forges {
		if strings.TrimSuffix(program, "-cli") == f.client {
			return f.kind
		}
	}
	return ""
}

// Client returns the program name of a forge's own client, or gh for an unknown kind.
func Client(kind string) string {
	if kind == "gitea" {
		return TeaProgram()
	}
	return forgeOf(kind).client
}

// TeaProgram returns the name of Gitea's client on this machine. On Debian the client is tea-cli,
// and tea is a text editor.
func TeaProgram() string {
	tea, debian := installed("tea"), installed("tea-cli")
	if debian != "tea-cli" && (tea == "tea" || filepath.Dir(tea) == filepath.Dir(debian)) {
		return "tea-cli"
	}
	return "tea"
}

// installed returns the path of a program on PATH, or its name if it is not there. It skips the
// brake's folders and links to this program, because through them hooks would start itself forever.
func installed(program string) string {
	exe, _ := os.Executable()
	self, _ := os.Stat(exe)
	for _, dir := range filepath.SplitList(os.Getenv("PATH")) {
		real, err := filepath.EvalSymlinks(dir)
		if err != nil || !filepath.IsAbs(dir) || filepath.Base(filepath.Dir(real)) == "brake" {
			continue
		}
		path, err := exec.LookPath(filepath.Join(dir, program))
		if info, _ := os.Stat(path); err == nil && !os.SameFile(info, self) {
			return path
		}
	}
	return program
}

// PullRef returns the ref of a PR head on a forge.
func PullRef(kind string, pr int) string { return fmt.Sprintf(forgeOf(kind).pull, pr) }

// MergeCommand returns the command that merges a PR with a forge's own client. If pr is 0, the
// command has N for the number. If sha is not empty, the command merges the PR only at that head.
func MergeCommand(kind string, pr int, sha string) string {
	name := "N"
	if pr > 0 {
		name = strconv.Itoa(pr)
	}
	plain, flag := Client(kind)+" "+forgeOf(kind).merge+" "+name, HeadFlag(kind, sha)
	switch {
	case sha == "":
		return plain
	case flag != "":
		return plain + " " + flag
	}
	return Client(kind) + " api -X POST repos/{owner}/{repo}/pulls/" + name +
		"/merge -f Do=merge -f head_commit_id=" + sha
}

// HeadFlag returns the flag that makes a forge's client merge only the commit sha. It is empty if
// the client has no such flag.
func HeadFlag(kind, sha string) string {
	if flag := forgeOf(kind).head; flag != "" {
		return flag + " " + sha
	}
	return ""
}
