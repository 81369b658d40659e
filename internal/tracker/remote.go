package tracker

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
)

// maxPatterns is the maximum number of refs on one command line. For more, all heads are requested.
const maxPatterns = 200

// Heads is the prefix of branches.
const Heads = "refs/heads/"

// RemoteRefs asks a remote, in one call, for the commits of refs (R139), which are named without
// their prefix, as in "feature/123-foo". A ref that is not on the remote has no entry.
func RemoteRefs(ctx context.Context, project, remote, prefix string,
	names []string) (map[string]string, error) {
	commits := map[string]string{}
	if len(names) == 0 {
		return commits, nil
	}
	if remote == "" {
		return nil, errors.New("read remote heads: no remote is named")
	}
	args := []string{"ls-remote", "--upload-pack=git-upload-pack", "--", remote}
	for _, name := range names {
		args = append(args, prefix+name)
	}
	if len(names) > maxPatterns {
		args = append(args[:4], Heads+"*")
	}
	out, err := git(ctx, project, args...)
	if err != nil {
		return nil, fmt.Errorf("read remote heads: %w", err)
	}
	for line := range strings.Lines(string(out)) {
		sha, ref, _ := strings.Cut(strings.TrimSpace(line), "\t")
		name, ok := strings.CutPrefix(ref, prefix)
		if ok && slices.Contains(names, name) { // git treats a name as a pattern
			commits[name] = sha
		}
	}
	return commits, nil
}
