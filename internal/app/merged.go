package app

import (
	"strconv"
	"strings"

	"hooks/internal/event"
	"hooks/internal/guard"
)

// saysMerged reports whether the answer of a call reports a PR as merged. only says that the call
// merges no other PR, so an answer without a number is about this one. An exit code proves
// nothing: curl ends well on a conflict, gh on a PR that is merely queued.
func saysMerged(ev event.Event, pr int, only bool) bool {
	text := strings.ToLower(ev.Response.Raw)
	for _, rest := range strings.Split(text, "merged pull request ")[1:] { // as gh says it
		_, rest, _ = strings.Cut(rest, "#")
		end := strings.IndexFunc(rest+" ", func(r rune) bool { return r < '0' || r > '9' })
		if n, err := strconv.Atoi(rest[:end]); err == nil && n == pr {
			return true
		}
	}
	if !only {
		return false
	}
	bare := strings.NewReplacer(`\n`, "", `\`, "", `"`, "", " ", "").Replace(text)
	said := [...]string{"merged:true", "state:merged", "squashedandmerged!", "✓merged!"}
	for _, words := range said {
		if strings.Contains(bare, words) {
			return true
		}
	}
	azure := strings.Contains(bare, "mergestatus:succeeded")
	return azure && strings.Contains(bare, ",status:completed")
}

// number counts the acts of a kind.
func number(acts []guard.Act, kind guard.Kind) (n int) {
	for _, a := range acts {
		if a.Kind == kind {
			n++
		}
	}
	return n
}
