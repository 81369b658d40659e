package forge

import (
	"context"
	"errors"
	"io/fs"
	"os/exec"
	"slices"
	"strings"

	"github.com/tidwall/gjson"

	"hooks/internal/child"
)

// Why is the cause of a Failure.
type Why string

// The causes of a Failure. Most are the predicate of a sentence whose subject is the program.
const (
	Unconfigured Why = "no tracker is known"
	NoProgram    Why = "is not installed"
	LoggedOut    Why = "is not logged in"
	NotFound     Why = "found no such repository or PR"
	NoIssues     Why = "reports that issues are turned off in this repository"
	TooOld       Why = "is too old"
	TooSlow      Why = "took too long"
	Unreadable   Why = "printed unreadable output"
	Failed       Why = "failed" // the program's own message describes the cause
	NotAllowed   Why = "was not run, because only the repository configures it"
	Moved        Why = "tracker not asked"
)

// Failure explains why a tracker gave no answer or only part of one. Its text is one line without
// control characters or secrets.
type Failure struct {
	Why     Why
	Program string // gh, glab, tea or the configured command; empty if none was chosen
	Says    string // details on one line, often the program's own message
}

func (f *Failure) Error() string {
	if f.Why == Unconfigured || f.Why == Moved {
		return string(f.Why) + ": " + f.Says
	}
	text := "tracker: " + strings.TrimSpace(f.Program+" "+string(f.Why))
	if f.Says != "" {
		text += " (" + f.Says + ")"
	}
	return text
}

// Hint returns the next step for the user, or an empty string.
func (f *Failure) Hint() string {
	const block = " in CLAUDE.md under SDD Configuration, Tracker"
	switch f.Why {
	case Unconfigured:
		return "name it" + block + ": `- **Type**: github` (or gitlab, gitea, command) and " +
			"`- **Repo**: OWNER/NAME`, and for a self-hosted server `- **Host**: HOST`"
	case NoProgram:
		return "install " + f.Program + ", or configure another tracker" + block
	case LoggedOut:
		switch f.Program {
		case "gh", "glab":
			return "see `" + f.Program + " auth status`"
		case "tea", "tea-cli":
			return "see `" + f.Program + " login list`"
		}
	case NoIssues:
		return "turn issues on, or name the repository that has them" + block
	case TooOld:
		if strings.HasPrefix(f.Program, "tea") {
			return "install tea 0.12 or newer"
		}
		return "install a newer " + f.Program
	case NotFound:
		return "check Owner and Repo" + block + ", and the origin remote"
	case NotAllowed:
		return "review the command, then set " + Allow +
			" to exactly that command in your own environment"
	case Moved:
		return "change the tracker or remote back, or begin a fresh run with the current one"
	case Failed, TooSlow:
		return "wait for the next iteration, which asks the tracker again"
	}
	return ""
}

// failure returns the Failure for a child process with the given error and message.
func failure(err error, says string) *Failure {
	is := func(targets ...error) bool {
		return slices.ContainsFunc(targets, func(t error) bool { return errors.Is(err, t) })
	}
	var f Failure
	switch {
	case is(exec.ErrNotFound, exec.ErrDot, fs.ErrNotExist, fs.ErrPermission):
		f.Why = NoProgram
	case is(context.DeadlineExceeded, context.Canceled):
		f.Why = TooSlow
	case is(child.ErrTooMuch):
		f.Why, f.Says = Unreadable, err.Error()
	default:
		f.Why, f.Says = cause(strings.ToLower(says)), child.Line(says)
		if f.Says == "" && err != nil {
			f.Says = child.Line(err.Error())
		}
	}
	return &f
}

// causes lists words in the messages of programs and forges, in lower case. The first match counts.
// A message that contains none of them has the cause Failed.
var causes = [...]struct {
	why   Why
	words []string
}{
	{LoggedOut, []string{
		"http 401", "401 unauthorized", "bad credentials", "auth login", "not logged in",
		"requires authentication", "no login", "login add", "token was revoked",
		"token is expired", "401 {", "set the gh_token", "no available login", "no gitea login",
		"known gitlab host", "invalid_token", "token is required", "password or token",
	}},
	{NotFound, []string{
		"http 404", "404 not found", "could not resolve to a", "the target couldn't be found",
		"does not exist or you don't have permission",
	}},
	{TooOld, []string{
		"no help topic for", "unknown command", "unknown flag", "unknown shorthand flag",
		"flag provided but not defined",
	}},
}

func cause(says string) Why {
	for _, c := range causes {
		if slices.ContainsFunc(c.words, func(w string) bool { return strings.Contains(says, w) }) {
			return c.why
		}
	}
	return Failed
}

// refused returns the Failure for a request that a server refused with the answer docs, or nil if
// it did not refuse the request. It derives the cause only from the last HTTP status that tea
// printed, because the server's message varies in language and wording.
func refused(says string, docs []gjson.Result) *Failure {
	status := ""
	for line := range strings.Lines(says) {
		words := strings.Fields(line)
		if len(words) > 1 && strings.HasPrefix(words[0], "HTTP/") {
			status = words[1]
		}
	}
	if status == "" || status[0] == '2' {
		return nil
	}
	f := &Failure{Says: "HTTP " + status}
	f.Why = cause(strings.ToLower(f.Says))
	if len(docs) == 1 {
		if m := child.Line(text(docs[0].Get("message"))); m != "" {
			f.Says += ": " + m
		}
	}
	return f
}

// orFailure returns fail if it is not nil. Otherwise it returns a Failure for the error that the
// program's answer reports, or with the cause Unreadable if it reports none.
func orFailure(fail *Failure, doc gjson.Result) *Failure {
	if fail != nil {
		return fail
	}
	for _, path := range []string{"errors.0.message", "message", "error"} {
		if m := text(doc.Get(path)); m != "" {
			return failure(nil, m)
		}
	}
	for _, path := range []string{"data.repository", "data.project"} {
		if r := doc.Get(path); r.Exists() && r.Type == gjson.Null {
			return &Failure{Why: NotFound}
		}
	}
	return &Failure{Why: Unreadable, Says: "it contains no answer"}
}
