package tasks

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"hooks/internal/loop"
)

// phases lists the phases of a run. The loop works only in execution (T17).
var phases = []string{
	"intake", "spec", "review", "decompose", "execution", "verification", "closure",
}

// View is the content of .sdd-state.json, which shows a run's state to people and other tools. The
// specification defines the names, types and order of the fields (T16–T28).
type View struct {
	LinearIssue         string `json:"linearIssue"`
	Phase               string `json:"phase"`
	TaskIndex           int    `json:"taskIndex"`
	TotalTasks          int    `json:"totalTasks"`
	TaskIteration       int    `json:"taskIteration"` // from 1
	MaxTaskIterations   int    `json:"maxTaskIterations"`
	GlobalIteration     int    `json:"globalIteration"`
	MaxGlobalIterations int    `json:"maxGlobalIterations"`
	ExecutionMode       string `json:"executionMode"`
	GatesPassed         []int  `json:"gatesPassed"`  // a subset of 1, 2, 3
	AwaitingGate        *int   `json:"awaitingGate"` // nil if no gate is open
	SpecPath            string `json:"specPath"`     // relative to the project
	CreatedAt           string `json:"createdAt"`    // ISO 8601
	LastUpdatedAt       string `json:"lastUpdatedAt"`
}

// View returns the contents of the run's state file.
func (r *Run) View(run *loop.Budget, now time.Time) []byte {
	v := View{
		LinearIssue: r.Issue, Phase: r.Phase, TaskIndex: r.Index, TotalTasks: len(r.List),
		TaskIteration: r.Try, MaxTaskIterations: r.MaxTries, GlobalIteration: run.IterationsUsed,
		MaxGlobalIterations: run.Ceilings.Iterations, ExecutionMode: r.Mode, GatesPassed: r.Passed,
		SpecPath: r.Spec, CreatedAt: run.StartedAt.Format(time.RFC3339),
		LastUpdatedAt: now.Format(time.RFC3339),
	}
	if n := AwaitingGate(run); n > 0 {
		v.AwaitingGate = &n
	}
	return v.Text()
}

// Text returns the view as indented JSON with a final line break.
func (v View) Text() []byte {
	if v.GatesPassed == nil {
		v.GatesPassed = []int{}
	}
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	_ = enc.Encode(v) // encoding strings and numbers cannot fail
	return b.Bytes()
}

// ParseView reads a state file that another tool or a person wrote (T98, T99). Unknown fields are
// ignored and missing ones are zero. It returns an error naming the field if a type is wrong, the
// phase is unknown or taskIndex is not in the range 0 to totalTasks. It checks no other values.
func ParseView(text []byte) (v View, err error) {
	switch err := json.Unmarshal(bytes.TrimPrefix(text, []byte(bom)), &v); {
	case err != nil:
		return View{}, err
	case v.Phase != "" && !slices.Contains(phases, v.Phase):
		return View{}, fmt.Errorf("phase %q is not one of %s", v.Phase, strings.Join(phases, ", "))
	case v.TaskIndex < 0 || v.TaskIndex > v.TotalTasks:
		return View{}, fmt.Errorf("taskIndex %d is not between 0 and totalTasks %d", v.TaskIndex,
			v.TotalTasks)
	}
	return v, nil
}
