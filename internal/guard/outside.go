package guard

import (
	"slices"
	"strings"

	"hooks/internal/guard/effect"
	"hooks/internal/guard/shellword"
)

// Outside describes the work that a tool call starts or schedules outside a loop's control. It
// returns an empty string if there is none. It ignores the session's own schedule, and it ignores
// shell commands, because Read detects a client that a command starts.
func Outside(c effect.Call) string {
	skill := effect.LeafText(c.Fields, "skill")
	switch {
	case c.Tool == "RemoteTrigger":
		return "a session in the cloud"
	case shellword.Has("SetGoal ProposeGoal", c.Tool):
		return "a goal, which keeps the session running after the loop"
	case shellword.Has("Agent Task", c.Tool) && effect.LeafText(c.Fields, "isolation") == "remote":
		return "a worker in the cloud"
	case c.Tool == "Skill" &&
		shellword.Has("schedule routines autofix-pr ultrareview ultraplan",
			skill[strings.LastIndexAny(skill, ":/")+1:]):
		return "a session in the cloud or in the background"
	case shellword.Has(silent+" Bash PowerShell Monitor REPL Write Edit MultiEdit NotebookEdit",
		c.Tool):
		return ""
	}
	t, _ := shapeOf(c)
	if slices.ContainsFunc(append(t.dispatched(), t), tool.actsLater) {
		return "scheduled work"
	}
	return ""
}

// actsLater reports whether an unknown tool's fields hold a time together with a prompt, a command
// or a URL. A calendar tool's URL does not count, because calendar entries often have one.
func (t tool) actsLater() bool {
	const verbs = "at fire run start trigger execute send wake launch resume due"
	const looks = "get list read view show describe find search"
	if len(t.Words) > 0 && shellword.Has(looks, t.Words[0]) {
		return false
	}
	time, pause, does, address := false, false, false, false
	calendar := t.Has("calendar meeting appointment")
	for _, fd := range t.Fields {
		all := shellword.NameWords(fd.Path)
		last := shellword.NameWords(fd.Key())
		value := strings.ToLower(strings.TrimSpace(fd.Value))
		does = does || shellword.AnyOf(last, "prompt prompts command commands cmd script")
		address = address || shellword.AnyOf(last, "url urls uri webhook") ||
			shellword.HasPart(value, "http:// https://") && !strings.ContainsAny(value, " \n")
		calendar = calendar || shellword.AnyOf(all, `attendees invitees guests participants calendar
location end ends`)
		if value == "" || shellword.Has("false null none never 0", value) {
			continue
		}
		clock := strings.ContainsAny(value, "0123456789") &&
			(strings.ContainsAny(value, ":-smhdw") || len(value) > 8) ||
			shellword.AnyOf(shellword.NameWords(value), `daily nightly hourly weekly monthly
tomorrow tonight noon midnight later`)
		at := len(last) > 0 && last[len(last)-1] == "at" && shellword.Has(verbs, last[0])
		time = time || clock && (at || shellword.AnyOf(last, "when time delay interval")) ||
			shellword.AnyOf(all, `cron crontab cronexpression schedule schedules scheduled rrule
recurrence recurring every`)
		pause = pause || shellword.AnyOf(last, "delay interval") // even a number without a unit
	}
	return (time || pause) && does || time && address && !calendar
}
