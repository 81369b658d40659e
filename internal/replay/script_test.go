package replay

import (
	"fmt"
	"testing"
	"time"

	"github.com/tidwall/gjson"

	"hooks/internal/loop"
	"hooks/internal/usage"
)

var noon = time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)

// The moments of several threads come in the order of time, and what was spent belongs to the last
// one before it.
func TestSpendBelongsToTheLastStep(t *testing.T) {
	var s Script
	for _, minute := range []int{0, 10, 5} { // the last one is a worker's
		s.Add(usage.Moment{Kind: usage.TurnEnded,
			At: noon.Add(time.Duration(minute) * time.Minute)})
	}
	s.Sort()
	for _, minute := range []int{-1, 0, 4, 5, 11} {
		s.Spend(noon.Add(time.Duration(minute)*time.Minute), "m", loop.Tokens{Output: 1})
	}
	got := ""
	for _, st := range s.steps {
		got += fmt.Sprintf(" %d", st.spent["m"].Output)
	}
	if got != " 3 1 1" {
		t.Errorf("spent %s", got)
	}
}

// Both ways in are recognised; words that look alike and calls of workers are none.
func TestInvocation(t *testing.T) {
	slash := func(name, args string) *step {
		return &step{Moment: usage.Moment{Text: "<command-name>/" + name +
			"</command-name><command-args>" + args + "</command-args>"}}
	}
	skill := func(agent, name, args string) *step {
		return &step{Moment: usage.Moment{Kind: usage.Called, Agent: agent, Tool: "Skill",
			Input: gjson.Parse(fmt.Sprintf(`{"skill":%q,"args":%q}`, name, args))}}
	}
	var script Script
	for want, steps := range map[string][]*step{
		"work": {slash("sdd:work", "--loop"), slash("work", " --loop --max-prs 3 "),
			skill("", "sdd:work", "--loop")},
		"review": {slash("sdd:review", "--loop --pr 142"), skill("", "review", "--pr 142 --loop")},
		"": {
			slash("sdd:work", ""), slash("loop", "/sdd:work --loop"),
			skill("w1", "sdd:work", "--loop"), skill("", "other", "--loop"),
			{Moment: usage.Moment{Text: "type " +
				"<command-name>/sdd:work</command-name><command-args>--loop</command-args>"}},
		},
	} {
		for _, st := range steps {
			c, ok := script.invocation(st)
			if got := string(c.Skill); ok != (want != "") || ok && got != want {
				t.Errorf("%q %s: %q, %v", st.Text, st.Input.Raw, got, ok)
			}
		}
	}
}
