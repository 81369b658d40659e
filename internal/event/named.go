package event

import (
	"regexp"
	"strings"
	"sync"
)

// command matches a command of this program as it may appear in a reply.
const command = "(?m)(?:^|[ `(])hooks (?:report|gate|loop|cost|backlog|schema|doctor|explain|" +
	`history|status)(?:[^-_\pL\pN\n]|$)`

// Named returns the reply with "hooks" replaced by name() in every command of this program, so that
// a person or the model can run it. It calls name only if the reply contains a command. name
// returns "hooks" if the command works as it is.
func (r Reply) Named(name func() string) Reply {
	name = sync.OnceValue(name)
	for _, text := range []*string{&r.Reason, &r.context, &r.Said} {
		if !strings.Contains(*text, "hooks ") {
			continue
		}
		// Compiled here, because many replies contain no command.
		commands := regexp.MustCompile(command)
		*text = commands.ReplaceAllStringFunc(*text, func(found string) string {
			return strings.Replace(found, "hooks", name(), 1)
		})
	}
	return r
}
