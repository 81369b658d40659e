package event

import (
	"slices"
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

// StartsJob is the id of the background work that a call's result names, and what the call says it
// is about. ok is false where nothing continues after the call.
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
	Ended                 bool   // the task is over
	Stopped               string // the description of the worker that a person stopped
}

// The client's own words for background work.
const (
	notification = "<task-notification>"
	stoppedHead  = `Background agent "`
	stoppedFoot  = `" was stopped by the user.`
)

// Wakeup reads a prompt in the client's own words for background work; ok is false for any other.
func (e Event) Wakeup() (w Wakeup, ok bool) {
	if about, found := strings.CutPrefix(e.Prompt, stoppedHead); found {
		w.Stopped, ok = strings.CutSuffix(strings.TrimSpace(about), stoppedFoot)
		return w, ok
	}
	text, ok := strings.CutPrefix(e.Prompt, notification)
	if !ok {
		return w, false
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
