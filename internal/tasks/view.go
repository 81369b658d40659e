package tasks

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
)

// maxView bounds a state file, in bytes.
const maxView = 64 << 10

// maxCount bounds the counters of a state file that is read.
const maxCount = 1_000_000

// The phases of a run. The loop works in PhaseExecution only (T17).
const (
	PhaseIntake       = "intake"
	PhaseSpec         = "spec"
	PhaseReview       = "review"
	PhaseDecompose    = "decompose"
	PhaseExecution    = "execution"
	PhaseVerification = "verification"
	PhaseClosure      = "closure"
)

// View is .sdd-state.json: the state of a run for people and other tools. The fields, their names,
// types and order are those of the specification (T16–T28).
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
	GatesPassed         []int  `json:"gatesPassed"`  // of 1, 2, 3
	AwaitingGate        *int   `json:"awaitingGate"` // nil: no gate is open
	SpecPath            string `json:"specPath"`     // relative to the project
	CreatedAt           string `json:"createdAt"`    // ISO 8601
	LastUpdatedAt       string `json:"lastUpdatedAt"`
}

// Text is the view as indented JSON with a final line break.
func (v View) Text() []byte {
	if v.GatesPassed == nil {
		v.GatesPassed = []int{}
	}
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	_ = enc.Encode(v) // texts and numbers cannot fail
	return b.Bytes()
}

// ParseView reads a state file that another tool or a person wrote (T98, T99). Unknown fields are
// ignored and missing ones are zero. An unknown phase, mode or gate, a wrong type, and a count
// below 0 or above 1,000,000 are errors by name.
func ParseView(text []byte) (View, error) {
	if len(text) > maxView {
		return View{}, fmt.Errorf("the state file has %d bytes, more than %d", len(text), maxView)
	}
	text = bytes.TrimPrefix(text, []byte(bom))
	var v *View
	if err := json.Unmarshal(text, &v); err != nil {
		var wrong *json.UnmarshalTypeError
		if errors.As(err, &wrong) {
			field := cmp.Or(wrong.Field, "the state file")
			return View{}, fmt.Errorf("%s is a %s, which has the wrong type", field, wrong.Value)
		}
		return View{}, fmt.Errorf("the state file is no JSON: %w", err)
	}
	if v == nil {
		return View{}, errors.New("the state file is null")
	}
	if err := v.check(); err != nil {
		return View{}, err
	}
	return *v, nil
}

// check returns the first field with a value that it cannot have.
func (v *View) check() error {
	phases := []string{"", PhaseIntake, PhaseSpec, PhaseReview, PhaseDecompose, PhaseExecution,
		PhaseVerification, PhaseClosure}
	if !slices.Contains(phases, v.Phase) {
		return fmt.Errorf("phase %q is not one of %s", v.Phase, strings.Join(phases[1:], ", "))
	}
	if v.ExecutionMode != "" {
		mode, err := parseMode(v.ExecutionMode)
		if err != nil {
			return fmt.Errorf("executionMode: %w", err)
		}
		v.ExecutionMode = mode
	}
	for _, count := range []struct {
		name  string
		value int
	}{
		{"taskIndex", v.TaskIndex}, {"totalTasks", v.TotalTasks},
		{"taskIteration", v.TaskIteration}, {"maxTaskIterations", v.MaxTaskIterations},
		{"globalIteration", v.GlobalIteration}, {"maxGlobalIterations", v.MaxGlobalIterations},
	} {
		if count.value < 0 || count.value > maxCount {
			return fmt.Errorf("%s %d is not between 0 and %d", count.name, count.value, maxCount)
		}
	}
	if v.TaskIndex > v.TotalTasks {
		return fmt.Errorf("taskIndex %d is above totalTasks %d", v.TaskIndex, v.TotalTasks)
	}
	for _, gate := range v.GatesPassed {
		if gate < 1 || gate > 3 {
			return fmt.Errorf("gatesPassed has %d, which is not 1, 2 or 3", gate)
		}
	}
	if v.AwaitingGate != nil && (*v.AwaitingGate < 1 || *v.AwaitingGate > 3) {
		return fmt.Errorf("awaitingGate %d is not 1, 2 or 3", *v.AwaitingGate)
	}
	return nil
}
