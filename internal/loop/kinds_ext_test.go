package loop_test

import (
	_ "hooks/internal/kind"
	"hooks/internal/kind/tasks"
	. "hooks/internal/loop"
)

// Tests of this package see the kinds of loop that the program has, and a task list.
var _ = func() bool {
	EditedList = func() any { return new(tasks.ReadList) }
	return true
}()
