package event

import (
	"regexp"
	"slices"
	"strings"

	"hooks/internal/loop"
)

// Asks reports whether the call is a dialog in the main thread. A subagent's dialog does not reach
// a person.
func (e Event) Asks() bool { return e.Tool == toolDialog && !e.InSubagent() }

// Dispatches reports whether the call starts a worker.
func (e Event) Dispatches() bool {
	return slices.Contains([]string{"Agent", "Task", "Workflow"}, e.Tool)
}

// Schedules returns the prompt that the call would schedule. ok is false for any other call.
func (e Event) Schedules() (prompt string, ok bool) {
	if e.Tool != "CronCreate" && e.Tool != "ScheduleWakeup" {
		return "", false
	}
	return e.Text("prompt"), true
}

// EndsSchedule reports whether the call removes schedules or only lists them.
func (e Event) EndsSchedule() bool {
	return e.Tool == "CronDelete" || e.Tool == "CronList" ||
		e.Tool == "ScheduleWakeup" && e.Flag("stop")
}

// Ending returns the call that removes the schedule, as shown to the model.
func (c Cron) Ending() string {
	if c.Recurring {
		return "CronDelete " + c.ID
	}
	return `ScheduleWakeup {"stop":true}`
}

// StopsLoop reports whether a person typed loop.StopWord. Two kinds of events may report it.
func (e Event) StopsLoop() bool {
	if e.Name == UserPromptExpansion {
		return e.Command == "loop" && strings.TrimSpace(e.Args) == "stop"
	}
	return strings.TrimSpace(e.Prompt) == loop.StopWord
}

// Workers returns the ids of agents that continue after the turn ends. Shells and monitors do not
// count.
func (e Event) Workers() (list []string) {
	for _, t := range e.Background {
		if t.Status == "running" && t.Type != "shell" && t.Type != "monitor" {
			list = append(list, t.ID)
		}
	}
	return list
}

// StartsJob returns the id of the background work that a finished call started, and how the call
// described it. ok is false if the call started no background work.
func (e Event) StartsJob() (id, about string, ok bool) {
	switch e.Tool {
	case toolBash, toolPowerShell:
		id = textOr(e.Result("backgroundTaskId"))
	case toolMonitor:
		id = textOr(e.Result("taskId"))
	case "Agent", "Task":
		if textOr(e.Result("status")) == "async_launched" {
			id = textOr(e.Result("agentId"))
		}
	}
	return id, e.Text("description"), id != ""
}

// Wakeup parses the client's own prompt about background work. It is a notification, or text such
// as `Background agent "a" was stopped by the user.` or `2 background agents were stopped by the
// user: "a", "b".` For any other prompt, Wakeup returns nil.
func (e Event) Wakeup() *loop.Wakeup {
	text, ok := strings.CutPrefix(e.Prompt, "<task-notification>")
	if !ok {
		if names := stopped(strings.TrimSpace(e.Prompt)); names != nil {
			return &loop.Wakeup{Stopped: names}
		}
		return nil
	}
	part := func(tag string) string {
		_, rest, _ := strings.Cut(text, "<"+tag+">")
		value, _, _ := strings.Cut(rest, "</"+tag+">")
		return strings.TrimSpace(value)
	}
	status := part("status")
	return &loop.Wakeup{
		Task: part("task-id"), Output: part("output-file"), Summary: part("summary"),
		Ended: status != "" && status != "running",
	}
}

// stopped returns the quoted names in the client's message that a person stopped workers. It
// returns nil for any other text.
func stopped(text string) (names []string) {
	const form = `(?s)^(\d+ b|B)ackground (agent|task).* (stopped|interrupted) by the user`
	if ok, _ := regexp.MatchString(form, text); !ok {
		return nil
	}
	for i, part := range strings.Split(text, `"`) {
		if i%2 == 1 {
			names = append(names, part)
		}
	}
	return names
}
