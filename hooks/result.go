package main

import "hooks/internal/report"

// resultCmd is for jobs: the exit code is how the session came out.
type resultCmd struct {
	Session string `placeholder:"ID" complete:"session" help:"If not the newest begun here."`
	JSON    bool   `help:"Print the same as JSON."`
}

// Help lists the exit codes.
func (resultCmd) Help() string {
	return "The exit code is 0 if the loop ended as meant, 3 if it waits for a person, 4 if it " +
		"stopped at a ceiling, 5 if it failed, 6 if nothing was governed, and 1 if that cannot " +
		"be told, as while it runs. See docs/ci.md."
}

// Run prints one line, and ends with the code of the result.
func (r resultCmd) Run(c caller) error {
	found, err := c.Result(r.Session)
	if found.Result == "" {
		return err
	}
	err = show(c, r.JSON, found, err, func(_ report.Screen, found report.Result) string {
		return found.Line()
	})
	if err == nil && found.Code != 0 {
		return exitError{code: found.Code}
	}
	return err
}
