package tracker

import (
	"context"
	"errors"
	"fmt"
	"strings"
)

// mostPatterns is how many branches are named on one command line; for more, all heads are asked for.
const mostPatterns = 200

// RemoteHeads asks a remote, in one call, for the commits its branches point at (R139). A branch that the remote
// does not have has no entry. Branch names are plain, as in "feature/123-foo".
func RemoteHeads(ctx context.Context, project, remote string, branches []string) (map[string]string, error) {
	heads := map[string]string{}
	if len(branches) == 0 {
		return heads, nil
	}
	if remote == "" {
		return nil, errors.New("read remote heads: no remote is named")
	}
	reset, err := withoutHelpers(project)
	if err != nil {
		return nil, fmt.Errorf("read remote heads: %w", err)
	}
	args := append(reset, "ls-remote", "--heads", "--upload-pack=git-upload-pack", "--", remote)
	if len(branches) <= mostPatterns {
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
		if name, ok := strings.CutPrefix(ref, "refs/heads/"); ok {
			heads[name] = sha
		}
	}
	return only(heads, branches), nil
}

// only keeps what was asked for: git matches the names it is given as patterns.
func only(heads map[string]string, branches []string) map[string]string {
	asked := make(map[string]string, len(branches))
	for _, b := range branches {
		if sha, ok := heads[b]; ok {
			asked[b] = sha
		}
	}
	return asked
}

// withoutHelpers clears the credential helpers, programs that git would run, where the repository's own config sets
// one or hides what it sets behind an include. A person's own helpers serve everywhere else. Settings that make git write
// the cookies of a remote into a file are overruled too.
func withoutHelpers(project string) ([]string, error) {
	place, ok := findGit(project)
	if !ok {
		return nil, nil
	}
	config := place.config()
	args := []string{"-c", "credential.helper="}
	for _, s := range config.list {
		helper := strings.HasPrefix(s.key, "credential.") && strings.HasSuffix(s.key, ".helper")
		cookies := strings.HasPrefix(s.key, "http.") && strings.HasSuffix(s.key, ".savecookies")
		switch {
		case !helper && !cookies:
		case strings.ContainsRune(s.key, '='): // git would take the key to end there
			return nil, fmt.Errorf("the repository's config sets %q: not run", s.key)
		case helper:
			args = append(args, "-c", s.key+"=")
		case cookies:
			args = append(args, "-c", s.key+"=false")
		}
	}
	if len(args) == 2 && !config.partial {
		return nil, nil
	}
	return args, nil
}
