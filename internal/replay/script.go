package replay

import (
	"slices"
	"sort"
	"strings"
	"time"

	"hooks/internal/loop"
	"hooks/internal/usage"
)

// step is a moment that the rules apply to. It includes the tool's result and the spend until the
// next step.
type step struct {
	usage.Moment
	result *usage.Moment // result of a call; nil if the call never returned
	spent  map[string]loop.Tokens
}

// Script holds the steps of a session. Call Add for every moment, then Sort, then Spend.
type Script struct {
	Names []loop.Names // additional looping commands from the configuration
	steps []*step
	open  map[string]*step // calls without a result, by id
}

// Add adds a moment. It ignores calls that no rule applies to.
func (s *Script) Add(m usage.Moment) {
	if m.Kind == usage.Returned {
		if called := s.open[m.ID]; called != nil {
			called.result = new(m.Clone())
			delete(s.open, m.ID)
		}
		return
	}
	if m.Kind == usage.Called && !matters(m) {
		return
	}
	st := &step{Moment: m.Clone()}
	s.steps = append(s.steps, st)
	if m.Kind == usage.Called {
		if s.open == nil {
			s.open = map[string]*step{}
		}
		s.open[m.ID] = st
	}
}

// Sort orders the steps by time. Steps with equal times keep their order.
func (s *Script) Sort() {
	slices.SortStableFunc(s.steps, func(a, b *step) int { return a.At.Compare(b.At) })
}

func (s *Script) Empty() bool { return len(s.steps) == 0 }

// Spend adds the tokens t to the last step that is not after at. If every step is later, it adds
// them to the first one.
func (s *Script) Spend(at time.Time, model string, t loop.Tokens) {
	i := sort.Search(len(s.steps), func(i int) bool { return s.steps[i].At.After(at) })
	if len(s.steps) == 0 {
		return
	}
	to := &s.steps[max(0, i-1)].spent
	if *to == nil {
		*to = map[string]loop.Tokens{}
	}
	(*to)[model] = (*to)[model].Add(t)
}

// invocation returns the looping skill that a step invokes with a slash command or the Skill tool.
// It returns false if the step invokes none.
func (s *Script) invocation(st *step) (loop.Command, bool) {
	name, args := "", ""
	switch {
	case st.Kind == usage.Prompted && strings.HasPrefix(st.Text, "<command-"):
		name, args = strings.TrimPrefix(st.part("command-name"), "/"), st.part("command-args")
	case st.Kind == usage.Called && st.Tool == "Skill" && st.Agent == "":
		name, args = st.Input.Get("skill").String(), st.Input.Get("args").String()
	default:
		return loop.Command{}, false
	}
	c, ok := loop.ParseCommand(name, strings.TrimSpace(args), s.Names...)
	if ok {
		_, ok, _ = c.ParseFlags()
	}
	return c, ok
}

// part returns the text inside the element tag in a prompt, or "" if there is no such element.
func (st *step) part(tag string) string {
	part, _ := usage.Part(st.Text, tag)
	return part
}

// underLoop reports whether a prompt is the client's own /loop command.
func (st *step) underLoop() bool {
	return strings.HasPrefix(st.Text, "<command-") && st.part("command-name") == "/loop"
}

// worker parses a notification that a worker has ended. id is the worker's id, and notification
// reports whether the prompt is such a notification.
func (st *step) worker() (id string, notification bool) {
	return st.part("task-id"), st.Origin == "task_notification" ||
		strings.HasPrefix(st.Text, "<task-notification>")
}

// end returns the time of the last step or result. The script must not be empty.
func (s *Script) end() time.Time {
	at := s.steps[len(s.steps)-1].At
	for _, st := range s.steps {
		if st.result != nil && st.result.At.After(at) {
			at = st.result.At
		}
	}
	return at
}
