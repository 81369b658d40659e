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
	var refs []string
	for _, b := range branches {
		refs = append(refs, "refs/heads/"+b)
	}
	commits, err := RemoteRefs(ctx, project, remote, refs)
	if err != nil {
		return nil, err
	}
	heads := map[string]string{}
	for ref, sha := range commits {
		heads[strings.TrimPrefix(ref, "refs/heads/")] = sha
	}
	return heads, nil
}

// RemoteRefs asks a remote, in one call, for the commits of refs. A ref that is not on the remote
// has no entry.
func RemoteRefs(ctx context.Context, project, remote string,
	refs []string) (map[string]string, error) {
	commits := map[string]string{}
	if len(refs) == 0 {
		return commits, nil
	}
	if remote == "" {
		return nil, errors.New("read remote heads: no remote is named")
	}
	asked := refs
	if len(refs) > maxPatterns {
		asked = []string{"refs/heads/*"}
	}
	args := append([]string{"ls-remote", "--upload-pack=git-upload-pack", "--", remote}, asked...)
	out, err := git(ctx, project, args...)
	if err != nil {
		return nil, fmt.Errorf("read remote heads: %w", err)
	}
	for line := range strings.Lines(string(out)) {
		sha, ref, _ := strings.Cut(strings.TrimSpace(line), "\t")
		if slices.Contains(refs, ref) { // git treats a name as a pattern
			commits[ref] = sha
		}
	}
	return commits, nil
}
