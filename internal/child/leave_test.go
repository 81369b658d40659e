package child

import (
	"os"
	"testing"
	"time"
)

// A program that fails at once is an error; one that runs on is left.
func TestLeave(t *testing.T) {
	t.Setenv("PRINT", "1")
	if err := Leave([]string{os.Args[0]}, time.Minute); err == nil {
		t.Error("exit code 3 is no error")
	}
	if err := Leave([]string{"no-such-program-anywhere"}, time.Minute); err == nil {
		t.Error("a missing program is no error")
	}
	t.Setenv("PRINT", "")
	t.Setenv("DRIP", "100ms") // half a second
	if err := Leave([]string{os.Args[0]}, time.Millisecond); err != nil {
		t.Error(err)
	}
}
