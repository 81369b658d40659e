// Package forgetest provides stand-ins for gh, glab and tea in tests. They are programs on PATH
// that answer from a directory of recorded JSON and log their calls.
//
// The directory holds one file for each kind of question: issues.json, prs.json, pr-142.json, and
// for tea comments-142.json, reviews-142.json, thread-7.json (for review 7), dependencies-142.json,
// repo.json and user.json. Further pages are in issues.2.json and so on. If issues.err exists, its
// text goes to stderr and the exit code is 1. issues.sleep holds a delay, such as "10s". The other
// kinds may have the same extra files. Each call adds one line to calls.log.
//
// tea -i prints an HTTP status on stderr. It is the text of issues.status, such as "410 Gone", or
// else 200, or 404 if there is no answer. The exit code is 0, whatever the status.
package forgetest

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"
)

// Install writes the programs to bin, which must come first on PATH. They are shell scripts that
// start self, a test binary whose TestMain calls Play.
func Install(bin, answers, self string) error {
	if err := os.MkdirAll(bin, 0o755); err != nil {
		return err
	}
	for _, program := range []string{"gh", "glab", "tea"} {
		script := fmt.Sprintf("#!/bin/sh\nSTANDIN=%s STANDIN_DIR='%s' exec '%s' \"$@\"\n",
			program, answers, self)
		if err := os.WriteFile(filepath.Join(bin, program), []byte(script), 0o755); err != nil {
			return err
		}
	}
	return nil
}

// Alone removes git's variables from this process's environment. If a git hook runs the tests, git
// sets them, and every git command in a test would then use the developer's own repository.
func Alone() {
	for _, kv := range os.Environ() {
		if name, _, _ := strings.Cut(kv, "="); strings.HasPrefix(name, "GIT_") {
			_ = os.Unsetenv(name)
		}
	}
}

// Play answers one call and exits if the process was started as a stand-in. Otherwise it returns.
func Play() {
	if program := os.Getenv("STANDIN"); program != "" {
		os.Exit(play(program, os.Getenv("STANDIN_DIR"), os.Args[1:]))
	}
}

func play(program, dir string, args []string) int {
	kind, page := question(args)
	read := func(name string) (string, bool) {
		text, err := os.ReadFile(filepath.Join(dir, name))
		return string(text), err == nil
	}
	log := filepath.Join(dir, "calls.log")
	calls, err := os.OpenFile(log, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	fmt.Fprintf(calls, "%s %s %s\n", program, kind, place(args))
	calls.Close()
	if text, ok := read(kind + ".sleep"); ok {
		d, _ := time.ParseDuration(strings.TrimSpace(text))
		time.Sleep(d)
	}
	first, found := read(kind + ".json")
	if text, ok := read(kind + ".status"); ok {
		fmt.Fprintf(os.Stderr, "HTTP/1.1 %s\n", strings.TrimSpace(text))
		fmt.Print(first)
		return 0
	}
	more := found
	for n, text := 1, first; more; n++ {
		if page == 0 || page == n {
			fmt.Print(text)
		}
		text, more = read(fmt.Sprintf("%s.%d.json", kind, n+1))
	}
	if text, ok := read(kind + ".err"); ok {
		fmt.Fprint(os.Stderr, text)
		return 1
	}
	code := 0
	_, whole := read(fmt.Sprintf("%s.%d.json", kind, page))
	switch { // without a file, a list is empty and a single item is not found
	case found && (page < 2 || whole):
	case page > 0:
		fmt.Println("[]")
	case kind == "prs":
		const none = `{"pageInfo":{"hasNextPage":false},"nodes":[]}`
		fmt.Println(`{"data":{"repository":{"pullRequests":` + none +
			`},"project":{"mergeRequests":` + none + `}}}`)
	default:
		code = 1
	}
	switch status := slices.Contains(args, "-i"); {
	case status && code == 0:
		fmt.Fprintln(os.Stderr, "HTTP/1.1 200 OK\nContent-Type: application/json")
	case status:
		fmt.Fprintln(os.Stderr, "HTTP/1.1 404 Not Found")
		fmt.Println(`{"message":"nicht gefunden"}`)
		return 0
	case code != 0:
		fmt.Fprintf(os.Stderr, "%s: Not Found (HTTP 404)\n", program)
	}
	return code
}

// question returns the kind of question in args. page is 0, except for a list from tea.
func question(args []string) (kind string, page int) {
	all := strings.Join(args, " ")
	number := regexp.MustCompile(`(?:number|iid)=(\d+)`).FindStringSubmatch(all)
	switch {
	case number != nil:
		return "pr-" + number[1], 0
	case strings.Contains(all, "pullRequests(") || strings.Contains(all, "mergeRequests("):
		return "prs", 0
	case strings.Contains(all, "issues("):
		return "issues", 0
	}
	m := regexp.MustCompile(`repos/[^/]+/[^/]+/(issues|pulls)(?:/(\d+))?` +
		`(?:/(comments|reviews|dependencies))?(?:/(\d+)/comments)?(?:\?.*page=(\d+))?`,
	).FindStringSubmatch(all)
	switch {
	case m == nil && args[len(args)-1] == "user":
		return "user", 0
	case m == nil:
		return "repo", 0
	case m[4] != "":
		return "thread-" + m[4], 0
	}
	fmt.Sscan(m[5], &page)
	switch {
	case m[3] != "":
		return m[3] + "-" + m[2], page
	case m[2] != "":
		return "pr-" + m[2], 0
	case m[1] == "pulls":
		return "prs", page
	}
	return "issues", page
}

// place returns the arguments that show a call's target: host, owner and repository.
func place(args []string) string {
	var parts []string
	named := regexp.MustCompile(`^(owner=|name=|path=|repos/)`)
	for i, a := range args {
		switch {
		case (a == "--hostname" || a == "--login") && i+1 < len(args):
			parts = append(parts, args[i+1])
		case named.MatchString(a):
			parts = append(parts, a)
		}
	}
	return strings.Join(parts, " ")
}
