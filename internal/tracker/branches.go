package tracker

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"time"
)

// BranchesSince gives the local branches whose last commit is no older than a point in time, with their heads.
func BranchesSince(ctx context.Context, project string, since time.Time) (map[string]string, error) {
	out, err := git(ctx, project, "for-each-ref", "--format=%(refname)%00%(objectname)%00%(committerdate:unix)", "refs/heads")
	if err != nil {
		return nil, fmt.Errorf("list branches: %w", err)
	}
	heads := map[string]string{}
	for line := range strings.Lines(string(out)) {
		f := strings.Split(strings.TrimSpace(line), "\x00")
		if len(f) != 3 {
			continue
		}
		if at, err := strconv.ParseInt(f[2], 10, 64); err == nil && at >= since.Unix() {
			heads[strings.TrimPrefix(f[0], "refs/heads/")] = f[1]
		}
	}
	return heads, nil
}
