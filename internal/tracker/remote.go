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

// RemoteHeads asks a remote, in one call, for the head commits of branches (R139). A branch that is
// not on the remote has no entry. Branch names have no prefix, as in "feature/123-foo".
func RemoteHeads(ctx context.Context, project, remote string,
	branches []string) (map[string]string, error) {
	return remoteRefs(ctx, project, remote, "refs/heads/", branches)
}

// RemoteRefs asks a remote, in one call, for the commits of refs. A ref that is not on the remote
// has no entry.
func RemoteRefs(ctx context.Context, project, remote string,
	refs []string) (map[string]string, error) {
	return remoteRefs(ctx, project, remote, "", refs)
}

func remoteRefs(ctx context.Context, project, remote, prefix string,
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
		args = append(args[:4], "refs/heads/*")
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
