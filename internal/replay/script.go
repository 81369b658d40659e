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

// Bounds of what is held of a session. Beyond them calls are counted, not judged.
const (
	maxCalls  = 30_000
	maxSteps  = 100_000
	maxText   = 12 << 20 // bytes, of all calls together
	maxPrompt = 4 << 10  // bytes of one prompt: a command is at its beginning
	maxAnswer = 64 << 10 // bytes of one result
	maxOpen   = 4096     // calls whose results are awaited
)

// Step is a moment of the session that matters to the rules, with what the tool gave and what was
// spent until the next.
type Step struct {
	usage.Moment
	result *usage.Moment // of a call; nil where it never came back
	spent  map[string]loop.Tokens
	names  []loop.Names // as of Script
}

// Script is a session in the order in which it happened: Add every moment, then Sort, then Spend.
type Script struct {
	Names  []loop.Names // of looping commands, that the configuration adds to ours
	Steps  []*Step
	before map[string]loop.Tokens // spent before the first step
	Left   int                    // calls beyond the bounds
	calls  int
	text   int
	// calls awaiting their result; nil for one that matters only if it fails
	open map[string]*Step
}

// Add takes a moment in. Of a call that the rules do not care about, a shell's failure may still be
// a sign.
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
	if len(s.open) >= maxOpen || s.open == nil { // results that never came
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
	if st == nil { // the failure is all that matters of it
		s.calls++
		st = &Step{Moment: usage.Moment{Kind: usage.Called, At: r.At, Agent: r.Agent, ID: r.ID,
			Tool: "Bash", Input: gjson.Parse(`{"command":""}`)}}
		s.Steps = append(s.Steps, st)
	}
	st.result = &r
}

// own is a moment in memory of its own. Of a long result the end is kept, where tools put
// addresses.
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

// short keeps of a long result how it ended and the members that name a worker.
func short(r gjson.Result) gjson.Result {
	if status := r.Get("status"); status.Type == gjson.String {
		return gjson.Parse(strings.Clone(`{"status":` + status.Raw + `,"agentId":` +
			r.Get("agentId").Raw + `}`))
	}
	return gjson.Result{Type: gjson.String, Raw: strings.Clone(r.Raw[len(r.Raw)-maxAnswer:])}
}

// Sort puts the moments of all threads in order; those of one thread keep theirs.
func (s *Script) Sort() {
	s.open = nil
	for _, st := range s.Steps {
		st.names = s.Names
	}
	slices.SortStableFunc(s.Steps, func(a, b *Step) int { return a.At.Compare(b.At) })
}

// Spend adds what was spent at a time to the last step before it.
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

// invocation is the looping skill that a step invokes: by the slash command of a prompt, or by the
// Skill tool.
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

// stopTyped reports whether a person ends the loop by the client's own word for it.
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

// end is when the last thing happened in a session that has steps.
func (s *Script) end() time.Time {
	at := s.Steps[len(s.Steps)-1].At
	for _, st := range s.Steps {
		if st.result != nil && st.result.At.After(at) {
			at = st.result.At
		}
	}
	return at
}
