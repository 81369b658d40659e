package tracker

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// ForgeOf is the kind of forge that a host's name tells, as the Tracker block spells it: github,
// gitlab or gitea; "" for any other name.
func ForgeOf(host string) string {
	switch {
	case strings.Contains(host, "github") || strings.HasSuffix(host, ".ghe.com"):
		return "github"
	case strings.Contains(host, "gitlab"):
		return "gitlab"
	case strings.Contains(host, "gitea") || strings.Contains(host, "forgejo") ||
		host == "codeberg.org":
		return "gitea"
	}
	return ""
}

// ForgeOfClient is the kind of forge that a command's program belongs to, "" for any other program.
func ForgeOfClient(program string) string {
	switch program {
	case "gh", "hub":
		return "github"
	case "glab":
		return "gitlab"
	case "tea", "tea-cli":
		return "gitea"
	}
	return ""
}

// TeaProgram is the name of Gitea's client on this machine. Debian's is tea-cli: the tea in the
// same folder is a text editor of that name. A folder where both are one file tells nothing: the
// brake's links are such a folder.
func TeaProgram() string {
	for _, dir := range filepath.SplitList(os.Getenv("PATH")) {
		tea, own := executable(dir, "tea")
		cli, debian := executable(dir, "tea-cli")
		switch {
		case own && debian && os.SameFile(tea, cli):
		case debian:
			return "tea-cli"
		case own:
			return "tea"
		}
	}
	return "tea"
}

func executable(dir, name string) (os.FileInfo, bool) {
	path, err := exec.LookPath(filepath.Join(dir, name))
	if err != nil {
		return nil, false
	}
	info, err := os.Stat(path)
	return info, err == nil
}

// MergeCommand is the plain command by which a forge's own client merges a PR; gh's for any other
// forge.
func MergeCommand(forge, pr string) string {
	switch forge {
	case "gitlab":
		return "glab mr merge " + pr
	case "gitea":
		return TeaProgram() + " pr merge " + pr
	}
	return "gh pr merge " + pr
}

// HeadFlag binds MergeCommand to a commit; "" where the forge's client has no flag for it.
func HeadFlag(forge, sha string) string {
	switch forge {
	case "gitlab":
		return "--sha " + sha
	case "gitea":
		return ""
	}
	return "--match-head-commit " + sha
}
