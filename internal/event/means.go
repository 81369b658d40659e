package event

import (
	"slices"
	"strings"
)

// Asks says that the call is a dialog of the session's own thread: in a subagent's no person is
// asked.
func (e Event) Asks() bool { return e.Tool == toolDialog && !e.InSubagent() }

// Dispatches says that the call sends a worker off.
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

// EndsSchedule says that the call takes a schedule away, or only looks at it.
func (e Event) EndsSchedule() bool {
	return e.Tool == "CronDelete" || e.Tool == "CronList" || e.Tool == "ScheduleWakeup" && e.Flag("stop")
}

// Ending is the call that takes the schedule away, as the model is asked for it.
func (c Cron) Ending() string {
	if c.Recurring {
		return "CronDelete " + c.ID
	}
	return `ScheduleWakeup {"stop":true}`
}

// StopWord is the client's own way to end a loop.
const StopWord = "/loop stop"

// StopsLoop says that a person typed it, whichever of its two events tells.
func (e Event) StopsLoop() bool {
	if e.Name == UserPromptExpansion {
		return e.Command == "loop" && strings.TrimSpace(e.Args) == "stop"
	}
	return strings.TrimSpace(e.Prompt) == StopWord
}

// WorkersRunning says that agents go on after the turn; shells and monitors that do are no workers.
func (e Event) WorkersRunning() bool {
	return slices.ContainsFunc(e.Background, func(t Task) bool {
		return t.Status == "running" && t.Type != "shell" && t.Type != "monitor"
	})
}
