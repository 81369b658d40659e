package event

import (
	"regexp"
	"strings"
)

// Named returns the reply with "hooks" replaced by name() in every command of this program, so that
// the command can be run. It calls name only if the reply contains a command; name returns "hooks"
// if no other name is needed.
func (r Reply) Named(name func() string) Reply {
	texts := []*string{&r.reason, &r.context, &r.say}
	if all := r.reason + r.context + r.say; !strings.Contains(all, "hooks ") {
		return r
	}
	commands := regexp.MustCompile("(?m)(^|[ `(])hooks " +
		`(report|gate|loop|cost|backlog|schema|doctor|explain|history|status)([^-\w]|$)`)
	to := ""
	for _, text := range texts {
		if commands.MatchString(*text) {
			if to == "" {
				to = strings.ReplaceAll(name(), "$", "$$")
			}
			*text = commands.ReplaceAllString(*text, "${1}"+to+" ${2}${3}")
		}
	}
	return r
}
