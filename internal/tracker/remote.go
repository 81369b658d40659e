package tracker

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
)

// maxPatterns is how many branches are named on one command line; for more, all heads are asked
// for.
const maxPatterns = 200

// RemoteHeads asks a remote, in one call, for the commits that its branches point at (R139). A
// branch that the remote does not have has no entry. Branch names are plain, as in
// "feature/123-foo".
func RemoteHeads(ctx context.Context, project, remote string,
	branches []string) (map[string]string, error) {
	heads := map[string]string{}
	if len(branches) == 0 {
		return heads, nil
	}
	if remote == "" {
		return nil, errors.New("read remote heads: no remote is named")
	}
	args := []string{"ls-remote", "--heads", "--upload-pack=git-upload-pack", "--", remote}
	if len(branches) <= maxPatterns {
		for _, b := range branches {
			args = append(args, "refs/heads/"+b)
		}
	}
	out, err := git(ctx, project, args...)
	if err != nil {
		return nil, fmt.Errorf("read remote heads: %w", err)
	}
	for line := range strings.Lines(string(out)) {
		sha, ref, _ := strings.Cut(strings.TrimSpace(line), "\t")
		name, ok := strings.CutPrefix(ref, "refs/heads/")
		if ok && slices.Contains(branches, name) { // git takes a name for a pattern
			heads[name] = sha
		}
	}
	return heads, nil
}
