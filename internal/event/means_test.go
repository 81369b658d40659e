package event

import (
	"testing"

	"github.com/tidwall/gjson"
)

// What decides about a loop, on the nearest events that differ in one thing.
func TestMeans(t *testing.T) {
	call := func(tool, input, agent string) Event {
		return Event{Name: PreToolUse, Tool: tool, Input: gjson.Parse(input), AgentID: agent}
	}
	ends := func(status, kind string) Event {
		return Event{Name: Stop, Background: []Task{{Type: kind, Status: status}}}
	}
	schedules := func(e Event) bool {
		_, ok := e.Schedules()
		return ok
	}
	for _, c := range []struct {
		what string
		of   func(Event) bool
		yes  []Event
		no   []Event
	}{
		{"asks", Event.Asks, []Event{call("AskUserQuestion", "{}", "")},
			[]Event{call("AskUserQuestion", "{}", "a1"), call("Bash", "{}", "")}},
		{"dispatches", Event.Dispatches,
			[]Event{call("Agent", "{}", ""), call("Task", "{}", "a1"), call("Workflow", "{}", "")},
			[]Event{call("TaskStop", "{}", "")}},
		{"schedules", schedules,
			[]Event{call("CronCreate", "{}", ""), call("ScheduleWakeup", `{"stop":true}`, "")},
			[]Event{call("CronDelete", "{}", "")}},
		{
			"ends a schedule", Event.EndsSchedule,
			[]Event{call("CronDelete", "{}", ""), call("CronList", "{}", ""),
				call("ScheduleWakeup", `{"stop":true}`, "")},
			[]Event{call("CronCreate", `{"stop":true}`, ""),
				call("ScheduleWakeup", `{"stop":"true"}`, ""), call("ScheduleWakeup", "{}", "")},
		},
		{
			"stops the loop", Event.StopsLoop,
			[]Event{{Name: UserPromptSubmit, Prompt: " /loop stop\n"},
				{Name: UserPromptExpansion, Command: "loop", Args: " stop "}},
			[]Event{{Name: UserPromptSubmit, Prompt: "/loop stop it"},
				{Name: UserPromptExpansion, Command: "sdd:loop", Args: "stop",
					Prompt: "/loop stop"}},
		},
		{
			"workers run", func(e Event) bool { return len(e.Workers()) > 0 },
			[]Event{ends("running", "subagent"), ends("running", "of a kind that comes tomorrow")},
			[]Event{ends("completed", "subagent"), ends("running", "shell"),
				ends("running", "monitor"), {Name: Stop}},
		},
	} {
		for _, e := range c.yes {
			if !c.of(e) {
				t.Errorf("%s: not by %+v", c.what, e)
			}
		}
		for _, e := range c.no {
			if c.of(e) {
				t.Errorf("%s: by %+v", c.what, e)
			}
		}
	}
}
