package event

import (
	"slices"
	"strconv"
	"strings"
)

// Asks reports whether the call is a dialog of the session's own thread. In a subagent's no person
// is asked.
func (e Event) Asks() bool { return e.Tool == toolDialog && !e.InSubagent() }

// Dispatches reports whether the call starts a worker.
func (e Event) Dispatches() bool {
	return slices.Contains([]string{"Agent", "Task", "Workflow"}, e.Tool)
}

// Schedules is the prompt that a call would schedule; ok is false for every other call.
func (e Event) Schedules() (prompt string, ok bool) {
	if e.Tool != "CronCreate" && e.Tool != "ScheduleWakeup" {
		return "", false
	}
	return e.Text("prompt"), true
}

// EndsSchedule reports whether the call removes a schedule, or only looks at it.
func (e Event) EndsSchedule() bool {
	return e.Tool == "CronDelete" || e.Tool == "CronList" ||
		e.Tool == "ScheduleWakeup" && e.Flag("stop")
}

// Ending is the call that removes the schedule, in the words in which the model is asked for it.
func (c Cron) Ending() string {
	if c.Recurring {
		return "CronDelete " + c.ID
	}
	return `ScheduleWakeup {"stop":true}`
}

// StopWord is the client's own way to end a loop.
const StopWord = "/loop stop"

// StopsLoop reports whether a person typed StopWord. Either of its two events may arrive.
func (e Event) StopsLoop() bool {
	if e.Name == UserPromptExpansion {
		return e.Command == "loop" && strings.TrimSpace(e.Args) == "stop"
	}
	return strings.TrimSpace(e.Prompt) == StopWord
}

// Workers are the ids of the agents that continue after the turn. Shells and monitors are no
// workers.
func (e Event) Workers() (list []string) {
	for _, t := range e.Background {
		if t.Status == "running" && t.Type != "shell" && t.Type != "monitor" {
			list = append(list, t.ID)
		}
	}
	return list
}

// StartsJob returns the id of the background work that a call's result names, and the call's
// description of it. ok is false if nothing continues after the call.
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

// Wakeup is a prompt that the client itself made for background work.
type Wakeup struct {
	Task, Output, Summary string
	Ended                 bool     // the task is over
	Stopped               []string // descriptions of the workers that a person stopped
}

const notification = "<task-notification>" // begins the client's own words for background work

// Wakeup reads a prompt in the client's own words for background work; ok is false for any other.
// They are a notification, or as in `Background agent "a" was stopped by the user.` and
// `2 background agents were stopped by the user: "a", "b".`
func (e Event) Wakeup() (w Wakeup, ok bool) {
	text, ok := strings.CutPrefix(e.Prompt, notification)
	if !ok {
		w.Stopped = stopped(strings.TrimSpace(e.Prompt))
		return w, w.Stopped != nil
	}
	part := func(tag string) string {
		_, rest, _ := strings.Cut(text, "<"+tag+">")
		value, _, _ := strings.Cut(rest, "</"+tag+">")
		return strings.TrimSpace(value)
	}
	w.Task, w.Output, w.Summary = part("task-id"), part("output-file"), part("summary")
	status := part("status")
	w.Ended = status != "" && status != "running"
	return w, true
}

// stopped are the quoted names in the client's words for workers that a person stopped, nil for any
// other text.
func stopped(text string) (names []string) {
	count, rest, _ := strings.Cut(text, " ")
	if _, err := strconv.Atoi(count); err == nil {
		text = "B" + strings.TrimPrefix(rest, "b")
	}
	byUser := strings.Contains(text, " stopped by the user") ||
		strings.Contains(text, " interrupted by the user")
	if !byUser || !strings.HasPrefix(text, "Background agent") &&
		!strings.HasPrefix(text, "Background task") {
		return nil
	}
	for i, part := range strings.Split(text, `"`) {
		if i%2 == 1 {
			names = append(names, part)
		}
	}
	return names
}
