package tasks

import (
	"encoding/json"
	"fmt"
)

// viewFields are the fields of a view that follow from its run, in their order.
var viewFields = [...]string{"linearIssue", "phase", "taskIndex", "totalTasks", "taskIteration",
	"maxTaskIterations", "globalIteration", "maxGlobalIterations", "executionMode", "gatesPassed",
	"awaitingGate", "specPath", "createdAt"}

// Edited is how a state file differs from the view that the loop wrote, as in "taskIndex is 5, not
// 1"; "" where it does not. When it was updated is no difference (T98).
func Edited(text []byte, wrote View) string {
	v, err := ParseView(text)
	if err != nil {
		return err.Error()
	}
	is, was := map[string]json.RawMessage{}, map[string]json.RawMessage{}
	_ = json.Unmarshal(v.compact(), &is) // both are of this package
	_ = json.Unmarshal(wrote.compact(), &was)
	for _, field := range viewFields {
		if string(is[field]) != string(was[field]) {
			return fmt.Sprintf("%s is %s, not %s", field, is[field], was[field])
		}
	}
	return ""
}

// compact is the view as JSON without blanks.
func (v View) compact() []byte {
	if v.GatesPassed == nil {
		v.GatesPassed = []int{}
	}
	text, _ := json.Marshal(v) // texts and numbers cannot fail
	return text
}
