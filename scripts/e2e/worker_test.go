//go:build e2e && linux

package e2e

import (
	"encoding/json"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"time"
)

// Worker is the scripted model of most scenarios: it runs /loop and the skills as they ask, reports
// its facts, does what a Stop hook asks of it, and asks its questions in words of its own. Its
// fields are read-only once it runs.
type Worker struct {
	// Usage is what the iteration's own answer costs, by iteration; the zero value is a small
	// answer.
	Usage func(iteration int) Usage
	// Work are the tool calls of an iteration before its report.
	Work func(iteration int) []Call
	// AtOnce puts calls of one tool that follow each other into one answer.
	AtOnce bool
	// Hasty are the tool calls it tries before it puts a question that waits.
	Hasty []Call
	// Report is what it reports of an iteration; empty, the same quiet backlog every time, so that
	// nothing drifts.
	Report func(iteration int) string
	// Hold delays the iteration's last answer.
	Hold func(iteration int) <-chan struct{}
	// Deaf does not delete a schedule when asked to.
	Deaf bool
}

var (
	skillPattern = regexp.MustCompile(
		`Do one (?:work|review) iteration|Skill /sdd:(?:work|review) is already loaded`)
	iterationPattern = regexp.MustCompile(`Loop Iteration (\d+)/`)
	loopPattern      = regexp.MustCompile(
		`<command-name>/loop</command-name>\s*<command-args>(1m )?(.*?)</command-args>`)
	deletePattern = regexp.MustCompile("CronDelete[^0-9a-f\n]{1,20}?([0-9a-f]{8})")
	wakePattern   = regexp.MustCompile(`ScheduleWakeup (\{.*?\})`)
)

// paraphrase is the worker's own question, which the hooks replace.
const paraphrase = "We are getting close to the limit, shall I just carry on?"

// Say is the script.
func (w Worker) Say(r Request) Turn {
	prompt, done := r.Prompt(), len(r.Calls())
	steps, last := w.plan(prompt)
	if done >= len(steps) {
		return last
	}
	end := done + 1
	for w.AtOnce && end < len(steps) && steps[end].Name == steps[done].Name {
		end++
	}
	return Turn{Calls: steps[done:end]}
}

// plan is what one prompt leads to: tool calls one after another, and then the last answer.
func (w Worker) plan(prompt string) ([]Call, Turn) {
	switch {
	case strings.Contains(prompt, "Stop hook feedback:"):
		return w.obey(prompt), Turn{Text: "done as asked"}
	case skillPattern.MatchString(prompt):
		return w.iterate(prompt)
	case strings.Contains(prompt, "<command-name>/loop</command-name>"):
		return startLoop(prompt), Turn{Text: "the loop runs"}
	}
	return nil, Turn{Text: "I hear you"}
}

func startLoop(prompt string) []Call {
	match := loopPattern.FindStringSubmatch(prompt)
	if match == nil {
		return nil
	}
	name, args, _ := strings.Cut(strings.TrimPrefix(match[2], "/"), " ")
	run := Call{"Skill", map[string]any{"skill": name, "args": args}}
	if match[1] == "" {
		return []Call{run}
	}
	return []Call{
		load("CronCreate", "CronDelete", "CronList", "AskUserQuestion"),
		{"CronCreate", map[string]any{"cron": "*/1 * * * *", "prompt": match[2],
			"recurring": true}}, run,
	}
}

func (w Worker) iterate(prompt string) ([]Call, Turn) {
	n := 0
	if m := iterationPattern.FindAllStringSubmatch(prompt, -1); m != nil {
		n, _ = strconv.Atoi(m[len(m)-1][1])
	}
	var steps []Call
	if strings.Contains(prompt, "Call AskUserQuestion") {
		steps = append(append(steps, w.Hasty...), askInOwnWords()...)
	}
	if w.Work != nil {
		steps = append(steps, w.Work(n)...)
	}
	if n > 0 {
		steps = append(steps, bash("hooks report <<'JSON'\n"+w.facts(n, prompt)+"\nJSON"))
	}
	last := Turn{Text: fmt.Sprintf("iteration %d is over", n)}
	if w.Usage != nil {
		last.Usage = w.Usage(n)
	}
	if w.Hold != nil {
		last.Hold = w.Hold(n)
	}
	return steps, last
}

// askInOwnWords is how the worker puts any question: loaded first, as the dialog is a deferred
// tool, and paraphrased.
func askInOwnWords() []Call {
	question := map[string]any{
		"question": paraphrase, "header": "Limit", "multiSelect": false,
		"options": []any{
			map[string]any{"label": "sure", "description": "carry on"},
			map[string]any{"label": "nope", "description": "end it"},
		},
	}
	return []Call{load("AskUserQuestion"),
		{"AskUserQuestion", map[string]any{"questions": []any{question}}}}
}

func (w Worker) facts(iteration int, prompt string) string {
	switch {
	case w.Report != nil:
		return w.Report(iteration)
	case strings.Contains(prompt, "/sdd:review"):
		return `{"skill":"review","prs":[{"number":142,"state":"open"}],"outcome":"ok"}`
	}
	return quiet
}

// quiet is a report of an iteration in which nothing changed.
const quiet = `{"skill":"work","backlog":{"unblocked":[143],"blocked":[],"in_progress":[]},` +
	`"plan":[143],"outcome":"ok"}`

// obey does what a Stop hook asked for, as far as the worker listens.
func (w Worker) obey(prompt string) []Call {
	if strings.Contains(prompt, "Call AskUserQuestion") {
		return askInOwnWords()
	}
	if m := deletePattern.FindStringSubmatch(prompt); m != nil && !w.Deaf {
		return []Call{{"CronDelete", map[string]any{"id": m[1]}}}
	}
	if m := wakePattern.FindStringSubmatch(prompt); m != nil && !w.Deaf {
		var input map[string]any
		if json.Unmarshal([]byte(m[1]), &input) == nil {
			return []Call{{"ScheduleWakeup", input}}
		}
	}
	return nil
}

func load(tools ...string) Call {
	return Call{"ToolSearch", map[string]any{"query": "select:" + strings.Join(tools, ","),
		"max_results": 5}}
}

func bash(command string) Call {
	return Call{"Bash", map[string]any{"command": command, "description": "run"}}
}

// busy is a Bash call that works for the given time; the client refuses a plain sleep.
func busy(d time.Duration) Call {
	return bash(fmt.Sprintf("python3 -c 'import time; time.sleep(%g)'", d.Seconds()))
}
