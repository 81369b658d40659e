package tracker

import (
	"context"
	"errors"
	"os/exec"
	"strings"
)

// Ignored says whether git leaves a path of the project out, by whatever rule; the path need not exist.
func Ignored(ctx context.Context, project, path string) (bool, error) {
	_, err := git(ctx, project, "check-ignore", "-q", "--", path)
	var exit *exec.ExitError
	if errors.As(err, &exit) && exit.ExitCode() == 1 {
		return false, nil
	}
	return err == nil, err
}

// Committed lists the files below a path of the project that git has in its index; none where git cannot tell.
func Committed(ctx context.Context, project, path string) []string {
	out, err := git(ctx, project, "ls-files", "-z", "--", path)
	if err != nil {
		return nil
	}
	return strings.FieldsFunc(string(out), func(r rune) bool { return r == 0 })
}

// GitVersion is what git says of itself, as in "git version 2.39.5".
func GitVersion(ctx context.Context) (string, error) {
	out, err := git(ctx, "", "version")
	return strings.TrimSpace(string(out)), err
}
