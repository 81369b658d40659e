package replay

import (
	"slices"
	"sort"
	"strings"
	"time"

	"github.com/tidwall/gjson"

	"hooks/internal/loop"
	"hooks/internal/usage"
)

// Bounds of a session in memory. Calls beyond them are counted, but not judged.
const (
	maxCalls  = 30_000
	maxSteps  = 100_000
	maxText   = 12 << 20 // bytes, of all calls together
	maxPrompt = 4 << 10  // bytes of one prompt; a command is at its beginning
	maxAnswer = 64 << 10 // bytes of one result
	maxOpen   = 4096     // calls whose results are awaited
)

// Step is a moment of the session that matters to the rules, with the tool's result and the spend
// until the next step.
type Step struct {
	usage.Moment
	result *usage.Moment // of a call; nil if it never returned
	spent  map[string]loop.Tokens
	names  []loop.Names // as in Script
}

// Script holds the steps of a session. Call Add for every moment, then Sort, then Spend.
type Script struct {
	Names  []loop.Names // looping commands that the configuration adds to ours
	Steps  []*Step
	before map[string]loop.Tokens // spent before the first step
	Left   int                    // calls beyond the bounds
	calls  int
	text   int
	// open holds the calls without a result, by id. A call is nil if it matters only if it fails.
	open map[string]*Step
}

// Add adds a moment. It ignores calls that no rule applies to, except shell calls that fail,
// because a failure may be a symptom.
func (s *Script) Add(m usage.Moment) {
	switch m.Kind {
	case usage.Called:
		s.call(m)
	case usage.Returned:
		s.result(m)
	default:
		if len(s.Steps) < maxSteps {
			s.Steps = append(s.Steps, &Step{Moment: own(m)})
		}
	}
}

func (s *Script) call(m usage.Moment) {
	wanted, shells := matters(m), []string{"Bash", "PowerShell", "Monitor"}
	if !wanted && !slices.Contains(shells, m.Tool) {
		return
	}
	if len(s.open) >= maxOpen || s.open == nil { // drop calls that never returned
		s.open = map[string]*Step{}
	}
	id := strings.Clone(m.ID)
	if !wanted {
		s.open[id] = nil
		return
	}
	if s.calls == maxCalls || s.text+len(m.Input.Raw) > maxText {
		s.Left++
		return
	}
	st := &Step{Moment: own(m)}
	s.calls, s.text = s.calls+1, s.text+len(m.Input.Raw)
	s.Steps, s.open[id] = append(s.Steps, st), st
}

func (s *Script) result(m usage.Moment) {
	st, awaited := s.open[m.ID]
	delete(s.open, m.ID)
	if !awaited || st == nil && m.Error == "" {
		return
	}
	size := len(m.Response.Raw) + len(m.Error)
	if s.text+min(size, maxAnswer) > maxText || s.calls == maxCalls {
		s.Left++
		return
	}
	r := own(m)
	s.text += min(size, maxAnswer)
	if st == nil { // only the failure matters
		s.calls++
		st = &Step{Moment: usage.Moment{Kind: usage.Called, At: r.At, Agent: r.Agent, ID: r.ID,
			Tool: "Bash", Input: gjson.Parse(`{"command":""}`)}}
		s.Steps = append(s.Steps, st)
	}
	st.result = &r
}

// own returns a copy of a moment that does not share memory with its transcript line. It keeps only
// the end of a long result, where tools print addresses.
func own(m usage.Moment) usage.Moment {
	for _, s := range []*string{&m.Agent, &m.Prompt, &m.Origin, &m.Cwd, &m.Branch, &m.ID, &m.Tool} {
		*s = strings.Clone(*s)
	}
	m.Text = strings.Clone(m.Text[:min(len(m.Text), maxPrompt)])
	m.Error = strings.Clone(m.Error[:min(len(m.Error), maxAnswer)])
	if m.Input.Raw != "" {
		m.Input = gjson.Parse(strings.Clone(m.Input.Raw))
	}
	switch raw := m.Response.Raw; {
	case len(raw) > maxAnswer:
		m.Response = short(m.Response)
	case raw != "":
		m.Response = gjson.Parse(strings.Clone(raw))
	}
	return m
}

