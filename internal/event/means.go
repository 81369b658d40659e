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

// WorkersRunning reports whether agents continue after the turn. Shells and monitors are no
// workers.
func (e Event) WorkersRunning() bool {
	return slices.ContainsFunc(e.Background, func(t Task) bool {
		return t.Status == "running" && t.Type != "shell" && t.Type != "monitor"
	})
}