// short returns the status and the worker of a long result or, if it has no status, its end.
func short(r gjson.Result) gjson.Result {
	if status := r.Get("status"); status.Type == gjson.String {
		return gjson.Parse(strings.Clone(`{"status":` + status.Raw + `,"agentId":` +
			r.Get("agentId").Raw + `}`))
	}
	return gjson.Result{Type: gjson.String, Raw: strings.Clone(r.Raw[len(r.Raw)-maxAnswer:])}
}

// Sort orders the steps by time. Steps with equal times keep their order.
func (s *Script) Sort() {
	s.open = nil
	for _, st := range s.Steps {
		st.names = s.Names
	}
	slices.SortStableFunc(s.Steps, func(a, b *Step) int { return a.At.Compare(b.At) })
}

// Spend adds tokens spent at a time to the last step that is not after it.
func (s *Script) Spend(at time.Time, model string, t loop.Tokens) {
	i := sort.Search(len(s.Steps), func(i int) bool { return s.Steps[i].At.After(at) })
	to := &s.before
	if i > 0 {
		to = &s.Steps[i-1].spent
	}
	if *to == nil {
		*to = map[string]loop.Tokens{}
	}
	(*to)[model] = (*to)[model].Add(t)
}

// loops reports whether a looping skill was invoked in the session.
func (s *Script) loops() bool {
	return slices.ContainsFunc(s.Steps, func(st *Step) bool {
		_, ok := st.invocation()
		return ok
	})
}

// invocation returns the looping skill that a step invokes, by a slash command or by the Skill
// tool. It returns false if the step invokes no such skill.
func (st *Step) invocation() (loop.Command, bool) {
	name, args := "", ""
	switch {
	case st.Kind == usage.Prompted && strings.HasPrefix(st.Text, "<command-"):
		name, args = strings.TrimPrefix(st.part("command-name"), "/"), st.part("command-args")
	case st.Kind == usage.Called && st.Tool == "Skill" && st.Agent == "":
		name, args = st.Input.Get("skill").String(), st.Input.Get("args").String()
	default:
		return loop.Command{}, false
	}
	c, ok := loop.ParseCommand(name, strings.TrimSpace(args), st.names...)
	if !ok {
		return c, false
	}
	_, looping, _ := c.ParseFlags()
	return c, looping
}

// part returns the part of a prompt that the client marks with tag. It is empty if the prompt has
// no such part.
func (st *Step) part(tag string) string {
	part, _ := usage.Part(st.Text, tag)
	return part
}

// underLoop reports whether a prompt is the client's own /loop command.
func (st *Step) underLoop() bool {
	return strings.HasPrefix(st.Text, "<command-") && st.part("command-name") == "/loop"
}

// stopTyped reports whether a prompt ends the loop by the client's own command, /loop stop.
func (st *Step) stopTyped() bool {
	return st.underLoop() && strings.TrimSpace(st.part("command-args")) == "stop" ||
		strings.TrimSpace(st.Text) == "/loop stop"
}

// worker returns the id of the worker whose end a prompt reports, and whether the prompt is such a
// notification.
func (st *Step) worker() (id string, notification bool) {
	return st.part("task-id"), st.Origin == "task_notification" ||
		strings.HasPrefix(st.Text, "<task-notification>")
}

// end returns the time of the last step or result. The script must have a step.
func (s *Script) end() time.Time {
	at := s.Steps[len(s.Steps)-1].At
	for _, st := range s.Steps {
		if st.result != nil && st.result.At.After(at) {
			at = st.result.At
		}
	}
	return at
}
